import type { ShownLoop } from '../loop/loop.ts';

const mostNames = 5;

/** What of the proof itself the agent has laid hands on: the files of the checks, and the tests. */
export function meddlingWith({ gate, protectedFiles }: ShownLoop): readonly string[] {
  const { tampered = [] } = gate?.result ?? {};
  const { changed } = protectedFiles;
  return [
    ...(tampered.length === 0 ? [] : [`not as it was, so that the checks prove nothing: ${listed(tampered)}`]),
    ...(changed.length === 0 ? [] : [`tests that were there before and were changed: ${listed(changed)}`]),
  ];
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - mostNames;
  return `${paths.slice(0, mostNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
