import type { ShownLoop } from '../loop/loop.ts';
import { doubtsOf, listed } from './doubts.ts';

/** What of the proof itself the agent has laid hands on: the files of the checks, what steers them, and the tests. */
export function meddlingWith(loop: ShownLoop): readonly string[] {
  const { gate, protectedFiles } = loop;
  const { tampered = [] } = gate?.result ?? {};
  const { changed } = protectedFiles;
  return [
    ...(tampered.length === 0 ? [] : [`not as it was, so that the checks prove nothing: ${listed(tampered)}`]),
    ...doubtsOf(loop),
    ...(changed.length === 0 ? [] : [`tests that were there before and were changed: ${listed(changed)}`]),
  ];
}
