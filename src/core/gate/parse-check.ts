import type { CheckCommand } from '../../protocol/index.ts';
import {
  executedPatterns,
  executesArguments,
  isInterpreter,
  listedPatterns,
  onlyChecksSyntax,
  startedCommand,
} from './run-files.ts';
import { loopsIn, simpleCommands } from './shell/flat.ts';
import { parseShell } from './shell/line.ts';
import type { SimpleCommand } from './shell/tree.ts';
import { addValues, type Environment, expandVariables, recordAssignment, type Variables } from './variables.ts';

/** Everything that a check names and that may decide its result. */
export interface ParsedCheck {
  readonly files: readonly NamedFiles[];
  /** Package scripts. */
  readonly scripts: readonly NamedScript[];
  /** Targets of a makefile, a justfile or a Taskfile. */
  readonly targets: readonly NamedTarget[];
  /** The commands themselves, to find what else affects them. */
  readonly commands: readonly NamedCommand[];
}

interface NamedCommand {
  /** The folder that the line has changed to before it. */
  readonly folder: string;
  readonly words: readonly string[];
  /** Whether it only reads files: its arguments are the work, not what judges it. */
  readonly readsData: boolean;
  /** The values of PATH that the line itself sets. */
  readonly paths?: readonly string[];
}

/** A package script, and the folder of its package. */
export interface NamedScript {
  readonly folder: string;
  readonly name: string;
  /** It runs in the packages of the workspace, not only in this one. */
  readonly isWorkspaceWide?: true;
}

/** A target, and the folder of its makefile. */
export interface NamedTarget extends Pick<NamedScript, 'folder' | 'name'> {
  readonly program: 'make' | 'just' | 'task';
}

/** Words of one command that may be files. */
export interface NamedFiles {
  /** The folder that the line has changed to before it. */
  readonly folder: string;
  readonly names: readonly string[];
  /** Only the first name that is a file matters: the rest are its arguments. */
  readonly onlyFirst: boolean;
  /** The names are patterns, such as `ci/*.sh` and `ci/**\/*.sh`. */
  readonly isPattern?: true;
}

interface LineStart {
  readonly folder?: string;
  readonly environment?: Environment;
}

/** Parses a check. It need not understand every word: words that are not files are dropped later. */
export function parseCheckCommand(check: CheckCommand, { folder = '', environment = {} }: LineStart = {}): ParsedCheck {
  const lists: Lists = { files: [], scripts: [], targets: [], commands: [] };
  const variables: Variables = { environment, assigned: new Map() };
  const place = { folder, listed: [] as readonly string[] };
  for (const words of expandedCommands(check, variables)) readCommand(words, { place, variables, lists });
  return lists;
}

type Lists = { -readonly [Kind in keyof ParsedCheck]: ParsedCheck[Kind][number][] };

interface Reading {
  /** The current folder, and the patterns of the files that were listed last. */
  readonly place: { folder: string; listed: readonly string[] };
  readonly variables: Variables;
  readonly lists: Lists;
}

function readCommand(words: readonly string[], reading: Reading): void {
  const { place, variables, lists } = reading;
  const { folder } = place;
  const command = withoutPrefixes(words);
  const [program = '', argument = ''] = command;
  const nested = nestedLine(command);
  if (nested !== undefined) {
    const assigned = Object.fromEntries([...variables.assigned].map(([name, [value]]) => [name, value]));
    const inside = parseCheckCommand(nested, { folder, environment: { ...variables.environment, ...assigned } });
    lists.files.push(...inside.files);
    lists.scripts.push(...inside.scripts);
    lists.targets.push(...inside.targets);
    lists.commands.push(...inside.commands);
    return;
  }
  const paths = variables.assigned.get('PATH');
  if (!readsData.has(program) && !onlyChecksSyntax(command)) {
    const onlyFirst = isInterpreter(program) && !command.some((word) => word === '--test' || word === '-m');
    lists.files.push({ folder, names: command.flatMap(namesIn), onlyFirst });
  }
  lists.files.push(
    ...patternsIn(command, place).map((names) => ({ folder, names, onlyFirst: false, isPattern }) as const),
  );
  if (program !== '') {
    const reads = readsData.has(program);
    lists.commands.push({ folder, words: command, readsData: reads, ...(paths === undefined ? {} : { paths }) });
  }
  lists.scripts.push(...scriptOf(command, folder), ...workspaceScripts(command, folder));
  lists.targets.push(...targetsOf(command, folder));
  const started = startedCommand(command);
  if (started !== undefined && program === 'find') readCommand(started, reading);
  if (program === 'cd' && argument !== '') place.folder = joinPath(folder, argument);
}

