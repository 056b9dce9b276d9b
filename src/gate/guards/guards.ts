import path from 'node:path';
import { guardId } from '../../core/index.ts';
import { absent, type Guard } from '../../protocol/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { changesOf, type GuardChange, type GuardPlace, lookAgain } from './guard.ts';
import { isReplaceable, realOf } from './installed.ts';
import { shebangOf } from './interpreter.ts';
import { type TargetProgram, targetFile } from './make-target.ts';
import { namedInConfig } from './named-in-config.ts';
import { filesNamed, newNames } from './names.ts';
import { type ProgramName, programFile } from './program.ts';
import { sourcedBy } from './sourced.ts';
import { partOfCheck, takenInBy } from './taken-in.ts';
import { filesAt, isInside, treeOf } from './tree.ts';

/** What to guard: words that may be files, names of scripts and targets, and what else affects the checks. */
export interface GuardPlan {
  readonly files: readonly {
    readonly folder: string;
    readonly names: readonly string[];
    readonly onlyFirst: boolean;
    /** Which of the files that are found shall be guarded; all unless given. */
    readonly fits?: (path: string) => boolean;
    readonly effect?: Guard['effect'];
  }[];
  readonly targets: readonly { readonly folder: string; readonly program: TargetProgram; readonly name: string }[];
  readonly scripts: readonly { readonly folder: string; readonly name: string }[];
  /** Files, names with `*` and parts of files, and what a change of them comes to. */
  readonly steers: readonly {
    readonly folder: string;
    readonly name: string;
    readonly mode: 'refuse' | 'report' | 'appear';
  }[];
  /** Words that may be programs; of one that is no first word only what is found counts. */
  readonly programs: readonly (ProgramName & { readonly isFirst: boolean })[];
  /** Folders in which the checks look for programs. */
  readonly searched?: readonly string[];
  /** Folders with installed packages. */
  readonly installed?: readonly string[];
  /** Which files are tests: what a check takes in of those is protected as a test. */
  readonly isTest?: (path: string) => boolean;
  /** Whether to note what git ignores. */
  readonly ignored?: boolean;
}

/** Guards, and how many more there would have been. */
export interface TakenGuards {
  readonly guards: readonly Guard[];
  readonly left: number;
}

const maxGuards = 600;

/** Takes the digests of what checks depend on. What refuses comes first, so that it is the last to be left out. */
export function takeGuards(plan: GuardPlan, place: GuardPlace): TakenGuards {
  const { searched = [], installed = [], ignored = false } = plan;
  const files = namedFiles(plan, place);
  const programs = programGuards([...plan.programs, ...runnersOf(files, place)], place);
  const steering = steeringGuards(plan, place);
  const all: readonly Guard[] = [
    ...files.filter(({ effect }) => effect === 'refuse'),
    ...targetGuards(plan, place),
    ...scriptGuards(plan, place),
    ...searched.map((folder) =>
      lookAgain({ kind: 'programs', folder, existed: false, programs: [], effect: 'refuse' }, place),
    ),
    ...programs,
    ...interpreterGuards(files, programs, place),
    ...steering.filter(({ effect }) => effect === 'refuse'),
    ...installed.map((folder) => lookAgain({ kind: 'packages', folder, packages: [], effect: 'report' }, place)),
    ...(ignored ? [lookAgain({ kind: 'ignored', paths: [], written: [], effect: 'report' }, place)] : []),
    ...files.filter(({ effect }) => effect === 'report'),
    ...steering.filter(({ effect }) => effect === 'report'),
  ];
  const guards = uniqueGuards(all);
  return { guards: guards.slice(0, maxGuards), left: Math.max(0, guards.length - maxGuards) };
}

/** The first guard of each thing: what refuses stands before what only reports. */
function uniqueGuards(guards: readonly Guard[]): readonly Guard[] {
  const first = new Map<string, Guard>();
  for (const guard of guards) {
    if (!first.has(guardId(guard))) first.set(guardId(guard), guard);
  }
  return [...first.values()];
}

/** Those that are not what they were: edited, deleted, replaced by something else, or new. */
export function changedGuards(guards: readonly Guard[], place: GuardPlace): readonly GuardChange[] {
  const checked = new Set(guards.flatMap((guard) => (guard.kind === 'program' ? [guard.name] : [])));
  return guards.flatMap((guard) => changesOf(guard, place, checked));
}

/** The same as it is now, without files that are gone, and with those that came. */
export function retakeGuards(guards: readonly Guard[], place: GuardPlace): readonly Guard[] {
  return guards.flatMap((before): Guard[] => {
    const now = lookAgain(before, place);
    if (now.kind === 'names' && before.kind === 'names') {
      const fresh = now.present.filter((name) => !before.present.includes(name));
      return [now, ...fresh.map((name) => fileGuard(path.join(now.folder, name), now.effect, place))];
    }
    const isGone = 'digest' in now && now.digest === absent && 'digest' in before && before.digest !== absent;
    return isGone ? [] : [now];
  });
}

