import path from 'node:path';
import {
  type NamedFiles,
  type NamedScript,
  nestedScripts,
  type ParsedCheck,
  parseCheckCommand,
} from '../../core/index.ts';
import { type CheckCommand, type Guard, type LoopConfig, protectionOf, usualTests } from '../../protocol/index.ts';
import { createPathMatcher, isFolder } from '../../workspace/index.ts';
import type { GuardPlace } from './guard.ts';
import { type GuardPlan, takeGuards } from './guards.ts';
import { linesOfTarget } from './make-target.ts';
import { matchingFiles } from './matching-files.ts';
import { membersOf, packageName } from './members.ts';
import { linesOfScript, manifestFolder } from './package-scripts.ts';
import { installedFolders } from './packages.ts';
import { isInSources, testHelpers } from './references.ts';
import { type SearchingLine, searchedFolders } from './search-places.ts';
import { type GatePlace, settingsOfCommands, settingsOfEnvironment, settingsOfProfiles } from './settings.ts';
import { shellLines } from './sourced.ts';

/** A command of the gate, or one that it runs through a package script, a makefile or a shell script. */
interface Line {
  readonly line: CheckCommand;
  readonly folder: string;
  /** Where it was found; undefined for the checks themselves. */
  readonly origin?: 'script' | 'target' | 'shell';
  /** Whether a package manager runs it, at any depth. */
  readonly isScript?: boolean;
}

const maxLines = 300;

/** Guards what the checks depend on, before any agent runs. `left` counts the guards above the limit. */
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

/** Where guards are evaluated: the work folder and the PATH. */
export function guardPlace({ workingDirectory, env }: GatePlace): GuardPlace {
  return { folder: workingDirectory, PATH: env['PATH'] ?? '', nestedScripts };
}

type Lists = Omit<GuardPlan, 'ignored' | 'isTest'>;
type Draft = { -readonly [Kind in keyof Lists]-?: NonNullable<Lists[Kind]>[number][] };

function planFor(checks: readonly CheckCommand[], place: GatePlace, isTest: (file: string) => boolean): GuardPlan {
  const { workingDirectory, env } = place;
  const plan: Draft = { files: [], scripts: [], targets: [], settings: [], programs: [], searched: [], installed: [] };
  const lines: Line[] = checks.map((line) => ({ line, folder: '' }));
  const searching: SearchingLine[] = [];
  for (const { line, folder, origin, isScript = false } of lines) {
    const environment = { ...env, PWD: path.resolve(workingDirectory, folder) };
    const parsed = parseCheckCommand(line, { folder, environment });
    const resolved = {
      ...parsed,
      files: parsed.files.flatMap((named) => resolveFiles(named, workingDirectory, isTest)),
      scripts: parsed.scripts.flatMap((script) => resolveScripts(script, workingDirectory)),
    };
    plan.files.push(...filesToGuard(resolved, origin, isTest));
    // A script or target of the same folder is already part of the guard of the one that runs it.
    plan.scripts.push(...resolved.scripts.filter((script) => origin !== 'script' || script.folder !== folder));
    plan.targets.push(...resolved.targets.filter((target) => origin !== 'target' || target.folder !== folder));
    plan.settings.push(
      ...settingsOfCommands(resolved, place),
      ...settingsOfProfiles(line, place),
      ...(origin === undefined ? missingFiles(parsed) : []),
    );
    plan.programs.push(...programsToGuard(resolved, isScript ? 'bin' : 'path'));
    searching.push({ commands: resolved.commands, folder, isScript });
    if (lines.length < maxLines) {
      const nested = [
        ...nestedLines(resolved, { workingDirectory, isScript }),
        ...linesOfShellScripts(resolved, place, isScript),
      ];
      lines.push(...nested.filter(isNewIn(lines)));
    }
  }
  if (checks.some((check) => typeof check === 'string')) {
    plan.programs.push({ folder: '', name: 'sh', by: 'path', isFirst: true });
  }
  plan.files.push({ folder: '', names: testHelpers(workingDirectory, isTest), onlyFirst: false, effect: 'report' });
  plan.searched.push(...searchedFolders(searching, { workFolder: workingDirectory, PATH: env['PATH'] ?? '' }));
  plan.settings.push(...settingsOfEnvironment(plan.searched, place));
  plan.installed.push(
    ...installedFolders(
      workingDirectory,
      searching.map((each) => each.folder),
    ),
  );
  return { ...plan, isTest, ignored: true };
}

/** The files that patterns match now, without tests, which are protected separately, and without sources. */
function resolveFiles(
  named: NamedFiles,
  workingDirectory: string,
  isTest: (file: string) => boolean,
): ParsedCheck['files'] {
  if (named.isPattern !== true) return [named];
  const from = path.resolve(workingDirectory, named.folder);
  const found = named.names.flatMap((pattern) => matchingFiles(from, pattern));
  const names = found.filter((name) => {
    const file = path.join(named.folder, name);
    return !isTest(file) && !isInSources(file);
  });
  return [{ folder: named.folder, names, onlyFirst: false }];
}