const isPattern = true;

/** The patterns of the files that a command executes, also by `find … -exec sh {} +` and `find … | xargs sh`. */
function patternsIn(command: readonly string[], place: Reading['place']): readonly (readonly string[])[] {
  const listed = listedPatterns(command);
  if (listed.length > 0) place.listed = listed;
  const started = startedCommand(command);
  const found = started !== undefined && executesArguments(started) ? place.listed : [];
  return [executedPatterns(command), found].filter(({ length }) => length > 0);
}

/** Programs that read files as data: their arguments are the work, not what judges it. */
const readsData: ReadonlySet<string> = new Set(
  (
    '[ [[ test grep egrep fgrep rg ag ack cat head tail wc diff cmp jq yq awk sed ls stat file find cp mv rm touch ' +
    'mkdir ln tee sort uniq cut tr cd echo printf xmllint shellcheck eslint prettier tsc biome ruff black mypy flake8 ' +
    'pylint rustfmt gofmt markdownlint yamllint hadolint gcc g++ cc clang clang++ rustc javac'
  ).split(' '),
);

const shells = /^(?:sh|bash|dash|zsh|ksh)$/;
const prefixes: ReadonlySet<string> = new Set('! time env exec command nohup'.split(' '));

function withoutPrefixes(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !prefixes.has(word) && !/^[A-Za-z_]\w*=/.test(word));
  return start === -1 ? [] : words.slice(start);
}

/** The line in `sh -c LINE`. */
function nestedLine([program = '', ...args]: readonly string[]): string | undefined {
  if (!shells.test(program)) return undefined;
  const at = args.findIndex((word) => /^-\w*c$/.test(word));
  return at === -1 ? undefined : args[at + 1];
}

/** The word itself, and the value of one such as `--config=check.json`. */
function namesIn(word: string): readonly string[] {
  const value = /^[-\w]+=(.+)$/s.exec(word)?.[1];
  return value === undefined ? [word] : [word, value];
}

function joinPath(folder: string, next: string): string {
  return folder === '' || next.startsWith('/') ? next : `${folder}/${next}`;
}

/** The commands of a line as lists of words, without assignments and prefixes such as `env` and `time`. */
export function plainCommands(check: CheckCommand): readonly (readonly string[])[] {
  return commandsOf(check)
    .map(withoutPrefixes)
    .filter(({ length }) => length > 0);
}

/** The commands of a line as lists of words, without the files it writes its output to. */
function commandsOf(check: CheckCommand): readonly (readonly string[])[] {
  if (typeof check !== 'string') return [check];
  return simpleCommands(parseShell(check).script).map(plainWordsOf);
}

function plainWordsOf({ words, redirections }: SimpleCommand): readonly string[] {
  const inputs = redirections.filter(({ operator }) => operator.endsWith('<')).map(({ target }) => target);
  return [...words, ...inputs].map(({ text }) => text);
}

/** The same with variables expanded, as far as the line or its environment define them. */
function expandedCommands(check: CheckCommand, variables: Variables): readonly (readonly string[])[] {
  if (typeof check !== 'string') return [check];
  const { script } = parseShell(check);
  for (const { header } of loopsIn(script)) {
    const [name, , ...values] = header;
    const listed = values.flatMap(({ text, substitutions }) =>
      substitutions.length === 0
        ? [text]
        : substitutions.flatMap(simpleCommands).map(plainWordsOf).flatMap(listedPatterns),
    );
    if (name !== undefined) addValues(variables, name.text, listed);
  }
  return simpleCommands(script).flatMap((command) => {
    const words = plainWordsOf(command);
    const assigning = /^(?:export|declare|local|readonly|env)$/.test(words[0] ?? '') ? words.slice(1) : [];
    for (const word of [...command.assignments.map(({ text }) => text), ...assigning])
      recordAssignment(variables, word);
    return expandVariables(words, variables);
  });
}

