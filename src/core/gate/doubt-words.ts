import { type Doubt, doubtsOf } from './doubts.ts';

/** A doubt with its sentence, as documents and JSON lines contain it. */
export interface DescribedDoubt {
  readonly code: Doubt['code'];
  readonly message: string;
  readonly files?: readonly string[];
}

/** The doubts about a loop's result, each with its sentence. */
export function describeDoubts(loop: Parameters<typeof doubtsOf>[0]): readonly DescribedDoubt[] {
  return doubtsOf(loop).map((doubt) => ({
    code: doubt.code,
    message: doubtText(doubt),
    ...('files' in doubt ? { files: doubt.files } : {}),
  }));
}

/** The sentence, without a full stop. */
export function doubtText(doubt: Doubt): string {
  switch (doubt.code) {
    case 'already_green':
      return 'all checks passed before the first iteration, and no more tests pass now: they show that nothing broke, not that the task is done';
    case 'no_baseline':
      return 'the checks were not run before the first iteration, so they may have passed all along';
    case 'edited_tests':
      return `tests that existed before the loop were changed: ${listed(doubt.files)}`;
    case 'checks_affected':
      return `files that affect the checks were changed: ${listed(doubt.files)}`;
    case 'masked_exit_code':
      return `a script that the checks run hides whether its tests failed: ${listed(doubt.files)}`;
    case 'fewer_tests':
      return `fewer tests ran than before the loop: ${doubt.now} instead of ${doubt.before}`;
  }
}

const maxNames = 5;

function listed(paths: readonly string[]): string {
  const rest = paths.length - maxNames;
  return `${paths.slice(0, maxNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
