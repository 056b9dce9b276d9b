import path from 'node:path';
import { configPart } from './config-part.ts';
import { familyDigest, filesOfFamily, newInFamily } from './family.ts';
import { fileDigest, hash, missing } from './file-digest.ts';
import { targetFile, targetLines, targetProgram } from './make-target.ts';
import { scriptTexts } from './package-scripts.ts';
import { findProgram, type ProgramName, programChange, programFile, programText } from './program.ts';

/** Something that decides what a check says, and what it was like. */
export interface Guard {
  /**
   * A file as seen from the work folder; a script of a manifest as `package.json#scripts.test`, a target as
   * `Makefile#test`, a part of a file as `pyproject.toml#pytest`, names of a folder as `{pytest.ini,tox.ini}`, a
   * program that a check runs as `#path.jest`, one that a package script runs as `#bin.jest`, `npx` as `#run.jest`.
   */
  readonly path: string;
  readonly digest: string;
  /** A change is named with the verdict, and does not refuse it. */
  readonly mode?: 'report' | undefined;
}

/** Where guards are looked at. */
export interface GuardPlace {
  readonly folder: string;
  /** The folders that a shell searches for programs. */
  readonly PATH: string;
  /** The scripts that a script runs in turn. */
  readonly scriptsIn: (script: string) => readonly string[];
}

/** One that is not what it was. */
export interface GuardChange {
  readonly guard: Guard;
  /** What to call it: the file that is there now, or the guard itself. */
  readonly name: string;
  /** `tampered`: nothing is proven. `doubt`: somebody should look at it. */
  readonly kind: 'tampered' | 'doubt';
}

const inManifest = /^((?:.*\/)?package\.json)#scripts\.(.+)$/s;
const inFile = /^(.*)#([^#/]+)$/s;
const ofProgram = /^(.*)#(bin|path|run)\.(.+)$/s;
const waysToRun = ['path', 'bin', 'run'] as const;

/** What a guarded thing is like now. */
export function digestNow(guarded: string, { folder, PATH, scriptsIn }: GuardPlace): string {
  const family = filesOfFamily(folder, guarded);
  if (family !== undefined) return familyDigest(family);
  const program = programOf(guarded);
  if (program !== undefined) return programText(findProgram(program, { workFolder: folder, PATH }));
  const [, manifest, script] = inManifest.exec(guarded) ?? [];
  if (manifest !== undefined && script !== undefined) {
    const texts = scriptTexts(path.resolve(folder, manifest), script, scriptsIn);
    return texts === undefined ? missing : hash(JSON.stringify(texts));
  }
  const [, file, inside] = inFile.exec(guarded) ?? [];
  if (file === undefined || inside === undefined) return fileDigest(path.resolve(folder, guarded));
  return digestInside(path.resolve(folder, file), inside) ?? fileDigest(path.resolve(folder, guarded));
}

function programOf(guarded: string): ProgramName | undefined {
  const [, folder = '', kind, name] = ofProgram.exec(guarded) ?? [];
  const by = waysToRun.find((each) => each === kind);
  return by === undefined || name === undefined ? undefined : { folder, name, by };
}

/** A target, or a part of a file; nothing where the name of a file has that sign in it. */
function digestInside(file: string, inside: string): string | undefined {
  const program = targetProgram(path.basename(file));
  if (program === undefined) {
    const part = configPart(file, inside);
    if (part === undefined) return undefined;
    return part === '' ? missing : hash(part);
  }
  // Of the file that would be used now: another one may have come that goes before it.
  const folder = path.dirname(file);
  const used = targetFile(folder, program);
  const lines = used === undefined ? undefined : targetLines(path.join(folder, used), inside);
  return lines === undefined ? missing : hash(JSON.stringify([used, lines]));
}

/** What became of one guard; several where new files came. */
export function changesOf(guard: Guard, place: GuardPlace): readonly GuardChange[] {
  const kind = guard.mode === 'report' ? 'doubt' : 'tampered';
  const family = filesOfFamily(place.folder, guard.path);
  if (family !== undefined) {
    return newInFamily(family, guard.digest).map((file) => ({ guard, name: `${file} (new)`, kind }));
  }
  const now = digestNow(guard.path, place);
  if (now === guard.digest) return [];
  const program = programOf(guard.path);
  if (program === undefined) {
    return [{ guard, name: guard.digest === missing ? `${guard.path} (new)` : guard.path, kind }];
  }
  const change = programChange(guard.digest, now, program.by);
  const name = programFile(now) ?? programFile(guard.digest) ?? guard.path;
  return change === 'same' ? [] : [{ guard, name, kind: change }];
}