const managers: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);

/** Options of package managers and of make that take a value. */
const valueOptions = /^(?:-w|--workspace|-F|--filter|--prefix|-C|--dir|--directory|--cwd|-f|--file|-j)$/;
/** Those of them whose value is the folder of the package or the makefile. */
const folderOptions = /^(?:-w|--workspace|--prefix|-C|--dir|--directory|--cwd)$/;

/** The package script that a command runs: `npm test`, `pnpm run -s lint`, `npm --prefix web test`. */
function scriptOf([program = '', ...args]: readonly string[], folder: string): readonly NamedScript[] {
  if (!managers.has(program)) return [];
  const { words, folders } = splitArguments(args);
  const isWorkspaceWide = args.some((word) => workspaceOptions.test(word));
  const [name] = words.filter((word) => !/^(?:run|run-script|workspaces|foreach)$/.test(word));
  if (name === undefined) return [];
  const script = { folder: joinPaths(folder, folders), name: name === 't' || name === 'tst' ? 'test' : name };
  return [isWorkspaceWide ? { ...script, isWorkspaceWide } : script];
}

/** Words that make package managers visit some or all packages of a workspace. */
const workspaceOptions = /^(?:-r|--recursive|-ws|--workspaces|-F|--filter(?:=.*)?|workspaces)$/;

/** The scripts that `turbo run test`, `nx run-many -t test` and `lerna run test` run in all packages. */
function workspaceScripts([program = '', ...args]: readonly string[], folder: string): readonly NamedScript[] {
  const at = launchers.has(program) ? args.findIndex((word) => workspaceRunners.has(word)) : -1;
  const [runner = '', rest] = workspaceRunners.has(program) ? [program, args] : [args[at], args.slice(at + 1)];
  if (!workspaceRunners.has(runner)) return [];
  const names = rest.flatMap((word) => word.replace(/^--targets?=/, '').split(','));
  const plain = names.filter((name) => /^[\w:.]/.test(name) && !/^(?:run|run-many|affected|exec)$/.test(name));
  return plain.map((name) => ({ folder, name, isWorkspaceWide: true }));
}

const workspaceRunners: ReadonlySet<string> = new Set(['turbo', 'nx', 'lerna']);
const launchers: ReadonlySet<string> = new Set(['npx', 'pnpx', 'bunx', ...managers]);

/** The targets that a command makes: `make -C lib test`, `just test`, `task test`. */
function targetsOf([program = '', ...args]: readonly string[], folder: string): readonly NamedTarget[] {
  const runner = program === 'gmake' ? 'make' : program;
  if (runner !== 'make' && runner !== 'just' && runner !== 'task') return [];
  const { words, folders } = splitArguments(args);
  const names = words.filter((word) => /^[\w.:-]+$/.test(word)).slice(0, runner === 'just' ? 1 : undefined);
  return names.map((name) => ({ folder: joinPaths(folder, folders), program: runner, name }));
}

interface SplitArguments {
  /** The arguments that are neither options nor their values. */
  readonly words: readonly string[];
  /** The folders that options name. */
  readonly folders: readonly string[];
}

function splitArguments(args: readonly string[]): SplitArguments {
  const words: string[] = [];
  const folders: string[] = [];
  for (const [index, word] of args.entries()) {
    const before = args[index - 1] ?? '';
    const [, option = '', value = ''] = /^(--[\w-]+)=(.+)$/s.exec(word) ?? [];
    if (folderOptions.test(option)) folders.push(value);
    else if (valueOptions.test(before)) folders.push(...(folderOptions.test(before) ? [word] : []));
    else if (!word.startsWith('-')) words.push(word);
  }
  return { words, folders };
}

function joinPaths(folder: string, more: readonly string[]): string {
  return more.reduce(joinPath, folder);
}

/** The scripts of the same package that a package script runs. */
export function nestedScripts(script: string): readonly string[] {
  const own = parseCheckCommand(script).scripts.filter(({ folder }) => folder === '');
  return own.map(({ name }) => name);
}
