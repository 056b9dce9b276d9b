import { type CommandDefinition, commandDefinitions } from '../../../src/cli/definitions.ts';
import { flagsOf } from '../../../src/cli/help.ts';
import { code, page, plain, table } from '../markdown.ts';

/** Every command of the command line with its options. */
export function commandsPage(): string {
  return page(
    '# Commands',
    'Results go to stdout, everything else to stderr. `--json` prints one object for a question and one per line for a stream. An ID can be any unique prefix of a loop id, and can be omitted when only one loop is active.',
    commandDefinitions.map(section),
  );
}

function section(command: CommandDefinition): string {
  const { name, args, summary, passesOn } = command;
  const options = command.options;
  const call = ['ralphd', name, ...args, ...(passesOn === true ? ['[-- AGENT ARGS]'] : [])].join(' ');
  const heading = `## ${code(call)}\n\n${plain(summary)}`;
  if (options.length === 0) return heading;
  const rows = options.map((option) => [
    code(flagsOf(option)),
    option.setting === undefined ? '' : code(option.setting),
    plain(option.summary),
  ]);
  return `${heading}\n\n${table(['Option', 'Setting', 'Meaning'], rows)}`;
}
