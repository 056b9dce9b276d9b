import { type CommandDefinition, commandDefinitions, type OptionDefinition, shownOptions } from './definitions.ts';

/** The help for everything, or for one command. */
export function helpText(command?: CommandDefinition): string {
  return command === undefined ? overview() : commandHelp(command);
}

function overview(): string {
  return `ralphd drives a coding agent in a loop until the task is verifiably done.

Usage: ralphd COMMAND [OPTIONS]
       ralphd "TASK" --verify CMD

Commands:
${table(commandDefinitions.map((each) => [callOf(each), each.summary]))}

An ID can be any unique prefix of a loop id, and can be omitted when only one loop is active.
Run "ralphd COMMAND --help" for the options of a command, "ralphd --version" for the version.
`;
}

function commandHelp(command: CommandDefinition): string {
  const passedOn = command.passesOn === true ? ' [-- AGENT ARGS]' : '';
  return `${command.summary}

Usage: ralphd ${callOf(command)} [OPTIONS]${passedOn}

Options:
${table(shownOptions(command).map((option) => [flagsOf(option), option.summary]))}
`;
}

function callOf({ name, args }: CommandDefinition): string {
  return [name, ...args].join(' ');
}

/** How an option is written. */
export function flagsOf({ name, short, value, repeatable }: OptionDefinition): string {
  const long = `--${name}${value === undefined ? '' : ` ${value}`}${repeatable === true ? ' …' : ''}`;
  return short === undefined ? long : `-${short}, ${long}`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
