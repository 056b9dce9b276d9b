import path from 'node:path';
import { guardId } from '../../core/index.ts';
import { absent, type Guard } from '../../protocol/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { namedInConfig } from './config-part.ts';
import { changesOf, type GuardChange, type GuardPlace, refreshGuard } from './guard.ts';
import { isReplaceable, realPathOf } from './installed.ts';
import { shebangOf } from './interpreter.ts';
import { type TargetProgram, targetFile } from './make-target.ts';
import { filesNamed, newNames } from './names.ts';
import { type ProgramName, programFile } from './program.ts';
import { effectOfReference, referencesIn } from './references.ts';
import { sourcedFiles } from './sourced.ts';
import { filesAt, isInside, treeOf } from './tree.ts';

/** What to guard: words that may be files, scripts, targets, and everything else that affects the checks. */
export interface GuardPlan {
  readonly files: readonly {
    readonly folder: string;
    readonly names: readonly string[];
    readonly onlyFirst: boolean;
    /** Selects among the files that are found; all by default. */
    readonly isGuarded?: (path: string) => boolean;
    readonly effect?: Guard['effect'];
  }[];
  readonly targets: readonly { readonly folder: string; readonly program: TargetProgram; readonly name: string }[];
  readonly scripts: readonly { readonly folder: string; readonly name: string }[];
  /** Files, names with `*` and parts of files, and the effect of a change. */
  readonly settings: readonly {
    readonly folder: string;
    readonly name: string;
    readonly mode: 'refuse' | 'report' | 'appear';
  }[];
  /** Words that may be programs; one that is not the first word counts only when it is found in the work tree. */
  readonly programs: readonly (ProgramName & { readonly isFirst: boolean })[];
  /** Folders in which the checks search for programs. */
  readonly searched?: readonly string[];
  /** Folders with installed packages. */
  readonly installed?: readonly string[];
  /** Tests that a check refers to are protected as tests, not as part of the check. */
  readonly isTest?: (path: string) => boolean;
  /** Whether to record what git ignores. */
  readonly ignored?: boolean;
}

interface TakenGuards {
  readonly guards: readonly Guard[];
  /** How many more there would have been. */
  readonly left: number;
}

const maxGuards = 600;

/** Takes the digests of what checks depend on. Refusing guards come first, so that the limit cuts them last. */
export function takeGuards(plan: GuardPlan, place: GuardPlace): TakenGuards {
  const { searched = [], installed = [], ignored = false } = plan;
  const files = namedFiles(plan, place);
  const programs = programGuards([...plan.programs, ...runnersOf(files, place)], place);
  const settings = settingsGuards(plan, place);
  const all: readonly Guard[] = [
    ...files.filter(({ effect }) => effect === 'refuse'),
    ...targetGuards(plan, place),
    ...scriptGuards(plan, place),
    ...searched.map((folder) =>
      refreshGuard({ kind: 'programs', folder, existed: false, programs: [], effect: 'refuse' }, place),
    ),
    ...programs,
    ...interpreterGuards(files, programs, place),
    ...settings.filter(({ effect }) => effect === 'refuse'),
    ...installed.map((folder) => refreshGuard({ kind: 'packages', folder, packages: [], effect: 'report' }, place)),
    ...(ignored ? [refreshGuard({ kind: 'ignored', paths: [], written: [], effect: 'report' }, place)] : []),
    ...files.filter(({ effect }) => effect === 'report'),
    ...settings.filter(({ effect }) => effect === 'report'),
  ];
  const guards = uniqueGuards(all);
  return { guards: guards.slice(0, maxGuards), left: Math.max(0, guards.length - maxGuards) };
}

/** Keeps the first guard of each subject: refusing ones come before reporting ones. */
function uniqueGuards(guards: readonly Guard[]): readonly Guard[] {
  const first = new Map<string, Guard>();
  for (const guard of guards) {
    if (!first.has(guardId(guard))) first.set(guardId(guard), guard);
  }
  return [...first.values()];
}

