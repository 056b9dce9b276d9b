import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { familyOf, filesOfFamily, newInFamily } from './family.ts';
import { missing } from './file-digest.ts';
import { changesOf, digestNow, type Guard, type GuardChange, type GuardPlace } from './guard.ts';
import { type TargetProgram, targetFile } from './make-target.ts';
import { namedInConfig } from './named-in-config.ts';
import { sourcedBy } from './sourced.ts';
import { filesAt } from './tree.ts';

/** What to guard: words that may be files, names of scripts and targets, and what has a say besides. */
export interface GuardWish {
  readonly files: readonly {
    readonly folder: string;
    readonly names: readonly string[];
    readonly onlyFirst: boolean;
    /** Which of the files that are found shall be guarded; all unless given. */
    readonly fits?: (path: string) => boolean;
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
  readonly programs: readonly {
    readonly folder: string;
    readonly name: string;
    readonly by: 'path' | 'bin' | 'run';
    readonly isFirst: boolean;
  }[];
}

/** Guards, and how many more there would have been. */
export interface TakenGuards {
  readonly guards: readonly Guard[];
  readonly left: number;
}

const mostGuards = 300;

/** Takes the digests of what checks depend on. What refuses comes first, so that it is the last to be left out. */
export function takeGuards(wish: GuardWish, place: GuardPlace): TakenGuards {
  const refusing = [...namedFiles(wish, place), ...namedTargets(wish, place), ...namedScripts(wish, place)];
  const paths = new Set(refusing);
  const steering = steeringPaths(wish, place);
  const guards: Guard[] = [
    ...[...paths].map((each) => ({ path: each, digest: digestNow(each, place) })),
    ...programGuards(wish, place),
    ...steering.refuse
      .filter((each) => !paths.has(each))
      .map((each) => ({ path: each, digest: digestNow(each, place) })),
    ...steering.report
      .filter((each) => !paths.has(each))
      .map((each) => ({ path: each, digest: digestNow(each, place), mode: 'report' as const })),
  ];
  return { guards: guards.slice(0, mostGuards), left: Math.max(0, guards.length - mostGuards) };
}

/** Those that are not what they were: edited, deleted, replaced by something else, or new. */
export function changedGuards(guards: readonly Guard[], place: GuardPlace): readonly GuardChange[] {
  return guards.flatMap((guard) => changesOf(guard, place));
}

/** The same as it is now, without files that are gone, and with those that came. */
export function retakeGuards(guards: readonly Guard[], place: GuardPlace): readonly Guard[] {
  const fresh = guards.flatMap(({ path: each, digest, mode }) =>
    newInFamily(filesOfFamily(place.folder, each) ?? [], digest).map((file) => ({ path: file, mode })),
  );
  const all = [...guards, ...fresh.map((each) => ({ ...each, digest: '' }))];
  return all.flatMap(({ path: each, digest, mode }) => {
    const now = digestNow(each, place);
    if (now === missing && digest !== missing) return [];
    return [{ path: each, digest: now, ...(mode === undefined ? {} : { mode }) }];
  });
}

function namedFiles({ files }: GuardWish, { folder }: GuardPlace): readonly string[] {
  const paths = new Set<string>();
  for (const { folder: inside, names, onlyFirst, fits = () => true } of files) {
    const found = names.map((name) => filesAt(folder, path.resolve(folder, inside, name)));
    const some = found.filter((each) => each.length > 0);
    for (const file of (onlyFirst ? some.slice(0, 1) : some).flat().filter(fits)) paths.add(file);
  }
  for (const script of paths) {
    for (const file of sourcedBy(folder, script).flatMap((each) => filesAt(folder, each))) paths.add(file);
  }
  return [...paths];
}

function namedTargets({ targets }: GuardWish, place: GuardPlace): readonly string[] {
  return targets.flatMap(({ folder, program, name }) => {
    const file = targetFile(path.resolve(place.folder, folder), program);
    const target = `${path.join(folder, file ?? '')}#${name}`;
    return file !== undefined && digestNow(target, place) !== missing ? [target] : [];
  });
}

function namedScripts({ scripts }: GuardWish, place: GuardPlace): readonly string[] {
  const named = scripts.map(({ folder, name }) => `${path.join(folder, 'package.json')}#scripts.${name}`);
  return named.filter((script) => digestNow(script, place) !== missing);
}

interface SteeringPaths {
  readonly refuse: readonly string[];
  readonly report: readonly string[];
}

/** Parts one by one; of files those that are there, and for each folder all names that may yet come. */
function steeringPaths({ steers }: GuardWish, { folder }: GuardPlace): SteeringPaths {
  const isThere = (name: string) => filesAt(folder, path.resolve(folder, name)).length > 0;
  const [refuse, report] = (['refuse', 'report'] as const).map((wanted) => {
    const own = steers.filter(({ mode, folder: inside, name }) =>
      mode === 'appear' ? wanted === 'refuse' && !isThere(path.join(inside, name)) : mode === wanted,
    );
    const parts = own.filter(({ name }) => name.includes('#')).map((steer) => path.join(steer.folder, steer.name));
    const whole = own.filter(({ name }) => !name.includes('#')).map((steer) => path.join(steer.folder, steer.name));
    const folders = Map.groupBy(whole, (name) => path.dirname(name));
    const families = [...folders].map(([inside, names]) =>
      familyOf(
        inside,
        names.map((name) => path.basename(name)),
      ),
    );
    const files = families.flatMap((family) => filesOfFamily(folder, family) ?? []);
    const named = [...files, ...parts].flatMap((config) => namedInConfig(folder, config));
    return [...new Set([...files, ...parts, ...families, ...named])];
  });
  return { refuse: refuse ?? [], report: report ?? [] };
}

/** Programs of the work tree as they are, and those from outside, whose place none of the work tree may take. */
function programGuards({ programs }: GuardWish, place: GuardPlace): readonly Guard[] {
  const guards = new Map<string, Guard>();
  for (const { folder, name, by, isFirst } of programs) {
    const named = `${folder}#${by}.${name}`;
    if (guards.has(named)) continue;
    const digest = digestNow(named, place);
    if (isFirst || digest.startsWith('inside')) guards.set(named, { path: named, digest });
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
  const own = guards.filter(({ path: each, mode }) => mode !== 'report' && !isElsewhere(each));
  return own.filter(({ path: each, digest }) => {
    const there = digestNow(each, checkout);
    if (there === digest) return true;
    return (
      there !== missing && !differsOnlyInLineEnds(path.resolve(tree.folder, each), path.resolve(checkout.folder, each))
    );
  });
}

function isElsewhere(guarded: string): boolean {
  return path.isAbsolute(guarded) || /#(?:bin|path|run)\./.test(guarded);
}

function differsOnlyInLineEnds(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) =>
    readSmallFile(toRaw(file))?.toString('latin1').replaceAll('\r\n', '\n'),
  );
  return first !== undefined && first === second;
}
