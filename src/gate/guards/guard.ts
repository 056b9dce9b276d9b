import path from 'node:path';
import { guardId } from '../../core/index.ts';
import { absent, type Guard } from '../../protocol/index.ts';
import { configPart } from './config-part.ts';
import { fileDigest, hash } from './file-digest.ts';
import { ignoredChanges, ignoredNow } from './ignored.ts';
import { interpreterNow } from './interpreter.ts';
import { targetFile, targetLines, targetProgram } from './make-target.ts';
import { filesNamed, newNames } from './names.ts';
import { scriptTexts } from './package-scripts.ts';
import { packageChanges, packagesNow } from './packages.ts';
import { findProgram, programChange } from './program.ts';
import { folderChanges, programsNow } from './search-folder.ts';

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

/** The same guard with what it is about as it is now. */
export function lookAgain<Given extends Guard>(guard: Given, place: GuardPlace): Given;
/** The same guard as it is now, whatever its kind. */
export function lookAgain(guard: Guard, place: GuardPlace): Guard {
  const at = (name: string) => path.resolve(place.folder, name);
  switch (guard.kind) {
    case 'file':
      return { ...guard, digest: fileDigest(at(guard.path)) };
    case 'script':
      return { ...guard, digest: scriptDigest(at(guard.manifest), guard.script, place) };
    case 'target':
      return { ...guard, digest: targetDigest(at(guard.file), guard.target) };
    case 'part':
      return { ...guard, digest: partDigest(at(guard.file), guard.part) };
    case 'names':
      return { ...guard, present: filesNamed(at(guard.folder), guard.names) };
    case 'program':
      return { ...guard, found: findProgram(guard, { workFolder: place.folder, PATH: place.PATH }) };
    case 'interpreter':
      return { ...guard, ...interpreterNow(at(guard.file)) };
    case 'programs':
      return { ...guard, ...programsNow(at(guard.folder), place.folder) };
    case 'packages':
      return { ...guard, packages: packagesNow(at(guard.folder)) };
    case 'ignored':
      return { ...guard, paths: ignoredNow(place.folder) };
  }
}

function scriptDigest(manifest: string, script: string, { scriptsIn }: GuardPlace): string {
  const texts = scriptTexts(manifest, script, scriptsIn);
  return texts === undefined ? absent : hash(JSON.stringify(texts));
}

function partDigest(file: string, name: string): string {
  const part = configPart(file, name);
  // The name of a file may have that sign in it.
  if (part === undefined) return fileDigest(`${file}#${name}`);
  return part === '' ? absent : hash(part);
}

/** Of the file that would be used now: another one may have come that goes before it. */
function targetDigest(file: string, target: string): string {
  const program = targetProgram(path.basename(file));
  const folder = path.dirname(file);
  const used = program === undefined ? undefined : targetFile(folder, program);
  const lines = used === undefined ? undefined : targetLines(path.join(folder, used), target);
  return lines === undefined ? absent : hash(JSON.stringify([used, lines]));
}

/** What became of one guard: several changes where it is about a folder. */
export function changesOf(before: Guard, place: GuardPlace, checked: ReadonlySet<string>): readonly GuardChange[] {
  const kind = before.effect === 'report' ? 'doubt' : 'tampered';
  const change = (name: string, as: GuardChange['kind'] = kind) => ({ guard: before, name, kind: as });
  const now = lookAgain(before, place);
  switch (before.kind) {
    case 'file':
    case 'script':
    case 'target':
    case 'part': {
      if (!('digest' in now) || now.digest === before.digest) return [];
      return [change(`${guardId(before)}${before.digest === absent ? ' (new)' : ''}`)];
    }
    case 'names':
      return newNames(before, now).map((name) => change(`${path.join(before.folder, name)} (new)`));
    case 'program': {
      if (now.kind !== 'program') return [];
      const came = programChange(before.found, now.found, before.by);
      const found = [now.found, before.found].find((each) => each.at !== 'none' && each.file !== undefined);
      const name = found === undefined || found.at === 'none' ? undefined : found.file;
      return came === 'same' ? [] : [change(name ?? guardId(before), came)];
    }
    case 'interpreter': {
      if (now.kind !== 'interpreter') return [];
      const isSame = now.digest === before.digest && now.links.join('\n') === before.links.join('\n');
      return isSame ? [] : [change(before.file)];
    }
    case 'programs':
      if (now.kind !== 'programs') return [];
      return folderChanges(before, now, { place, checked }).map(({ name, kind: as }) => change(name, as));
    case 'packages':
      return now.kind === 'packages' ? packageChanges(before, now, place.folder).map((name) => change(name)) : [];
    case 'ignored':
      return now.kind === 'ignored' ? ignoredChanges(before, now).map((name) => change(name)) : [];
  }
}
