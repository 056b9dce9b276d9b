import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { listForeignFolder, lookAtForeign, resolveForeignFile } from '../../files/index.ts';

/** A file of another system, found where a user pointed to. */
export interface FoundFile {
  /** Where it really is, after all links. */
  readonly path: string;
  /** How messages and facts name it: relative to the project, if it is inside. */
  readonly name: string;
  /** Whether it is the single file of AIWG's first version, which may repeat a loop that has its own file. */
  readonly isLegacy: boolean;
}

/** Where other systems keep their loops, below a project. */
const homes = [
  '.',
  '.aiwg/ralph',
  '.aiwg/ralph-external',
  '.ralph',
  '.ultraplan/state',
  '.claude',
  '.sisyphus',
  '.omo',
];

const names = ['state.json', 'session-state.json', 'ralph-loop.json', 'ralph-loop.local.md'];
const legacyName = 'current-loop.json';

/** The files that a path stands for: the file itself, or those of known systems in the folder. */
export function findForeignFiles(wanted: string, project: string): readonly FoundFile[] {
  const top = resolveForeignFile(project);
  const isNamed = lookAtForeign(wanted) !== 'folder';
  const candidates = isNamed ? [wanted] : homes.flatMap((home) => filesIn(path.join(wanted, home)));
  const found = new Map<string, FoundFile>();
  for (const candidate of candidates) {
    const real = resolveForeignFile(candidate);
    assertInside({ given: candidate, real, project, top });
    const name = path.relative(top, real);
    const isLegacy = !isNamed && path.basename(candidate) === legacyName;
    if (!found.has(real)) found.set(real, { path: real, name: name.startsWith('..') ? candidate : name, isLegacy });
  }
  return [...found.values()];
}

function filesIn(folder: string): readonly string[] {
  const loops = path.join(folder, 'loops');
  const inLoops = listForeignFolder(loops).flatMap((name) => {
    const each = path.join(loops, name);
    if (lookAtForeign(each) !== 'folder') return name.endsWith('.json') ? [each] : [];
    // A folder with a journal is one of ralphd's own loops.
    if (lookAtForeign(path.join(each, 'journal')) !== undefined) return [];
    return ['state.json', 'session-state.json'].map((file) => path.join(each, file));
  });
  // The legacy file comes last: it may be a link to one of the others.
  const all = [...names.map((name) => path.join(folder, name)), ...inLoops, path.join(folder, legacyName)];
  return all.filter((file) => lookAtForeign(file) === 'file');
}

/** A link in the project must not lead out of it; a path that is plainly elsewhere is the user's choice. */
function assertInside(file: {
  readonly given: string;
  readonly real: string;
  readonly project: string;
  readonly top: string;
}): void {
  const isInside = (name: string, folder: string) => !path.relative(folder, name).startsWith('..');
  const { given, real, project, top } = file;
  if (isInside(real, top) || !(isInside(given, project) || isInside(given, top))) return;
  throw new LoopError(failures.linkLeadsOut(given, real));
}
