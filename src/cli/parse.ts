import { parseArgs } from 'node:util';
import { exitCodes, failures, LoopError, nearest } from '../base/index.ts';
import { type CommandDefinition, commandDefinitions, type OptionDefinition } from './definitions.ts';
import { notOfFleets } from './fleet-definitions.ts';

/** A valid command line. */
export interface Invocation {
  readonly command: CommandDefinition;
  readonly args: readonly string[];
  /** Values by option name; a switch is `true`, a repeatable option a list. */
  readonly options: Readonly<Record<string, string | true | readonly string[]>>;
  /** Arguments after `--`. */
  readonly passedOn: readonly string[];
}

/** What the user asked for. */
export type Request =
  | { readonly kind: 'help'; readonly command?: CommandDefinition }
  | { readonly kind: 'version' }
  | { readonly kind: 'invoke'; readonly invocation: Invocation };

/** Parses a command line. Unknown words are refused with the closest known one as a suggestion. */
export function parseCommandLine(argv: readonly string[]): Request {
  const [first = '--help', ...rest] = argv;
  if (first === '--help' || first === '-h' || first === 'help') return helpOn(rest[0]);
  if (first === '--version' || first === '-V') return { kind: 'version' };
  const { command } = commandNamed(first);
  if (command?.aliasOf !== undefined) return parseForAlias(command, rest);
  if (command !== undefined) return parseFor(command, rest);
  const run = commandNamed('run').command;
  // A task has several words; a single unknown word is probably a mistyped command.
  if (run !== undefined && /\s/u.test(first.trim()) && !first.startsWith('-')) return parseFor(run, argv);
  const near = run && nearestFlag(run, first);
  if (first.startsWith('-') && near !== first) throw new LoopError(failures.unknownFlag(first, near));
  throw unknownCommand(first);
}

function helpOn(name: string | undefined): Request {
  const named = commandNamed(name);
  if (name !== undefined && !name.startsWith('-') && named.command === undefined) throw unknownCommand(name);
  return { kind: 'help', ...named };
}

function unknownCommand(name: string): LoopError {
  const names = commandDefinitions.map((each) => each.name);
  return new LoopError(failures.unknownCommand(name, nearest(name, names)));
}

function commandNamed(name: string | undefined): { readonly command?: CommandDefinition } {
  const command = commandDefinitions.find((each) => each.name === name);
  return command === undefined ? {} : { command };
}

/** Commands under the names of AIWG report a wrong command line as its own do. */
function parseForAlias(command: CommandDefinition, argv: readonly string[]): Request {
  try {
    return parseFor(command, argv);
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    throw new LoopError({ ...error.failure, exitCode: exitCodes.limit }, { cause: error });
  }
}

function parseFor(command: CommandDefinition, argv: readonly string[]): Request {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const passedOn = end === -1 ? [] : argv.slice(end + 1);
  if (own.some((word) => word === '--help' || word === '-h')) return { kind: 'help', command };
  const { tokens } = parseArgs({
    args: [...own],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(command.options.map(parserOption)),
  });
  const args: string[] = [];
  const options: Record<string, string | true | string[]> = {};
  for (const [place, token] of tokens.entries()) {
    assertNameAttached(command, token, tokens[place + 1]);
    if (token.kind === 'positional') args.push(token.value);
    else if (token.kind === 'option') takeOption(command, token, options);
  }
  assertArguments(command, args, passedOn);
  return { kind: 'invoke', invocation: { command, args, options, passedOn } };
}

function parserOption({ name, short, value, optionalValue }: OptionDefinition) {
  const type = value === undefined || optionalValue === true ? ('boolean' as const) : ('string' as const);
  return [name, short === undefined ? { type } : { type, short }] as const;
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function takeOption(
  command: CommandDefinition,
  { name, rawName, value, inlineValue }: OptionToken,
  into: Record<string, string | true | string[]>,
): void {
  const option = command.options.find((each) => each.name === name);
  if (option === undefined) throw unknownOption(command, rawName);
  if (option.value === undefined) {
    if (value !== undefined) throw new LoopError(failures.badValue(rawName, 'given without a value', `"${value}"`));
    into[name] = true;
    return;
  }
  if (option.optionalValue === true && value === undefined) {
    into[name] = true;
    return;
  }
  // An option in place of the value means that the value is missing.
  if (value === undefined || (inlineValue !== true && value.startsWith('--'))) {
    throw new LoopError(failures.missingValue(rawName));
  }
  const before = into[name];
  if (option.repeatable) into[name] = Array.isArray(before) ? [...before, value] : [value];
  else into[name] = value;
}

function unknownOption(command: CommandDefinition, flag: string): LoopError {
  const other = flag === '--db' ? notOfFleets[command.name] : undefined;
  if (other !== undefined) return new LoopError(failures.notWithFleet(command.name, other.why, other.instead));
  return new LoopError(failures.unknownFlag(flag, nearestFlag(command, flag)));
}

/** After an option whose value may be left out, one word is more likely that value than a task. */
function assertNameAttached(command: CommandDefinition, token: Token, next: Token | undefined): void {
  if (token.kind !== 'option' || token.value !== undefined || next?.kind !== 'positional') return;
  const option = command.options.find(({ name }) => name === token.name);
  if (option?.optionalValue !== true || /\s/u.test(next.value)) return;
  const written = `written as "${token.rawName}=${option.value}" with a ${option.value}`;
  throw new LoopError(failures.badValue(token.rawName, written, `followed by "${next.value}"`));
}

function assertArguments(command: CommandDefinition, args: readonly string[], passedOn: readonly string[]): void {
  const required = command.args.filter((arg) => !arg.startsWith('['));
  if (args.length < required.length) {
    throw new LoopError(failures.missingArgument(required.slice(args.length).join(' '), command.name));
  }
  const extra = args[command.args.length] ?? (command.passesOn === true ? undefined : passedOn[0]);
  if (extra !== undefined) throw new LoopError(failures.tooManyArguments(command.name, extra));
}

function nearestFlag(command: CommandDefinition, flag: string): string | undefined {
  const near = nearest(
    flag.replace(/^-+/u, ''),
    command.options.map(({ name }) => name),
  );
  return near === undefined ? undefined : `--${near}`;
}
