import { failures, LoopError } from '../base/index.ts';
import { hasGroup, isUsablePattern, patternsIn } from '../core/index.ts';
import type { LoopConfig } from '../protocol/index.ts';

/** Where a setting was given: `ralphd.yml:3:16` or a variable; undefined if unknown. */
export type Locate = (path: readonly PropertyKey[]) => string | undefined;

/** Refuses a regular expression that cannot be used, naming the setting that contains it. */
export function assertPatterns(config: LoopConfig, locate: Locate = () => undefined): void {
  const bad = patternsOf(config).find(({ pattern }) => !isUsablePattern(pattern));
  if (bad !== undefined) throw new LoopError(failures.badPattern(bad.pattern, bad.path.join('.'), locate(bad.path)));
  const groupless = config.progress.metrics.find(({ pattern }) => !hasGroup(pattern));
  if (groupless !== undefined) throw new LoopError(failures.metricWithoutGroup(groupless.name, groupless.pattern));
}

interface PlacedPattern {
  readonly path: readonly PropertyKey[];
  readonly pattern: string;
}

function patternsOf(config: LoopConfig): readonly PlacedPattern[] {
  const { stopConditions, hooks, progress, ask, session } = config;
  return [
    ...stopConditions.stopOnPatterns.map((pattern, index) => ({
      path: ['stopConditions', 'stopOnPatterns', index],
      pattern,
    })),
    ...ask.onPatterns.map((pattern, index) => ({ path: ['ask', 'onPatterns', index], pattern })),
    ...session.reboot.patterns.map((pattern, index) => ({ path: ['session', 'reboot', 'patterns', index], pattern })),
    ...hooks.flatMap(({ ifPattern }, index) =>
      ifPattern === undefined ? [] : [{ path: ['hooks', index, 'ifPattern'], pattern: ifPattern }],
    ),
    ...progress.metrics.map(({ pattern }, index) => ({ path: ['progress', 'metrics', index, 'pattern'], pattern })),
    ...patternsIn(config).map(({ key, pattern }) => ({
      path: ['stopConditions', ...key.split('.').map(keyOrIndex), 'pattern'],
      pattern,
    })),
  ];
}

function keyOrIndex(word: string): string | number {
  return /^\d+$/.test(word) ? Number(word) : word;
}
