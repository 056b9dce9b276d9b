import type { CheckCommand } from '../../protocol/index.ts';
import { simpleCommands } from './shell/flat.ts';
import { parseShell } from './shell/line.ts';

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
}

/** Reads the words of a check. It need not understand the line: a word that is no file is dropped later. */
export function gateWords(check: CheckCommand, folderAtStart = ''): GateWords {
  const files: NamedFiles[] = [];
  const scripts: NamedScript[] = [];
  const targets: NamedTarget[] = [];
  const commands: NamedCommand[] = [];
  let folder = folderAtStart;
  for (const words of commandsOf(check)) {
    const command = withoutPrefixes(words);
    const [program = '', argument = ''] = command;
    const nested = nestedLine(command);
    if (nested !== undefined) {
      const inside = gateWords(nested, folder);
      files.push(...inside.files);
      scripts.push(...inside.scripts);
      targets.push(...inside.targets);
      commands.push(...inside.commands);
      continue;
    }
    if (!readsData.has(program)) {
      const onlyFirst = interpreters.test(program) && !command.some((word) => word === '--test' || word === '-m');
      files.push({ folder, names: command.flatMap(namesIn), onlyFirst });
    }
    if (program !== '') commands.push({ folder, words: command, readsData: readsData.has(program) });
    scripts.push(...scriptOf(command, folder), ...scriptsEverywhere(command, folder));
    targets.push(...targetsOf(command, folder));
    if (program === 'cd' && argument !== '') folder = joined(folder, argument);
  }
  return { files, scripts, targets, commands };
}

/** Programs that look at files as data: what they are given is the work, not what judges it. */
const readsData: ReadonlySet<string> = new Set(
  (
    '[ [[ test grep egrep fgrep rg ag ack cat head tail wc diff cmp jq yq awk sed ls stat file find cp mv rm touch ' +
    'mkdir ln tee sort uniq cut tr cd echo printf xmllint shellcheck eslint prettier tsc biome ruff black mypy flake8 ' +
    'pylint rustfmt gofmt markdownlint yamllint hadolint gcc g++ cc clang clang++ rustc javac'
  ).split(' '),
);

const interpreters =
  /^(?:sh|bash|dash|zsh|ksh|node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua)$/;
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
  return simpleCommands(parseShell(check).script).map(({ words, redirections }) => {
    const inputs = redirections.filter(({ operator }) => operator.endsWith('<')).map(({ target }) => target);
    return [...words, ...inputs].map(({ text }) => text);
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