/** Files named by a check are guarded; files named by a script that it runs, only if they look like part of the check. */
function filesToGuard(
  { files }: ParsedCheck,
  origin: Line['origin'],
  isTest: (file: string) => boolean,
): GuardPlan['files'] {
  if (origin === undefined) return files;
  const effect = origin === 'shell' ? ('report' as const) : ('refuse' as const);
  const isCheck = (file: string) => looksLikeCheck.test(file) && !isTest(file);
  // What a shell script calls is the work that it judges, unless its folder or name says otherwise.
  const isCheckInShell = (file: string) => isCheck(file) && !isInSources(file) && namesCheck.test(file);
  const isGuarded = origin === 'shell' ? isCheckInShell : isCheck;
  return files.map((named) => ({ ...named, isGuarded, effect }));
}

function linesOfShellScripts(
  { files }: ParsedCheck,
  { workingDirectory }: GatePlace,
  isScript: boolean,
): readonly Line[] {
  return files.flatMap(({ folder, names, onlyFirst }) => {
    const texts = names.flatMap((name) => shellLines(path.resolve(workingDirectory, folder, name)) ?? []);
    return (onlyFirst ? texts.slice(0, 1) : texts).map((line) => ({
      line,
      folder,
      origin: 'shell' as const,
      isScript,
    }));
  });
}

/** The packages whose script a command runs: the nearest one at or above its folder, or those of a workspace. */
export function resolveScripts(
  { folder, name, isWorkspaceWide }: NamedScript,
  workingDirectory: string,
): readonly NamedScript[] {
  const at = (place: string) => path.resolve(workingDirectory, place);
  if (isWorkspaceWide === true) {
    return ['', ...membersOf(at(folder))].map((member) => ({ folder: path.join(folder, member), name }));
  }
  // In "npm -w NAME test", NAME may be the name of a package.
  const isName = folder !== '' && !isFolder(at(folder));
  const named = isName ? membersOf(workingDirectory).find((member) => packageName(at(member)) === folder) : undefined;
  return [{ folder: named ?? manifestFolder(workingDirectory, folder), name }];
}

/** Files that a check names and that may not exist yet: whoever writes them decides the result of the check. */
function missingFiles({ commands, scripts, targets }: ParsedCheck): GuardPlan['settings'] {
  const files = commands.flatMap(({ folder, words: [program = '', ...args] }) => {
    const script = args.find((word) => /^[^-].*\.(?:sh|py|rb|pl|php|[cm]?[jt]s)$/.test(word));
    return [program, ...(script === undefined ? [] : [script])]
      .filter((name) => name.includes('/') || name === script)
      .map((name) => ({ folder, name, mode: 'report' as const }));
  });
  const isOwn = ({ isWorkspaceWide }: NamedScript) => isWorkspaceWide !== true;
  const packages = scripts.filter(isOwn).map(({ folder, name }) => ({ folder, name: `package.json#scripts.${name}` }));
  const makefiles = targets.map(({ folder, program, name }) => ({ folder, name: `${defaultFile[program]}#${name}` }));
  return [...files, ...[...packages, ...makefiles].map((each) => ({ ...each, mode: 'report' as const }))];
}

const defaultFile = { make: 'Makefile', just: 'justfile', task: 'Taskfile.yml' } as const;

/** Programs that start a program installed for the project. */
const launchers = /^(?:npx|pnpx|bunx|npm|pnpm|yarn|bun|uv|uvx|poetry|pipenv|pdm|hatch|rye|bundle|composer)$/;

function programsToGuard({ commands }: ParsedCheck, by: 'bin' | 'path'): GuardPlan['programs'] {
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

/** Scripts that build the work and do not judge it. */
export const isBuildScript =
  /^(?:pre|post)?(?:build|compile|bundle|prepare|generate|codegen|start|dev|serve|clean|install)/;

function nestedLines({ scripts, targets }: ParsedCheck, from: LinePlace): readonly Line[] {
  const { workingDirectory } = from;
  const lineFrom = (folder: string, origin: Line['origin'] & string) => (line: string) => ({
    line,
    folder,
    origin,
    isScript: from.isScript || origin === 'script',
  });
  const judging = scripts.filter(({ name }) => !isBuildScript.test(name));
  return [
    ...judging.flatMap(({ folder, name }) =>
      linesOfScript(path.resolve(workingDirectory, folder), name).map(lineFrom(folder, 'script')),
    ),
    ...targets.flatMap(({ folder, program, name }) =>
      linesOfTarget(path.resolve(workingDirectory, folder), program, name).map(lineFrom(folder, 'target')),
    ),
  ];
}

function isNewIn(known: readonly Line[]): (line: Line) => boolean {
  const same = new Set(known.map(({ line, folder }) => JSON.stringify([folder, line])));
  return ({ line, folder }) => !same.has(JSON.stringify([folder, line]));
}

const namesCheck = /(?:^|\/)(?:scripts?|tools?|ci|\.ci|hack|checks?)\/|test|check|verify|spec|lint|judge/i;

/** Such a file was not named by the user: it may be the work, or a test to change, unless it looks like a check. */
const looksLikeCheck = new RegExp(
  [
    String.raw`(?:^|\/)(?:scripts?|tools?|ci|\.ci|hack)\/`,
    String.raw`\.(?:ba|z|k)?sh$`,
    String.raw`(?:^|[/._-])(?:run)?(?:tests?|checks?|verify|specs?|lint|config)(?:[._-][^/]*)?$`,
    String.raw`(?:^|\/)\.\w+rc(?:\.\w+)?$`,
  ].join('|'),
  'i',
);
