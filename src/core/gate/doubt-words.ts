import type { ShownLoop } from '../loop/loop.ts';
import { type Doubt, doubtsOf } from './doubts.ts';

/** A doubt as documents and JSON lines have it. */
export interface ToldDoubt {
  readonly code: Doubt['code'];
  readonly message: string;
  readonly files?: readonly string[];
}

/** The doubts about a loop's result, each with its sentence. */
export function toldDoubts(loop: Parameters<typeof doubtsOf>[0]): readonly ToldDoubt[] {
  return doubtsOf(loop).map((doubt) => ({
    code: doubt.code,
    message: doubtText(doubt),
    ...('files' in doubt ? { files: doubt.files } : {}),
  }));
}

/** A doubt for people, without a full stop. */
export function doubtText(doubt: Doubt): string {
  switch (doubt.code) {
    case 'already_green':
      return 'all checks passed before the first iteration, and no more tests pass now: they show that nothing broke, not that the task is done';
    case 'no_baseline':
      return 'the checks were not run before the first iteration, so they may have passed all along';
    case 'edited_tests':
      return `tests that were there before the loop were changed: ${listed(doubt.files)}`;
    case 'checks_affected':
      return `changed, and affects what the checks run: ${listed(doubt.files)}`;
    case 'masked_exit_code':
      return `a script behind the checks hides whether its tests failed: ${listed(doubt.files)}`;
    case 'fewer_tests':
      return `fewer tests ran than before the loop: ${doubt.now} instead of ${doubt.before}`;
  }
}

/** That files of the checks are not the user's own any more; nothing where they are. */
export function tamperedText({ gate }: Pick<ShownLoop, 'gate'>): readonly string[] {
  const { tampered = [] } = gate?.result ?? {};
  return tampered.length === 0
    ? []
    : [`changed since the loop began, so that the checks prove nothing: ${listed(tampered)}`];
}

const maxNames = 5;

/** The first names of many, and how many more there are. */
function listed(paths: readonly string[]): string {
  const rest = paths.length - maxNames;
  return `${paths.slice(0, maxNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
