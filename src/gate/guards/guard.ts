import path from 'node:path';
import { guardId } from '../../core/index.ts';
import { absent, type Guard } from '../../protocol/index.ts';
import { configPart } from './config-part.ts';
import { fileDigest, hash } from './file-digest.ts';
import { currentIgnored, ignoredChanges } from './ignored.ts';
import { currentInterpreter } from './interpreter.ts';
import { targetFile, targetLines, targetProgram } from './make-target.ts';
import { filesNamed, newNames } from './names.ts';
import { scriptTexts } from './package-scripts.ts';
import { currentPackages, packageChanges } from './packages.ts';
import { findProgram, programChange } from './program.ts';
import { currentPrograms, folderChanges } from './search-folder.ts';

/** Where guards are evaluated. */
export interface GuardPlace {
  readonly folder: string;
  /** The folders that a shell searches for programs. */
  readonly PATH: string;
  /** The scripts that a script runs. */
  readonly nestedScripts: (script: string) => readonly string[];
}

/** A guard whose subject changed. */
export interface GuardChange {
  readonly guard: Guard;
  /** The file that is there now, or the id of the guard. */
  readonly name: string;
  /** `tampered`: the checks prove nothing. `doubt`: a person should review it. */
  readonly kind: 'tampered' | 'doubt';
}

/** The same guard with the present state of its subject. */
export function refreshGuard<Given extends Guard>(guard: Given, place: GuardPlace): Given;
export function refreshGuard(guard: Guard, place: GuardPlace): Guard {
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
      return { ...guard, ...currentInterpreter(at(guard.file)) };
    case 'programs':
      return { ...guard, ...currentPrograms(at(guard.folder), place.folder) };
    case 'packages':
      return { ...guard, packages: currentPackages(at(guard.folder)) };
    case 'ignored':
      return { ...guard, paths: currentIgnored(place.folder) };
  }
}

function scriptDigest(manifest: string, script: string, { nestedScripts }: GuardPlace): string {
  const texts = scriptTexts(manifest, script, nestedScripts);
  return texts === undefined ? absent : hash(JSON.stringify(texts));
}

function partDigest(file: string, name: string): string {
  const part = configPart(file, name);
  // A file name may contain "#".
  if (part === undefined) return fileDigest(`${file}#${name}`);
  return part === '' ? absent : hash(part);
}

/** Reads the file that would be used now: a new one may take precedence. */
function targetDigest(file: string, target: string): string {
  const program = targetProgram(path.basename(file));
  const folder = path.dirname(file);
  const used = program === undefined ? undefined : targetFile(folder, program);
  const lines = used === undefined ? undefined : targetLines(path.join(folder, used), target);
  return lines === undefined ? absent : hash(JSON.stringify([used, lines]));
}

/** The changes of one guard; a folder may have several. */
export function changesOf(before: Guard, place: GuardPlace, checked: ReadonlySet<string>): readonly GuardChange[] {
  const kind = before.effect === 'report' ? 'doubt' : 'tampered';
  const change = (name: string, as: GuardChange['kind'] = kind) => ({ guard: before, name, kind: as });
  const now = refreshGuard(before, place);
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
      const verdict = programChange(before.found, now.found, before.by);
      const found = [now.found, before.found].find((each) => each.at !== 'none' && each.file !== undefined);
      const name = found === undefined || found.at === 'none' ? undefined : found.file;
      return verdict === 'same' ? [] : [change(name ?? guardId(before), verdict)];
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
