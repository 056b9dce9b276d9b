import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { type CommandDefinition, commandDefinitions, type OptionDefinition } from './definitions.ts';
import { type Invocation, parseCommandLine } from './parse.ts';

function invocationOf(...argv: readonly string[]): Invocation {
  const request = parseCommandLine(argv);
  if (request.kind !== 'invoke') throw new Error(`expected a command, not ${request.kind}`);
  return request.invocation;
}

function refusal(...argv: readonly string[]): string {
  try {
    parseCommandLine(argv);
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    expect(error.failure.exitCode).toBe(64);
    return `${error.failure.code}: ${error.failure.message} ${error.failure.hint}`;
  }
  throw new Error('expected a refusal');
}

interface Case {
  readonly command: CommandDefinition;
  readonly option: OptionDefinition;
}

const everyOption = commandDefinitions.flatMap((command) =>
  command.options.map((option): [string, string, Case] => [command.name, option.name, { command, option }]),
);

test.each(everyOption)('%s --%s is read in each way it may be written', (_command, name, { command, option }) => {
  const { value, short, repeatable, optionalValue } = option;
  const needed = command.args.filter((arg) => !arg.startsWith('['));
  const read = (...words: readonly string[]) => invocationOf(command.name, ...needed, ...words).options;
  const expected = { [name]: value === undefined ? true : repeatable ? ['a value'] : 'a value' };
  const apart = optionalValue === true ? [] : [[`--${name}`, 'a value']];
  const words = value === undefined ? [[`--${name}`]] : [...apart, [`--${name}=a value`]];
  const shorts =
    short === undefined ? [] : value === undefined ? [[`-${short}`]] : [[`-${short}`, 'a value'], [`-${short}a value`]];
  for (const each of [...words, ...shorts]) expect(read(...each)).toEqual(expected);
  if (optionalValue === true) expect(read(`--${name}`)).toEqual({ [name]: true });
  else expect(() => read(value === undefined ? `--${name}=x` : `--${name}`)).toThrow(LoopError);
});

test('options, arguments and what is passed on are distinguished, wherever they appear', () => {
  const { command, ...rest } = invocationOf(
    'run',
    '-n',
    '5',
    'the task',
    '--verify',
    'a',
    '--verify',
    'b',
    '--',
    '-n',
    '9',
    '--',
  );
  expect(command.name).toBe('run');
  expect(rest).toEqual({
    args: ['the task'],
    options: { 'max-iterations': '5', verify: ['a', 'b'] },
    passedOn: ['-n', '9', '--'],
  });
});

test('a task of several words needs no command', () => {
  expect(invocationOf('fix the tests', '--verify', 'make')).toMatchObject({
    command: { name: 'run' },
    args: ['fix the tests'],
    options: { verify: ['make'] },
  });
});

test('a value may begin with a dash, or with two after an equals sign', () => {
  expect(invocationOf('run', '-p', '-x').options).toEqual({ prompt: '-x' });
  expect(invocationOf('run', '--prompt', '-').options).toEqual({ prompt: '-' });
  expect(invocationOf('run', '--prompt=--x').options).toEqual({ prompt: '--x' });
  expect(invocationOf('run', '--prompt=').options).toEqual({ prompt: '' });
});

test.each([
  [['run', '--max-iteration', '5'], 'UNKNOWN_FLAG: Unknown option --max-iteration. Did you mean --max-iterations?'],
  [['run', '--verfy=x'], 'UNKNOWN_FLAG: Unknown option --verfy. Did you mean --verify?'],
  [['run', '-z'], 'UNKNOWN_FLAG: Unknown option -z.'],
  [['status', '--verify', 'x'], 'UNKNOWN_FLAG: Unknown option --verify.'],
  [['run', '--__proto__', 'x'], 'UNKNOWN_FLAG: Unknown option --__proto__.'],
  [['--versoin'], 'UNKNOWN_FLAG: Unknown option --versoin.'],
  [['--json', 'status'], 'UNKNOWN_COMMAND: Unknown command "--json". Run "ralphd --help" to see all commands.'],
  [['statuss'], 'UNKNOWN_COMMAND: Unknown command "statuss". Did you mean "ralphd status"?'],
  [['frobnicate'], 'UNKNOWN_COMMAND: Unknown command "frobnicate". Run "ralphd --help"'],
  [[''], 'UNKNOWN_COMMAND: Unknown command "".'],
  [['constructor'], 'UNKNOWN_COMMAND: Unknown command "constructor".'],
  [['run', '-n'], 'MISSING_VALUE: The option -n needs a value. Put the value after it, as in "-n VALUE".'],
  [['run', '--agent', '--json'], 'MISSING_VALUE: The option --agent needs a value.'],
  [['run', '--json=yes'], 'BAD_VALUE: --json must be given without a value, but it is "yes".'],
  [['run', 'one', 'two'], 'TOO_MANY_ARGUMENTS: "ralphd run" does not accept the extra argument "two".'],
  [['ls', 'x'], 'TOO_MANY_ARGUMENTS: "ralphd ls" does not accept the extra argument "x".'],
  [['status', '--', 'x'], 'TOO_MANY_ARGUMENTS: "ralphd status" does not accept the extra argument "x".'],
  [['rm'], 'MISSING_ARGUMENT: "ralphd rm" needs ID.'],
])('%j is refused with the problem and the closest valid word', (argv, expected) => {
  expect(refusal(...argv).startsWith(expected), refusal(...argv)).toBe(true);
});

test.each([[[]], [['--help']], [['-h']], [['help']]])('%j asks for the help', (argv) => {
  expect(parseCommandLine(argv)).toEqual({ kind: 'help' });
});

test.each([
  [['run', '--help'], 'run'],
  [['status', 'x', '-h', '--nonsense'], 'status'],
  [['help', 'demo'], 'demo'],
])('%j asks for the help of %s', (argv, name) => {
  expect(parseCommandLine(argv)).toMatchObject({ kind: 'help', command: { name } });
});

test('a request for help after "--" goes to the agent', () => {
  expect(invocationOf('run', 'x', '--', '--help').passedOn).toEqual(['--help']);
});

test.each(['--version', '-V'])('%s asks for the version', (flag) => {
  expect(parseCommandLine([flag])).toEqual({ kind: 'version' });
});
