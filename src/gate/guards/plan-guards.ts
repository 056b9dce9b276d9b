import path from 'node:path';
import { type GateWords, gateWords, type NamedFiles, type NamedScript, scriptsIn } from '../../core/index.ts';
import { type CheckCommand, type Guard, type LoopConfig, protectionOf, usualTests } from '../../protocol/index.ts';
import { createPathMatcher, isFolder } from '../../workspace/index.ts';
import type { GuardPlace } from './guard.ts';
import { type GuardPlan, takeGuards } from './guards.ts';
import { installedFolders } from './installed-folders.ts';
import { linesOfTarget } from './make-target.ts';
import { matchingFiles } from './matching-files.ts';
import { membersOf, packageName } from './members.ts';
import { linesOfScript, manifestFolder } from './package-scripts.ts';
import { type SearchingLine, searchedFolders } from './search-places.ts';
import { shellLines } from './sourced.ts';
import { type GatePlace, profileSteers, steersAround, steersFor } from './steers.ts';
import { isInSources } from './taken-in.ts';
import { helpersOfTests } from './taken-in-by-tests.ts';

/** A command that the gate runs, or one that stands behind it in a package script or a makefile. */
interface Line {
  readonly line: CheckCommand;
  readonly folder: string;
  /** What it stands in, where nobody named it to us. */
  readonly inside?: 'script' | 'target' | 'shell';
  /** Whether a package manager runs it, at whatever depth. */
  readonly isScript?: boolean;
}

const maxLines = 300;

/** The digests of what the checks depend on, taken before any agent runs, and how many were too many. */
export function guardsOf(
  { guard, protect }: LoopConfig,
  checks: readonly CheckCommand[],
  place: GatePlace,
): { readonly guards?: Guard[]; readonly left: number } {
  if (!guard) return { left: 0 };
  const isTest = createPathMatcher([...usualTests, ...protectionOf(protect).paths]);
  const plan = planFor(checks, place, isTest);
  const { guards, left } = takeGuards(plan, guardPlace(place));
  return { ...(guards.length === 0 ? {} : { guards: [...guards] }), left };
}

/** Where guards are looked at: the work folder, and what is on the PATH. */
export function guardPlace({ workingDirectory, env }: GatePlace): GuardPlace {
  return { folder: workingDirectory, PATH: env['PATH'] ?? '', scriptsIn };
}

type Lists = Omit<GuardPlan, 'ignored' | 'isTest'>;
type Draft = { -readonly [Kind in keyof Lists]-?: NonNullable<Lists[Kind]>[number][] };

function planFor(checks: readonly CheckCommand[], place: GatePlace, isTest: (file: string) => boolean): GuardPlan {
  const { workingDirectory, env } = place;
  const plan: Draft = { files: [], scripts: [], targets: [], steers: [], programs: [], searched: [], installed: [] };
  const lines: Line[] = checks.map((line) => ({ line, folder: '' }));
  const searching: SearchingLine[] = [];
  for (const { line, folder, inside, isScript = false } of lines) {
    const environment = { ...env, PWD: path.resolve(workingDirectory, folder) };
    const read = gateWords(line, { folder, environment });
    const words = {
      ...read,
      files: read.files.flatMap((named) => filesMeant(named, workingDirectory, isTest)),
      scripts: read.scripts.flatMap((script) => scriptsMeant(script, workingDirectory)),
    };
    plan.files.push(...filesIn(words, inside, isTest));
    // What stands behind in the same folder is already a part of what led there.
    plan.scripts.push(...words.scripts.filter((script) => inside !== 'script' || script.folder !== folder));
    plan.targets.push(...words.targets.filter((target) => inside !== 'target' || target.folder !== folder));
    plan.steers.push(
      ...steersFor(words, place),
      ...profileSteers(line, place),
      ...(inside === undefined ? yetToCome(read) : []),
    );
    plan.programs.push(...programsIn(words, isScript ? 'bin' : 'path'));
    searching.push({ commands: words.commands, folder, isScript });
    if (lines.length < maxLines) {
      const behind = [...linesBehind(words, { workingDirectory, isScript }), ...shellLinesOf(words, place, isScript)];
      lines.push(...behind.filter(isNewIn(lines)));
    }
  }
  if (checks.some((check) => typeof check === 'string')) {
    plan.programs.push({ folder: '', name: 'sh', by: 'path', isFirst: true });
  }
  plan.files.push({ folder: '', names: helpersOfTests(workingDirectory, isTest), onlyFirst: false, effect: 'report' });
  plan.searched.push(...searchedFolders(searching, { workFolder: workingDirectory, PATH: env['PATH'] ?? '' }));
  plan.steers.push(...steersAround(plan.searched, place));
  plan.installed.push(
    ...installedFolders(
      workingDirectory,
      searching.map((each) => each.folder),
    ),
  );
  return { ...plan, isTest, ignored: true };
}