function fileGuard(file: string, effect: Guard['effect'], place: GuardPlace): Extract<Guard, { kind: 'file' }> {
  return lookAgain({ kind: 'file', path: file, digest: absent, effect }, place);
}

type FileGuard = Extract<Guard, { kind: 'file' }>;

function namedFiles(plan: GuardPlan, place: GuardPlace): readonly FileGuard[] {
  const { folder } = place;
  const paths = new Map<string, Guard['effect']>();
  for (const { folder: inside, names, onlyFirst, fits = () => true, effect = 'refuse' } of plan.files) {
    const found = names.map((name) => filesAt(folder, path.resolve(folder, inside, name)));
    const some = found.filter((each) => each.length > 0);
    for (const file of (onlyFirst ? some.slice(0, 1) : some).flat().filter(fits)) {
      if (paths.get(file) !== 'refuse') paths.set(file, effect);
    }
  }
  takeIn(paths, plan, place);
  return [...paths].map(([file, effect]) => fileGuard(file, effect, place));
}

const maxTakenIn = 200;

/** Adds what those files take in: shell files that they source, and what else is clearly a part of the check. */
function takeIn(
  paths: Map<string, Guard['effect']>,
  { isTest = () => false }: GuardPlan,
  { folder }: GuardPlace,
): void {
  const most = paths.size + maxTakenIn;
  const add = (file: string, effect: Guard['effect']): void => {
    if (paths.get(file) === 'refuse' || paths.get(file) === effect || paths.size >= most) return;
    // What is taken out and put back is looked at again, with its new effect.
    paths.delete(file);
    paths.set(file, effect);
  };
  for (const [script, effect] of paths) {
    for (const file of sourcedBy(folder, script).flatMap((each) => filesAt(folder, each))) {
      if (!paths.has(file)) add(file, effect);
    }
    for (const file of takenInBy(folder, script).flatMap((each) => filesAt(folder, each))) {
      const part = isTest(file) ? undefined : partOfCheck(script, file);
      if (part !== undefined) add(file, effect === 'report' ? effect : part);
    }
  }
}

function targetGuards({ targets }: GuardPlan, place: GuardPlace): readonly Guard[] {
  return targets.flatMap(({ folder, program, name }): Guard[] => {
    const file = targetFile(path.resolve(place.folder, folder), program);
    if (file === undefined) return [];
    const guard = lookAgain(
      { kind: 'target', file: path.join(folder, file), target: name, digest: absent, effect: 'refuse' },
      place,
    );
    return guard.digest === absent ? [] : [guard];
  });
}

function scriptGuards({ scripts }: GuardPlan, place: GuardPlace): readonly Guard[] {
  return scripts
    .map(({ folder, name }) => {
      const manifest = path.join(folder, 'package.json');
      return lookAgain({ kind: 'script', manifest, script: name, digest: absent, effect: 'refuse' }, place);
    })
    .filter(({ digest }) => digest !== absent);
}

/** Parts one by one; of files those that are there, and for each folder all names that may yet come. */
function steeringGuards({ steers }: GuardPlan, place: GuardPlace): readonly Guard[] {
  const { folder } = place;
  const isThere = (name: string) => filesAt(folder, path.resolve(folder, name)).length > 0;
  return (['refuse', 'report'] as const).flatMap((effect) => {
    const own = steers.filter(({ mode, folder: inside, name }) =>
      mode === 'appear' ? effect === 'refuse' && !isThere(path.join(inside, name)) : mode === effect,
    );
    const parts = own.filter(({ name }) => name.includes('#')).map((steer) => path.join(steer.folder, steer.name));
    const whole = own.filter(({ name }) => !name.includes('#')).map((steer) => path.join(steer.folder, steer.name));
    const folders = Map.groupBy(whole, (name) => path.dirname(name));
    const families = [...folders].map(([inside, all]): Extract<Guard, { kind: 'names' }> => {
      const names = [...new Set(all.map((name) => path.basename(name)))].sort();
      const present = filesNamed(path.resolve(folder, inside), names);
      return { kind: 'names', folder: inside === '.' ? '' : inside, names, present, effect };
    });
    const files = families.flatMap((family) => family.present.map((name) => path.join(family.folder, name)));
    const named = [...files, ...parts].flatMap((config) => namedInConfig(folder, config));
    return [
      ...[...files, ...named].map((file) => fileGuard(file, effect, place)),
      ...parts.map((part) => lookAgain(partGuard(part, effect), place)),
      ...families,
    ];
  });
}

