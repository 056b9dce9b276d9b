import type { CheckCommand } from '../../protocol/index.ts';
import {
  checksSyntax,
  isInterpreter,
  patternsListed,
  patternsRun,
  runsGivenFiles,
  startedCommand,
} from './run-files.ts';
import { loopsIn, simpleCommands } from './shell/flat.ts';
import { parseShell } from './shell/line.ts';
import type { SimpleCommand } from './shell/tree.ts';
import { assign, type Environment, give, type Variables, withValues } from './variables.ts';

/** What a check names that may decide what it says. */
export interface GateWords {
  readonly files: readonly NamedFiles[];
  /** Names of package scripts. */
  readonly scripts: readonly NamedScript[];
  /** Names of targets of a makefile, a justfile or a Taskfile. */
  readonly targets: readonly NamedTarget[];
  /** The commands themselves, for what else has a say in what they run. */
  readonly commands: readonly NamedCommand[];
}

/** A command of a line, and where the line had gone to before it. */
export interface NamedCommand {
  readonly folder: string;
  readonly words: readonly string[];
  /** Whether it only looks at files: what it is given is the work, not what judges it. */
  readonly readsData: boolean;
  /** The PATHs that the line itself sets. */
  readonly paths?: readonly string[];
}

/** A package script, and the folder of its package. */
export interface NamedScript {
  readonly folder: string;
  readonly name: string;
  /** Of the packages of a workspace, and not only of this one. */
  readonly everywhere?: true;
}

/** A target, and where its file lies. */
export interface NamedTarget extends Pick<NamedScript, 'folder' | 'name'> {
  readonly program: 'make' | 'just' | 'task';
}

/** Words of one command that may be files. */
export interface NamedFiles {
  /** Where the line had gone to before it. */
  readonly folder: string;
  readonly names: readonly string[];
  /** Only the first that is a file decides anything: the rest is what it works on. */
  readonly onlyFirst: boolean;
  /** The names are patterns, such as `ci/*.sh` and `ci/**\/*.sh`. */
  readonly isPattern?: true;
}

/** Where a line begins, and what its variables stand for. */
export interface LineStart {
  readonly folder?: string;
  readonly environment?: Environment;
}

/** Reads the words of a check. It need not understand the line: a word that is no file is dropped later. */
export function gateWords(check: CheckCommand, { folder = '', environment = {} }: LineStart = {}): GateWords {
  const lists: Lists = { files: [], scripts: [], targets: [], commands: [] };
  const variables: Variables = { environment, assigned: new Map() };
  const place = { folder, listed: [] as readonly string[] };
  for (const words of valuedCommands(check, variables)) readCommand(words, { place, variables, lists });
  return lists;
}

type Lists = { -readonly [Kind in keyof GateWords]: GateWords[Kind][number][] };

interface Reading {
  /** Where the line has gone to, and the patterns of the files that were listed last. */
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
    const inside = gateWords(nested, { folder, environment: { ...variables.environment, ...assigned } });
    lists.files.push(...inside.files);
    lists.scripts.push(...inside.scripts);
    lists.targets.push(...inside.targets);
    lists.commands.push(...inside.commands);
    return;
  }
  const paths = variables.assigned.get('PATH');
  if (!readsData.has(program) && !checksSyntax(command)) {
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
  lists.scripts.push(...scriptOf(command, folder), ...scriptsEverywhere(command, folder));
  lists.targets.push(...targetsOf(command, folder));
  const started = startedCommand(command);
  if (started !== undefined && program === 'find') readCommand(started, reading);
  if (program === 'cd' && argument !== '') place.folder = joined(folder, argument);
}

const isPattern = true;

/** The patterns of the files that a command runs, also by `find … -exec sh {} +` and `find … | xargs sh`. */
function patternsIn(command: readonly string[], place: Reading['place']): readonly (readonly string[])[] {
  const listed = patternsListed(command);
  if (listed.length > 0) place.listed = listed;
  const started = startedCommand(command);
  const found = started !== undefined && runsGivenFiles(started) ? place.listed : [];
  return [patternsRun(command), found].filter(({ length }) => length > 0);
}

/** Programs that look at files as data: what they are given is the work, not what judges it. */
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

/** A word as it stands, and the value of one such as `--config=check.json`. */
function namesIn(word: string): readonly string[] {
  const value = /^[-\w]+=(.+)$/s.exec(word)?.[1];
  return value === undefined ? [word] : [word, value];
}

function joined(folder: string, next: string): string {
  return folder === '' || next.startsWith('/') ? next : `${folder}/${next}`;
}

/** The commands of a line, each without what only stands before it. */
export function plainCommands(check: CheckCommand): readonly (readonly string[])[] {
  return commandsOf(check)
    .map(withoutPrefixes)
    .filter(({ length }) => length > 0);
}

/** The commands of a line as lists of words, without what its output is written to: a check may change that itself. */
function commandsOf(check: CheckCommand): readonly (readonly string[])[] {
  if (typeof check !== 'string') return [check];
  return simpleCommands(parseShell(check).script).map(plainWordsOf);
}