/** The files that patterns stand for now, without tests, which are protected as such, and without the sources. */
function filesMeant(
  named: NamedFiles,
  workingDirectory: string,
  isTest: (file: string) => boolean,
): GateWords['files'] {
  if (named.isPattern !== true) return [named];
  const from = path.resolve(workingDirectory, named.folder);
  const found = named.names.flatMap((pattern) => matchingFiles(from, pattern));
  const names = found.filter((name) => {
    const file = path.join(named.folder, name);
    return !isTest(file) && !isInSources(file);
  });
  return [{ folder: named.folder, names, onlyFirst: false }];
}

/** What a line names is guarded; what stands in a script behind it only if it looks like a part of the check. */
function filesIn({ files }: GateWords, inside: Line['inside'], isTest: (file: string) => boolean): GuardPlan['files'] {
  if (inside === undefined) return files;
  const effect = inside === 'shell' ? ('report' as const) : ('refuse' as const);
  const judging = judges(isTest);
  // What a shell script calls is the work that it judges, unless its place or name says otherwise.
  const isPart = (file: string) => judging(file) && !isInSources(file) && namesCheck.test(file);
  const fits = inside === 'shell' ? isPart : judging;
  return files.map((named) => ({ ...named, fits, effect }));
}

/** The lines of the shell scripts that a line runs. */
function shellLinesOf({ files }: GateWords, { workingDirectory }: GatePlace, isScript: boolean): readonly Line[] {
  return files.flatMap(({ folder, names, onlyFirst }) => {
    const texts = names.flatMap((name) => shellLines(path.resolve(workingDirectory, folder, name)) ?? []);
    return (onlyFirst ? texts.slice(0, 1) : texts).map((line) => ({
      line,
      folder,
      inside: 'shell' as const,
      isScript,
    }));
  });
}

/** The packages whose script a command runs: the next one above its folder, or those of a workspace. */
export function scriptsMeant(
  { folder, name, everywhere }: NamedScript,
  workingDirectory: string,
): readonly NamedScript[] {
  const at = (place: string) => path.resolve(workingDirectory, place);
  if (everywhere === true) {
    return ['', ...membersOf(at(folder))].map((member) => ({ folder: path.join(folder, member), name }));
  }
  // "npm -w NAME test" may mean the name of a package.
  const isName = folder !== '' && !isFolder(at(folder));
  const named = isName ? membersOf(workingDirectory).find((member) => packageName(at(member)) === folder) : undefined;
  return [{ folder: named ?? manifestFolder(workingDirectory, folder), name }];
}

