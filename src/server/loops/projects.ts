import path from 'node:path';
import type { LoopPlace } from '../../app/index.ts';
import { failures, isLoopId, LoopError, sha256 } from '../../base/index.ts';
import type { Project } from '../../protocol/index.ts';

/** A project whose loops the server shows. */
export interface ServedProject {
  readonly place: LoopPlace;
  readonly project: Project;
}

/** A loop that a request names. */
export interface NamedLoop extends ServedProject {
  readonly loopId: string;
  readonly key: string;
}

/** The projects of a server, and the names that its loops have there. */
export interface Projects {
  /** Looked up each time: a project is new as soon as it has its first loop. */
  list(): readonly ServedProject[];
  keyOf(loopId: string, served: ServedProject): string;
  /** The loop with this key, whether or not it exists. */
  find(key: string): NamedLoop;
  /** The project with this key; the only one without a key. */
  choose(key: string | undefined): ServedProject;
}

/** The projects at these places. With several, a loop's key also says which one it belongs to. */
export function createProjects(places: () => readonly LoopPlace[], isAll: boolean): Projects {
  const list = () => places().map((place) => ({ place, project: projectOf(place) }));
  const keyOf = (loopId: string, { project }: ServedProject) => (isAll ? `${loopId}~${project.key}` : loopId);
  return {
    list,
    keyOf,
    find(key) {
      const [loopId = '', projectKey] = key.split('~');
      const served = list().find(({ project }) => (isAll ? project.key === projectKey : projectKey === undefined));
      if (served === undefined || !isLoopId(loopId)) throw new LoopError(failures.loopNotFound(key, 'this server'));
      return { ...served, loopId, key };
    },
    choose(key) {
      const all = list();
      const [only, ...others] = key === undefined ? all : all.filter(({ project }) => project.key === key);
      if (only === undefined) throw new LoopError(failures.requestInvalid('there is no such project'));
      if (others.length > 0) throw new LoopError(failures.requestInvalid('"project" is missing in the body'));
      return only;
    },
  };
}

function projectOf({ root, workingDirectory }: LoopPlace): Project {
  const folder = workingDirectory;
  return { key: sha256(root).slice(0, 8), folder, name: path.basename(folder) || folder };
}