/** The guards whose subject was edited, deleted, replaced or added. */
export function changedGuards(guards: readonly Guard[], place: GuardPlace): readonly GuardChange[] {
  const checked = new Set(guards.flatMap((guard) => (guard.kind === 'program' ? [guard.name] : [])));
  return guards.flatMap((guard) => changesOf(guard, place, checked));
}

/** Takes the guards again: without files that are gone, and with new ones. */
export function retakeGuards(guards: readonly Guard[], place: GuardPlace): readonly Guard[] {
  return guards.flatMap((before): Guard[] => {
    const now = refreshGuard(before, place);
    if (now.kind === 'names' && before.kind === 'names') {
      const fresh = now.present.filter((name) => !before.present.includes(name));
      return [now, ...fresh.map((name) => fileGuard(path.join(now.folder, name), now.effect, place))];
    }
    const isGone = 'digest' in now && now.digest === absent && 'digest' in before && before.digest !== absent;
    return isGone ? [] : [now];
  });
}

function fileGuard(file: string, effect: Guard['effect'], place: GuardPlace): Extract<Guard, { kind: 'file' }> {
  return refreshGuard({ kind: 'file', path: file, digest: absent, effect }, place);
}

type FileGuard = Extract<Guard, { kind: 'file' }>;

function namedFiles(plan: GuardPlan, place: GuardPlace): readonly FileGuard[] {
  const { folder } = place;
  const paths = new Map<string, Guard['effect']>();
  for (const { folder: inside, names, onlyFirst, isGuarded = () => true, effect = 'refuse' } of plan.files) {
    const found = names.map((name) => filesAt(folder, path.resolve(folder, inside, name)));
    const some = found.filter((each) => each.length > 0);
    for (const file of (onlyFirst ? some.slice(0, 1) : some).flat().filter(isGuarded)) {
      if (paths.get(file) !== 'refuse') paths.set(file, effect);
    }
  }
  addReferenced(paths, plan, place);
  return [...paths].map(([file, effect]) => fileGuard(file, effect, place));
}

const maxReferenced = 200;

/** Adds the files that those refer to: shell files that they source, and others that are clearly part of the check. */
function addReferenced(
  paths: Map<string, Guard['effect']>,
  { isTest = () => false }: GuardPlan,
  { folder }: GuardPlace,
): void {
  const maxPaths = paths.size + maxReferenced;
  const add = (file: string, effect: Guard['effect']): void => {
    if (paths.get(file) === 'refuse' || paths.get(file) === effect || paths.size >= maxPaths) return;
    // Deleting and setting again moves the file to the end, so that the loop visits it with its new effect.
    paths.delete(file);
    paths.set(file, effect);
  };
  for (const [script, effect] of paths) {
    for (const file of sourcedFiles(folder, script).flatMap((each) => filesAt(folder, each))) {
      if (!paths.has(file)) add(file, effect);
    }
    for (const file of referencesIn(folder, script).flatMap((each) => filesAt(folder, each))) {
      const own = isTest(file) ? undefined : effectOfReference(script, file);
      if (own !== undefined) add(file, effect === 'report' ? effect : own);
    }
  }
}

function targetGuards({ targets }: GuardPlan, place: GuardPlace): readonly Guard[] {
  return targets.flatMap(({ folder, program, name }): Guard[] => {
    const file = targetFile(path.resolve(place.folder, folder), program);
    if (file === undefined) return [];
    const guard = refreshGuard(
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
      return refreshGuard({ kind: 'script', manifest, script: name, digest: absent, effect: 'refuse' }, place);
    })
    .filter(({ digest }) => digest !== absent);
}

/** Guards each part, each file that exists, and for each folder all names that may still appear. */
function settingsGuards({ settings }: GuardPlan, place: GuardPlace): readonly Guard[] {
  const { folder } = place;
  const exists = (name: string) => filesAt(folder, path.resolve(folder, name)).length > 0;
  return (['refuse', 'report'] as const).flatMap((effect) => {
    const own = settings.filter(({ mode, folder: inside, name }) =>
      mode === 'appear' ? effect === 'refuse' && !exists(path.join(inside, name)) : mode === effect,
    );
    const parts = own.filter(({ name }) => name.includes('#')).map((each) => path.join(each.folder, each.name));
    const whole = own.filter(({ name }) => !name.includes('#')).map((each) => path.join(each.folder, each.name));
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
      ...parts.map((part) => refreshGuard(partGuard(part, effect), place)),
      ...families,
    ];
  });
}