/** What a check names and is not there yet: whoever writes it decides what the check says. */
function yetToCome({ commands, scripts, targets }: GateWords): GuardPlan['steers'] {
  const files = commands.flatMap(({ folder, words: [program = '', ...args] }) => {
    const script = args.find((word) => /^[^-].*\.(?:sh|py|rb|pl|php|[cm]?[jt]s)$/.test(word));
    return [program, ...(script === undefined ? [] : [script])]
      .filter((name) => name.includes('/') || name === script)
      .map((name) => ({ folder, name, mode: 'report' as const }));
  });
  const isOwn = ({ everywhere }: NamedScript) => everywhere !== true;
  const packages = scripts.filter(isOwn).map(({ folder, name }) => ({ folder, name: `package.json#scripts.${name}` }));
  const makefiles = targets.map(({ folder, program, name }) => ({ folder, name: `${usualFile[program]}#${name}` }));
  return [...files, ...[...packages, ...makefiles].map((each) => ({ ...each, mode: 'report' as const }))];
}

const usualFile = { make: 'Makefile', just: 'justfile', task: 'Taskfile.yml' } as const;

/** What starts a program that is installed for the project. */
const launchers = /^(?:npx|pnpx|bunx|npm|pnpm|yarn|bun|uv|uvx|poetry|pipenv|pdm|hatch|rye|bundle|composer)$/;

function programsIn({ commands }: GateWords, by: 'bin' | 'path'): GuardPlan['programs'] {
  return commands.flatMap(({ folder, words, readsData }) => {
    const [program = '', ...args] = words;
    const first = args.find((word) => !word.startsWith('-') && !/^(?:run|exec|x|dlx|tool)$/.test(word));
    const launched = launchers.test(program) && first !== 'test' ? first : undefined;
    const rest = readsData
      ? []
      : args.map((name) => ({ folder, name, by: 'run' as const, isFirst: name === launched }));
    return [{ folder, name: program, by, isFirst: true }, ...rest].filter(({ name }) => /^\w[\w.-]*$/.test(name));
  });
}

interface LinePlace {
  readonly workingDirectory: string;
  readonly isScript: boolean;
}

/** Scripts that make the work, and do not judge it. */
export const builds = /^(?:pre|post)?(?:build|compile|bundle|prepare|generate|codegen|start|dev|serve|clean|install)/;

function linesBehind({ scripts, targets }: GateWords, from: LinePlace): readonly Line[] {
  const { workingDirectory } = from;
  const behind = (folder: string, inside: Line['inside'] & string) => (line: string) => ({
    line,
    folder,
    inside,
    isScript: from.isScript || inside === 'script',
  });
  const judging = scripts.filter(({ name }) => !builds.test(name));
  return [
    ...judging.flatMap(({ folder, name }) =>
      linesOfScript(path.resolve(workingDirectory, folder), name).map(behind(folder, 'script')),
    ),
    ...targets.flatMap(({ folder, program, name }) =>
      linesOfTarget(path.resolve(workingDirectory, folder), program, name).map(behind(folder, 'target')),
    ),
  ];
}

function isNewIn(known: readonly Line[]): (line: Line) => boolean {
  const same = new Set(known.map(({ line, folder }) => JSON.stringify([folder, line])));
  return ({ line, folder }) => !same.has(JSON.stringify([folder, line]));
}

const namesCheck = /(?:^|\/)(?:scripts?|tools?|ci|\.ci|hack|checks?)\/|test|check|verify|spec|lint|judge/i;

/** Nobody named such a file to us: only what looks like a check is one. It may well be the work, or a test to change. */
const looksLikeCheck = new RegExp(
  [
    String.raw`(?:^|\/)(?:scripts?|tools?|ci|\.ci|hack)\/`,
    String.raw`\.(?:ba|z|k)?sh$`,
    String.raw`(?:^|[/._-])(?:run)?(?:tests?|checks?|verify|specs?|lint|config)(?:[._-][^/]*)?$`,
    String.raw`(?:^|\/)\.\w+rc(?:\.\w+)?$`,
  ].join('|'),
  'i',
);

function judges(isTest: (file: string) => boolean): (file: string) => boolean {
  return (file) => looksLikeCheck.test(file) && !isTest(file);
}
