import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { FolderProgram, Guard } from '../../protocol/index.ts';
import { isExecutable, programDigest, realPathOf, realTreeOf, versionOf } from './installed.ts';

type ProgramsGuard = Extract<Guard, { kind: 'programs' }>;

/** Only system folders have more programs. */
export const maxPrograms = 2_000;

/** The present programs of a folder. */
export function currentPrograms(folder: string, workFolder: string): Pick<ProgramsGuard, 'existed' | 'programs'> {
  const names = namesIn(folder);
  if (names === undefined) return { existed: false, programs: [] };
  const tree = realTreeOf(workFolder);
  const programs = names.slice(0, maxPrograms).flatMap((name): FolderProgram[] => {
    const file = path.join(folder, name);
    const real = realPathOf(file);
    if (real === undefined || !isExecutable(file)) return [];
    const version = versionOf(real);
    const digest = programDigest(real, tree, false);
    return [{ name, digest, ...(version === undefined ? {} : { version }) }];
  });
  return { existed: true, programs };
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder).sort();
  } catch {
    return undefined;
  }
}

interface FolderView {
  readonly place: { readonly folder: string; readonly PATH: string };
  /** The programs that the checks are known to run. */
  readonly checked: ReadonlySet<string>;
}

interface FolderChange {
  readonly name: string;
  readonly kind: 'tampered' | 'doubt';
}

/** Programs with different bytes, and new ones that shadow another program. */
export function folderChanges(before: ProgramsGuard, now: ProgramsGuard, view: FolderView): readonly FolderChange[] {
  const known = new Map(before.programs.map((program) => [program.name, program]));
  return now.programs.flatMap((program) => {
    const old = known.get(program.name);
    const kind = old === undefined ? kindOfNew(before, program, view) : kindOfChange(old, program);
    return kind === undefined ? [] : [{ name: path.join(before.folder, program.name), kind }];
  });
}

function kindOfChange(old: FolderProgram, now: FolderProgram): FolderChange['kind'] | undefined {
  if (old.digest === now.digest && old.version === now.version) return undefined;
  const isUpgrade = old.version !== undefined && now.version !== undefined && old.version !== now.version;
  return isUpgrade ? 'doubt' : 'tampered';
}

/** Programs that nearly everything runs: a file that shadows one of them is never an honest dependency. */
const basic: ReadonlySet<string> = new Set(
  (
    'sh bash dash ash zsh ksh env node nodejs deno bun npm npx pnpm yarn corepack python python2 python3 pip pip3 uv ' +
    'ruby perl php java go cargo rustc gcc cc make cmake git test true false cat cut cp echo expr find grep head id ls ' +
    'mkdir mktemp mv nice printf pwd readlink realpath rm sed sleep sort tail tee timeout tr uname which xargs awk ' +
    'basename dirname date diff cmp kill ps stty tput time command cygpath'
  ).split(' '),
);

function kindOfNew(
  { folder, existed }: ProgramsGuard,
  { name, version }: FolderProgram,
  { place, checked }: FolderView,
): FolderChange['kind'] | undefined {
  const at = path.resolve(place.folder, folder);
  const shadowed = shadowedProgram(at, name, place);
  // It shadows nothing, or it is the very same file.
  if (shadowed === undefined || shadowed === realPathOf(path.join(at, name))) return undefined;
  // A virtual environment created during the loop has its own python.
  if (!existed && /(?:^|\/)\.?venv\/bin$/.test(folder)) return 'doubt';
  const wasInstalled = shadowed.includes('/node_modules/');
  if (basic.has(name) || checked.has(name)) return version !== undefined && wasInstalled ? 'doubt' : 'tampered';
  return folder.endsWith('node_modules/.bin') && version === undefined ? 'tampered' : 'doubt';
}

/** The program that a shell would run if the folder did not contain it. */
function shadowedProgram(at: string, name: string, { folder, PATH }: FolderView['place']): string | undefined {
  const onPath = PATH.split(path.delimiter).map((each) => path.resolve(folder, each));
  const own = onPath.findIndex((each) => (realPathOf(each) ?? each) === (realPathOf(at) ?? at));
  const earlier = onPath.slice(0, Math.max(own, 0));
  if (earlier.some((each) => isExecutable(path.join(each, name)))) return undefined;
  const hit = onPath.slice(own + 1).find((each) => isExecutable(path.join(each, name)));
  return hit === undefined ? undefined : realPathOf(path.join(hit, name));
}
