import { failures, LoopError } from '../base/index.ts';
import { isUsablePattern, patternsIn } from '../core/index.ts';
import type { LoopConfig } from '../protocol/index.ts';

/** Where a setting was given: `ralphd.yml:3:16` or a variable; nothing where nobody can tell. */
export type Locate = (path: readonly PropertyKey[]) => string | undefined;

/** Refuses a regular expression that cannot be used, by the setting that it stands in. */
export function assertPatterns(config: LoopConfig, locate: Locate = () => undefined): void {
  const bad = patternsOf(config).find(({ pattern }) => !isUsablePattern(pattern));
  if (bad === undefined) return;
  const { path, pattern } = bad;
  throw new LoopError(failures.badPattern(pattern, path.join('.'), locate(path)));
}

interface PlacedPattern {
  readonly path: readonly PropertyKey[];
  readonly pattern: string;
}

function patternsOf(config: LoopConfig): readonly PlacedPattern[] {
  const { stopConditions, hooks } = config;
  return [
    ...stopConditions.stopOnPatterns.map((pattern, index) => ({
      path: ['stopConditions', 'stopOnPatterns', index],
      pattern,
    })),
    ...hooks.flatMap(({ ifPattern }, index) =>
      ifPattern === undefined ? [] : [{ path: ['hooks', index, 'ifPattern'], pattern: ifPattern }],
    ),
    ...patternsIn(config).map(({ key, pattern }) => ({
      path: ['stopConditions', ...key.split('.').map(keyOrIndex), 'pattern'],
      pattern,
    })),
  ];
}

function keyOrIndex(word: string): string | number {
  return /^\d+$/.test(word) ? Number(word) : word;
}
