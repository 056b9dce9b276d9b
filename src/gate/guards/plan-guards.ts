import path from 'node:path';
import { type GateWords, gateWords, type NamedScript, scriptsIn, steersOf } from '../../core/index.ts';
import { type CheckCommand, type Guard, type LoopConfig, protectionOf, usualTests } from '../../protocol/index.ts';
import { createPathMatcher, isFolder } from '../../workspace/index.ts';
import type { GuardPlace } from './guard.ts';
import { type GuardWish, takeGuards } from './guards.ts';
import { linesOfTarget } from './make-target.ts';
import { membersOf, packageName } from './members.ts';
import { linesOfScript, manifestFolder } from './package-scripts.ts';

/** Where the gate will run. */
export interface GatePlace {
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A command that the gate runs, or one that stands behind it in a package script or a makefile. */
interface Line {
  readonly line: CheckCommand;
  readonly folder: string;
  /** What it stands in, where nobody named it to us. */
  readonly inside?: 'script' | 'target';
}

const mostLines = 200;

/** The digests of what the checks depend on, taken before any agent runs, and how many were too many. */
export function guardsOf(
  { guard, protect }: LoopConfig,
  checks: readonly CheckCommand[],
  place: GatePlace,
): { readonly guards?: Guard[]; readonly left: number } {
  if (!guard) return { left: 0 };
  const isTest = createPathMatcher([...usualTests, ...protectionOf(protect).paths]);
  const wish = wishFor(checks, place, isTest);
  const { guards, left } = takeGuards(wish, guardPlace(place));
  return { ...(guards.length === 0 ? {} : { guards: guards.map((each) => ({ ...each })) }), left };
}

/** Where guards are looked at: the work folder, and what is on the PATH. */
export function guardPlace({ workingDirectory, env }: GatePlace): GuardPlace {
  return { folder: workingDirectory, PATH: env['PATH'] ?? '', scriptsIn };
}

type Wishes = { -readonly [Kind in keyof GuardWish]: GuardWish[Kind][number][] };

function wishFor(checks: readonly CheckCommand[], place: GatePlace, isTest: (file: string) => boolean): GuardWish {
  const { workingDirectory } = place;
  const wish: Wishes = { files: [], scripts: [], targets: [], steers: [], programs: [] };
  const lines: Line[] = checks.map((line) => ({ line, folder: '' }));
  for (const { line, folder, inside } of lines) {
    const said = gateWords(line, folder);
    const words = { ...said, scripts: said.scripts.flatMap((script) => scriptsMeant(script, workingDirectory)) };
    // What stands behind in the same folder is already a part of what led there.
    wish.files.push(...words.files.map((named) => (inside !== undefined ? { ...named, fits: judges(isTest) } : named)));
    wish.scripts.push(...words.scripts.filter((script) => inside !== 'script' || script.folder !== folder));
    wish.targets.push(...words.targets.filter((target) => inside !== 'target' || target.folder !== folder));
    wish.steers.push(...steersFor(words, place), ...(inside === undefined ? yetToCome(said) : []));
    wish.programs.push(...programsIn(words, inside === 'script' ? 'bin' : 'path'));
    if (lines.length < mostLines) lines.push(...linesBehind(words, workingDirectory).filter(isNewIn(lines)));
  }
  return wish;
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

/** What has a say besides: seen from where a command runs, and from the work folder, where many tools look too. */
function steersFor({ commands }: GateWords, { env }: GatePlace): GuardWish['steers'] {
  const home = env['HOME'];
  const steers = commands.flatMap(({ folder, words }) =>
    steersOf(words).flatMap(({ name, mode }) => {
      if (name.startsWith('~/')) {
        return home === undefined ? [] : [{ folder: '', name: path.join(home, name.slice(2)), mode }];
      }
      const places = mode === 'appear' ? [folder] : new Set([folder, '']);
      return [...places].map((place) => ({ folder: place, name, mode }));
    }),
  );
  // Shells read these before anything else.
  const started = ['BASH_ENV', 'ENV'].flatMap((name) => env[name] ?? []).filter((file) => path.isAbsolute(file));
  return [...steers, ...started.map((name) => ({ folder: '', name, mode: 'refuse' as const }))];
}

/** What a check names and is not there yet: whoever writes it decides what the check says. */
function yetToCome({ commands, scripts, targets }: GateWords): GuardWish['steers'] {
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

function programsIn({ commands }: GateWords, by: 'bin' | 'path'): GuardWish['programs'] {
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

/** Scripts that make the work, and do not judge it. */
export const builds = /^(?:pre|post)?(?:build|compile|bundle|prepare|generate|codegen|start|dev|serve|clean|install)/;

function linesBehind({ scripts, targets }: GateWords, workingDirectory: string): readonly Line[] {
  const behind = (folder: string, inside: Line['inside'] & string) => (line: string) => ({ line, folder, inside });
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
