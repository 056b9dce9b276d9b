import { boundText, formatDuration } from '../../../base/index.ts';
import type { CheckCommand, Condition } from '../../../protocol/index.ts';

const maxDescriptionLength = 300;

/** What a condition is waiting for, in words. */
export function describeCondition(condition: Condition): string {
  return boundText(describe(condition), maxDescriptionLength);
}

function describe(condition: Condition): string {
  switch (condition.type) {
    case 'max_iterations':
      return `${condition.count} ${condition.count === 1 ? 'iteration is' : 'iterations are'} over`;
    case 'max_duration':
      return `${formatDuration(condition.duration)} of running time is used`;
    case 'test_failure_streak':
      return `${condition.count} changes in a row made no failing test pass`;
    case 'all_tests_pass':
      return 'all tests pass';
    case 'specific_tests_pass':
      return `these tests pass: ${condition.tests.join(', ')}`;
    case 'no_progress':
      return `${condition.count} iterations in a row made no progress`;
    case 'file_created':
      return `the file ${condition.path} exists`;
    case 'file_contains':
      return `the file ${condition.path} contains ${describeWanted(condition)}`;
    case 'output_pattern':
      return `the agent's output contains ${describeWanted(condition)}`;
    case 'on_error':
      return condition.pattern === undefined
        ? 'an iteration fails'
        : `an iteration fails with an error that matches /${condition.pattern}/`;
    case 'custom_script':
      return `the script "${commandText(condition.run)}" exits with 0`;
    case 'user_signal':
      return `the file ${condition.path} is touched`;
    case 'all':
      return `(${condition.conditions.map(describe).join(' and ')})`;
    case 'any':
      return `(${condition.conditions.map(describe).join(' or ')})`;
    case 'not':
      return `not (${describe(condition.condition)})`;
    case 'never':
      return 'never';
  }
}

function describeWanted({ text, pattern }: { text?: string | undefined; pattern?: string | undefined }): string {
  return text === undefined ? `what matches /${pattern ?? ''}/` : `"${text}"`;
}

function commandText(command: CheckCommand): string {
  return typeof command === 'string' ? command : command.join(' ');
}
