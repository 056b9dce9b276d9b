import { type CommandDefinition, commandDefinitions, type OptionDefinition } from './definitions.ts';
import { fitLines } from './output/fit-lines.ts';
import { wrapLine } from './output/plain.ts';

const maxWidth = 80;
/** Below this width a summary is hard to read in its column, so it goes below the option. */
const minSummary = 32;
const lowIndent = 6;

/** The help for everything, or for one command; no line is wider than 80 columns, or than the terminal. */
export function helpText(command?: CommandDefinition, terminalWidth = maxWidth): string {
  const width = Math.min(maxWidth, terminalWidth);
  const text = command === undefined ? overview(width) : commandHelp(command, width);
  return fitLines(text.split('\n'), width).join('\n');
}

function overview(width: number): string {
  return `ralphd drives a coding agent in a loop until the task is verifiably done.

Usage: ralphd COMMAND [OPTIONS]
       ralphd "TASK" --verify CMD

Commands:
${table(
  commandDefinitions.filter(({ aliasOf }) => aliasOf === undefined).map((each) => [callOf(each), each.summary]),
  width,
)}

An ID can be any unique prefix of a loop id, and can be omitted when only one loop is active.
Run "ralphd COMMAND --help" for the options of a command, "ralphd --version" for the version.
`;
}

function commandHelp(command: CommandDefinition, width: number): string {
  const passedOn = command.passesOn === true ? ' [-- AGENT ARGS]' : '';
  return `${command.summary}

Usage: ralphd ${callOf(command)} [OPTIONS]${passedOn}

Example: ${command.example}

Options:
${table(
  command.options.map((option) => [flagsOf(option), option.summary]),
  width,
)}
`;
}

function callOf({ name, args }: CommandDefinition): string {
  return [name, ...args].join(' ');
}

/** How an option is written. */
export function flagsOf({ name, short, value, optionalValue, repeatable }: OptionDefinition): string {
  const given = optionalValue === true ? `[=${value}]` : ` ${value}`;
  const long = `--${name}${value === undefined ? '' : given}${repeatable === true ? ' …' : ''}`;
  return short === undefined ? long : `-${short}, ${long}`;
}

function table(rows: readonly (readonly [string, string])[], width: number): string {
  const left = Math.max(...rows.map(([name]) => name.length));
  const indent = 2 + left + 2;
  if (width - indent < minSummary) {
    return rows.flatMap(([name, text]) => [`  ${name}`, ...indented(text, lowIndent, width)]).join('\n');
  }
  return rows
    .flatMap(([name, text]) => {
      const [first = '', ...rest] = indented(text, indent, width);
      return [`  ${name.padEnd(left)}  ${first.trimStart()}`, ...rest];
    })
    .join('\n');
}

function indented(text: string, indent: number, width: number): readonly string[] {
  return wrapLine(text, width - indent).map((line) => ' '.repeat(indent) + line);
}