function plainWordsOf({ words, redirections }: SimpleCommand): readonly string[] {
  const inputs = redirections.filter(({ operator }) => operator.endsWith('<')).map(({ target }) => target);
  return [...words, ...inputs].map(({ text }) => text);
}

/** The same with the values of variables, as far as the line or its environment tell them. */
function valuedCommands(check: CheckCommand, variables: Variables): readonly (readonly string[])[] {
  if (typeof check !== 'string') return [check];
  const { script } = parseShell(check);
  for (const { header } of loopsIn(script)) {
    const [name, , ...values] = header;
    const listed = values.flatMap(({ text, substitutions }) =>
      substitutions.length === 0
        ? [text]
        : substitutions.flatMap(simpleCommands).map(plainWordsOf).flatMap(patternsListed),
    );
    if (name !== undefined) give(variables, name.text, listed);
  }
  return simpleCommands(script).flatMap((command) => {
    const words = plainWordsOf(command);
    const assigning = /^(?:export|declare|local|readonly|env)$/.test(words[0] ?? '') ? words.slice(1) : [];
    for (const word of [...command.assignments.map(({ text }) => text), ...assigning]) assign(variables, word);
    return withValues(words, variables);
  });
}

const managers: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);

/** Options of package managers and of make that are followed by a value. */
const withValue = /^(?:-w|--workspace|-F|--filter|--prefix|-C|--dir|--directory|--cwd|-f|--file|-j)$/;
/** Those of them that say where the package or the makefile is. */
const saysWhere = /^(?:-w|--workspace|--prefix|-C|--dir|--directory|--cwd)$/;

/** The package script that a command runs: `npm test`, `pnpm run -s lint`, `npm --prefix web test`. */
function scriptOf([program = '', ...args]: readonly string[], folder: string): readonly NamedScript[] {
  if (!managers.has(program)) return [];
  const { words, where } = plainWords(args);
  const everywhere = args.some((word) => inMembers.test(word));
  const [name] = words.filter((word) => !/^(?:run|run-script|workspaces|foreach)$/.test(word));
  if (name === undefined) return [];
  const script = { folder: joinedAll(folder, where), name: name === 't' || name === 'tst' ? 'test' : name };
  return [everywhere ? { ...script, everywhere } : script];
}

/** What has package managers go through the packages of a workspace, or some of them. */
const inMembers = /^(?:-r|--recursive|-ws|--workspaces|-F|--filter(?:=.*)?|workspaces)$/;

/** Programs that run scripts of all packages: `turbo run test`, `nx run-many -t test`, `lerna run test`. */
function scriptsEverywhere([program = '', ...args]: readonly string[], folder: string): readonly NamedScript[] {
  const at = launchers.has(program) ? args.findIndex((word) => runsEverywhere.has(word)) : -1;
  const [runs = '', rest] = runsEverywhere.has(program) ? [program, args] : [args[at], args.slice(at + 1)];
  if (!runsEverywhere.has(runs)) return [];
  const names = rest.flatMap((word) => word.replace(/^--targets?=/, '').split(','));
  const plain = names.filter((name) => /^[\w:.]/.test(name) && !/^(?:run|run-many|affected|exec)$/.test(name));
  return plain.map((name) => ({ folder, name, everywhere: true }));
}

const runsEverywhere: ReadonlySet<string> = new Set(['turbo', 'nx', 'lerna']);
const launchers: ReadonlySet<string> = new Set(['npx', 'pnpx', 'bunx', ...managers]);

/** The targets that a command makes: `make -C lib test`, `just test`, `task test`. */
function targetsOf([program = '', ...args]: readonly string[], folder: string): readonly NamedTarget[] {
  const runs = program === 'gmake' ? 'make' : program;
  if (runs !== 'make' && runs !== 'just' && runs !== 'task') return [];
  const { words, where } = plainWords(args);
  const names = words.filter((word) => /^[\w.:-]+$/.test(word)).slice(0, runs === 'just' ? 1 : undefined);
  return names.map((name) => ({ folder: joinedAll(folder, where), program: runs, name }));
}

/** The arguments that are no options, and the folders that options name. */
function plainWords(args: readonly string[]): { readonly words: readonly string[]; readonly where: readonly string[] } {
  const words: string[] = [];
  const where: string[] = [];
  for (const [index, word] of args.entries()) {
    const before = args[index - 1] ?? '';
    const [, option = '', value = ''] = /^(--[\w-]+)=(.+)$/s.exec(word) ?? [];
    if (saysWhere.test(option)) where.push(value);
    else if (withValue.test(before)) where.push(...(saysWhere.test(before) ? [word] : []));
    else if (!word.startsWith('-')) words.push(word);
  }
  return { words, where };
}

function joinedAll(folder: string, more: readonly string[]): string {
  return more.reduce(joined, folder);
}

/** The package scripts that a script runs in turn, of the same package. */
export function scriptsIn(script: string): readonly string[] {
  const own = gateWords(script).scripts.filter(({ folder }) => folder === '');
  return own.map(({ name }) => name);
}
