import path from 'node:path';
import type { ProcessIdentity } from '../lock/owner.ts';
import { type LoopFolders, openLoopFolders, type StoreOptions } from '../loops.ts';

/** A loop id for tests. */
export const loopId = 'ralph-fix-tests-a1b2c3d4';

/** An owner for tests. */
export const owner: ProcessIdentity = { host: 'here', bootId: 'boot', pid: 4242, startTime: '100' };

/** A store in a state folder, on the real disk unless another one is given. */
export function storeIn(folder: string, options: Partial<StoreOptions> = {}): LoopFolders {
  const now = () => new Date('2026-11-16T10:00:00.000Z');
  return openLoopFolders({ root: path.join(folder, '.ralph'), owner, livenessOf: () => 'alive', now, ...options });
}

/** A snapshot as the layers above would write it. */
export function documentOf(iteration: number) {
  return { version: '2.0.0', loop_id: loopId, status: 'running', iteration, ralphd: { streak: 0 } };
}

/** Facts named by numbers. */
export function factsOf(...numbers: number[]) {
  return numbers.map((number) => ({ type: 'number.noted', data: { number } }));
}

/** The numbers back out of recorded facts. */
export function numbersOf(entries: readonly { readonly data: unknown }[]): unknown[] {
  return entries.map((entry) => (entry.data as { number: unknown }).number);
}
