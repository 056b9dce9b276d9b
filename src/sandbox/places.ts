import { existsSync, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { ensureFile, ensureFolder, quietly } from '../files/index.ts';
import type { Bind, Enclosure } from '../process/index.ts';
import type { LoopConfig } from '../protocol/index.ts';
import { gitPlaces, topOf } from './git-places.ts';
import { isBelow, type ProgramSetting, programPlaces, replaced } from './programs.ts';
import { secretPlaces, systemSecrets } from './secrets.ts';
import { servicePlaces } from './sockets.ts';

/** The home of an agent: what it writes, and what in it stays as it is. */
export interface AgentPlaces {
  readonly writes: readonly string[];
  readonly keeps: readonly string[];
  /** What of it the agent creates itself. */
  readonly creates: readonly string[];
}

/** What decides which places a sandbox shows. */
export interface PlacesSetting extends ProgramSetting {
  readonly config: Pick<LoopConfig, 'sandboxPaths' | 'session'> & ProgramSetting['config'];
  /** The state folder of all loops. */
  readonly root: string;
  /** Other folders of ralphd's own. */
  readonly own: readonly string[];
  /** The home of the loop's agent. */
  readonly home: AgentPlaces | undefined;
  /** What other agents write, which this one must not read. */
  readonly others: readonly string[];
}

/** The places of a sandbox. */
export interface SandboxPlaces {
  readonly enclosure: Enclosure;
  /** What is not there, and must not be there afterwards, because it decides what runs outside. */
  readonly absent: readonly string[];
  /** Folders that are created only to be hidden. */
  readonly stubs: readonly string[];
  /** The git folders that can be written. */
  readonly gitFolders: readonly string[];
  readonly problem?: string | undefined;
}

/** Creates what can be written but is not there yet: in a folder that it cannot write, the agent could not. */
export function preparePlaces({ home, config, root }: PlacesSetting): void {
  for (const place of home?.writes ?? []) {
    if (path.extname(place) === '') quietly(() => ensureFolder(place));
  }
  if (config.session.progressNotes) quietly(() => ensureFile(notesIn(root)));
}

/** The places as they are now: everything can be read and nothing written, with these exceptions. */
export function findPlaces(setting: PlacesSetting): SandboxPlaces {
  const { workingDirectory, config, env, home, others, root, own } = setting;
  const cwd = real(workingDirectory);
  const top = topOf(cwd);
  const git = gitPlaces(top, cwd);
  const user = userHome(env);
  const named = (list: readonly string[]) => list.map((place) => expand(place, { user, cwd }));
  const writes = outermost(named(config.sandboxPaths.write), top);
  const shows = outermost(named(config.sandboxPaths.show), top, ...writes);
  const mine = [...(home?.writes ?? []), ...writes, ...shows].map(real);
  const secrets = user === undefined ? [] : secretPlaces.map((name) => path.join(user, name));
  const hidden = [...secrets, ...hiddenOfSystem(), ...others, ...own, ...named(config.sandboxPaths.hide)]
    .map(real)
    .filter((place) => existsSync(place) && !mine.includes(place) && !isOrHolds(place, cwd));
  const { keeps: kept = [], creates = [] } = home ?? {};
  const seen = outermost(visible(setting, user), top, ...writes);
  const isSeen = (place: string) => !isBelow(replaced, place) || isBelow(seen, place);
  const services = servicePlaces()
    .map(real)
    .filter((place) => isSeen(place) && !isBelow([...hidden, ...mine, top], place) && !mine.includes(place));
  return {
    enclosure: {
      shows: 'machine',
      cwd,
      binds: [
        ...seen.map(underItsName),
        ...shows.filter((place) => existsSync(place)).map(readable),
        ...(home?.writes ?? []).filter((place) => existsSync(place)).map(writable),
        ...writes.filter((place) => existsSync(place)).map(writable),
        ...kept.filter((place) => existsSync(place)).map(readable),
        writable(top),
        ...git.binds,
        ...notesOf(setting).map(writable),
      ],
      hidden: [...new Set([...hidden, ...services, ...git.hidden, ...(existsSync(root) ? [real(root)] : [])])],
    },
    absent: [...git.absent, ...kept.filter((place) => !existsSync(place) && !creates.includes(place))],
    stubs: git.hidden,
    gitFolders: git.folders,
    problem: git.problem ?? tooWide(top, user),
  };
}

/** What is hidden in every view of the machine. */
export function hiddenOfSystem(): readonly string[] {
  return systemSecrets.filter((place) => existsSync(place));
}

/** A work tree around the home would make everything in there writable. */
function tooWide(top: string, user: string | undefined): string | undefined {
  if (top === '/' || (user !== undefined && isOrHolds(top, real(user)))) {
    return `the work tree ${top} contains your home folder`;
  }
  return replaced.includes(top) ? `the work tree is ${top} itself` : undefined;
}

/** What is used from folders that a sandbox replaces: the home, and what starts the agent. */
function visible(setting: PlacesSetting, user: string | undefined): readonly string[] {
  const homes = user !== undefined && existsSync(user) ? [real(user)] : [];
  return [...new Set([...homes, ...programPlaces(setting)])].filter((place) => isBelow(replaced, place));
}

/** The notes are the one file of the state folder that an agent writes. */
function notesOf({ config, root }: PlacesSetting): readonly string[] {
  const notes = notesIn(root);
  const isFile = existsSync(notes) && lstatSync(notes).isFile();
  return config.session.progressNotes && isFile ? [notes] : [];
}

function notesIn(root: string): string {
  return path.join(root, 'progress.md');
}

/** A place inside one that can be written is no exception to it; an agent may have put a link there. */
function outermost(places: readonly string[], ...around: readonly string[]): readonly string[] {
  const others = [...around, ...places];
  return places.filter((place) => !others.some((other) => other !== place && isOrHolds(other, place)));
}

function userHome({ HOME: home }: NodeJS.ProcessEnv): string | undefined {
  return home !== undefined && path.isAbsolute(home) && home !== '/' ? home : undefined;
}

function expand(place: string, { user, cwd }: { user: string | undefined; cwd: string }): string {
  const inHome = /^~(?:\/(.*))?$/s.exec(place);
  return inHome && user !== undefined ? path.join(user, inHome[1] ?? '') : path.resolve(cwd, place);
}

function real(place: string): string {
  return existsSync(place) ? realpathSync(place) : place;
}

function isOrHolds(folder: string, place: string): boolean {
  return place === folder || place.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** A link to a program would not be there in a folder that is replaced. */
function underItsName(place: string): Bind {
  return { source: real(place), target: place, writable: false };
}

function readable(place: string): Bind {
  return { source: real(place), target: real(place), writable: false };
}

function writable(place: string): Bind {
  return { source: real(place), target: real(place), writable: true };
}
