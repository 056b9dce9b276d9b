import type { Fingerprint } from './fingerprint.ts';

/** The commit that a work tree stands on, and whether it holds all that is there; nothing before the first one. */
export function commitOf(fingerprint: Fingerprint): { readonly id: string; readonly isWhole: boolean } | undefined {
  if (fingerprint.kind !== 'git' || fingerprint.head === null) return undefined;
  const { head: id, differing } = fingerprint;
  return { id, isWhole: [...differing.values()].every(({ head, work }) => head === work) };
}