/** Parses `package.json#scripts.test`, `Makefile#test` or `pyproject.toml#pytest`. */
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

/** The programs that `env` searches for to run the scripts of the checks. */
function runnersOf(files: readonly FileGuard[], place: GuardPlace): GuardPlan['programs'] {
  const names = files.flatMap((guard) => shebangOf(path.resolve(place.folder, guard.path))?.program ?? []);
  return names.filter((name) => !name.includes('/')).map((name) => ({ folder: '', name, by: 'path', isFirst: true }));
}

/** Guards programs of the work tree, and programs from outside that nothing may shadow. */
function programGuards(programs: GuardPlan['programs'], place: GuardPlace): readonly ProgramGuard[] {
  const guards = new Map<string, ProgramGuard>();
  const take = ({ folder, name, by }: ProgramName, isFirst: boolean): void => {
    const bare: ProgramGuard = { kind: 'program', folder, name, by, found: { at: 'none' }, effect: 'refuse' };
    if (guards.has(guardId(bare))) return;
    const guard = refreshGuard(bare, place);
    if (isFirst || guard.found.at === 'inside') guards.set(guardId(bare), guard);
  };
  for (const { isFirst, ...program } of programs) take(program, isFirst);
  // "#!/usr/bin/env node": the same search again for the interpreter of a program.
  for (const { folder, name, by } of guards.values()) {
    const file = programFile({ folder, name, by }, { workFolder: place.folder, PATH: place.PATH });
    const searched = file === undefined ? undefined : shebangOf(file)?.program;
    if (searched !== undefined) take({ folder, name: searched, by: by === 'run' ? 'bin' : by }, true);
  }
  return [...guards.values()];
}

/** Guards the interpreters that the first lines of the checks' programs name, where the agent could replace them. */
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
    const { file: first, program: searched } = shebangOf(program) ?? {};
    const file = searched?.includes('/') ? path.resolve(place.folder, searched) : first;
    if (file === undefined || !path.isAbsolute(file) || guards.has(file)) continue;
    if (!isReplaceable(file) && !isReplaceable(realPathOf(file) ?? file)) continue;
    const named = isInside(treeOf(place.folder), file) ? path.relative(place.folder, file) : file;
    guards.set(
      file,
      refreshGuard({ kind: 'interpreter', file: named, links: [], digest: absent, effect: 'refuse' }, place),
    );
    open.push(file);
  }
  return [...guards.values()];
}

/**
 * The guards that must hold in a checkout too: refusing ones of files of the work. A file that the checkout lacks is
 * ignored by git, and line endings may differ; any other difference was caused on checkout, for example by a filter.
 */
export function guardsForCheckout(
  guards: readonly Guard[],
  { tree, checkout }: { readonly tree: GuardPlace; readonly checkout: GuardPlace },
): readonly Guard[] {
  return guards.filter((guard) => {
    const file = guardId(guard);
    if (guard.effect === 'report' || path.isAbsolute(file)) return false;
    if (guard.kind === 'names') return newNames(guard, refreshGuard(guard, checkout)).length === 0;
    if (!('digest' in guard) || guard.kind === 'interpreter') return false;
    const there = refreshGuard(guard, checkout);
    if (there.digest === guard.digest) return true;
    const isChanged = !differsOnlyInLineEndings(path.resolve(tree.folder, file), path.resolve(checkout.folder, file));
    return there.digest !== absent && isChanged;
  });
}

function differsOnlyInLineEndings(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) =>
    readSmallFile(toRaw(file))?.toString('latin1').replaceAll('\r\n', '\n'),
  );
  return first !== undefined && first === second;
}