/** `package.json#scripts.test`, `Makefile#test`, `pyproject.toml#pytest` as the table of settings writes them. */
function partGuard(named: string, effect: Guard['effect']): Guard {
  const at = named.lastIndexOf('#');
  const [file, part] = [named.slice(0, at), named.slice(at + 1)];
  if (path.basename(file) === 'package.json' && part.startsWith('scripts.')) {
    return { kind: 'script', manifest: file, script: part.slice('scripts.'.length), digest: absent, effect };
  }
  if (/^(?:Makefile|justfile|Taskfile\.yml)$/.test(path.basename(file))) {
    return { kind: 'target', file, target: part, digest: absent, effect };
  }
  return { kind: 'part', file, part, digest: absent, effect };
}

type ProgramGuard = Extract<Guard, { kind: 'program' }>;

/** The programs that `env` looks for to run the scripts which the checks name. */
function runnersOf(files: readonly FileGuard[], place: GuardPlace): GuardPlan['programs'] {
  const names = files.flatMap((guard) => shebangOf(path.resolve(place.folder, guard.path))?.looksFor ?? []);
  return names.filter((name) => !name.includes('/')).map((name) => ({ folder: '', name, by: 'path', isFirst: true }));
}

/** Programs of the work tree as they are, and those from outside, whose place no other may take. */
function programGuards(programs: GuardPlan['programs'], place: GuardPlace): readonly ProgramGuard[] {
  const guards = new Map<string, ProgramGuard>();
  const take = ({ folder, name, by }: ProgramName, isFirst: boolean): void => {
    const bare: ProgramGuard = { kind: 'program', folder, name, by, found: { at: 'none' }, effect: 'refuse' };
    if (guards.has(guardId(bare))) return;
    const guard = lookAgain(bare, place);
    if (isFirst || guard.found.at === 'inside') guards.set(guardId(bare), guard);
  };
  for (const { isFirst, ...program } of programs) take(program, isFirst);
  // "#!/usr/bin/env node": the same search again, for what a program is run by.
  for (const { folder, name, by } of guards.values()) {
    const file = programFile({ folder, name, by }, { workFolder: place.folder, PATH: place.PATH });
    const looksFor = file === undefined ? undefined : shebangOf(file)?.looksFor;
    if (looksFor !== undefined) take({ folder, name: looksFor, by: by === 'run' ? 'bin' : by }, true);
  }
  return [...guards.values()];
}

/** What runs the programs that the checks name, as far as their first lines say, where the agent could replace it. */
function interpreterGuards(
  files: readonly FileGuard[],
  programs: readonly ProgramGuard[],
  place: GuardPlace,
): readonly Guard[] {
  const at = { workFolder: place.folder, PATH: place.PATH };
  const open = [
    ...files.map((guard) => path.resolve(place.folder, guard.path)),
    ...programs.flatMap((guard) => programFile(guard, at) ?? []),
  ];
  const guards = new Map<string, Guard>();
  for (const program of open) {
    const { file: first, looksFor } = shebangOf(program) ?? {};
    const file = looksFor?.includes('/') ? path.resolve(place.folder, looksFor) : first;
    if (file === undefined || !path.isAbsolute(file) || guards.has(file)) continue;
    if (!isReplaceable(file) && !isReplaceable(realOf(file) ?? file)) continue;
    const named = isInside(treeOf(place.folder), file) ? path.relative(place.folder, file) : file;
    guards.set(
      file,
      lookAgain({ kind: 'interpreter', file: named, links: [], digest: absent, effect: 'refuse' }, place),
    );
    open.push(file);
  }
  return [...guards.values()];
}

/**
 * The guards that a checkout must have as they are: files of the work that refuse. One that it lacks is ignored by git,
 * and line ends may differ; anything else that differs was made another thing on its way out, by a filter for example.
 */
export function guardsToFind(
  guards: readonly Guard[],
  { tree, checkout }: { readonly tree: GuardPlace; readonly checkout: GuardPlace },
): readonly Guard[] {
  return guards.filter((guard) => {
    const file = guardId(guard);
    if (guard.effect === 'report' || path.isAbsolute(file)) return false;
    if (guard.kind === 'names') return newNames(guard, lookAgain(guard, checkout)).length === 0;
    if (!('digest' in guard) || guard.kind === 'interpreter') return false;
    const there = lookAgain(guard, checkout);
    if (there.digest === guard.digest) return true;
    const isChanged = !differsOnlyInLineEnds(path.resolve(tree.folder, file), path.resolve(checkout.folder, file));
    return there.digest !== absent && isChanged;
  });
}

function differsOnlyInLineEnds(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) =>
    readSmallFile(toRaw(file))?.toString('latin1').replaceAll('\r\n', '\n'),
  );
  return first !== undefined && first === second;
}
