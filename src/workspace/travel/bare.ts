import path from 'node:path';
import { makePrivateFolder, putRoomFile } from '../../files/index.ts';
import { bareSettings } from '../bare-settings.ts';
import { toRaw } from '../raw-path.ts';
import { readSmallText } from '../small-file.ts';

/** What a bare repository of ours is set to. */
export interface BareSetting {
  /** `sha1` or `sha256`. */
  readonly algorithm: string;
  /** The shared repository. Its address is in a private file and not on a command line, because it may hold a password. */
  readonly repository: string;
}

// The highest precedence: files travel byte for byte, and no attribute of the repository converts or filters them.
const attributes = '* -text -eol -filter -ident -working-tree-encoding\n';

/**
 * Creates a bare repository of ours, or restores its settings: settings of git can run programs, and an agent may have
 * changed them.
 */
export function layBare(folder: string, setting: BareSetting): void {
  for (const part of ['objects', 'refs', 'info']) makePrivateFolder(path.join(folder, part));
  putIfDifferent(path.join(folder, 'config'), settingsFor(setting));
  putIfDifferent(path.join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  putIfDifferent(path.join(folder, 'info/attributes'), attributes);
}

/** The hash that a bare repository of ours is set to. */
export function algorithmOf(folder: string): string {
  return /objectFormat = sha256/.test(readSmallText(toRaw(path.join(folder, 'config')))) ? 'sha256' : 'sha1';
}

/** Writes a small file unless it has this content. */
export function putIfDifferent(file: string, text: string): void {
  if (readSmallText(toRaw(file)) !== toRaw(text)) putRoomFile(file, text, 0o600);
}

function settingsFor({ algorithm, repository }: BareSetting): string {
  return bareSettings(algorithm, {
    // A backslash is part of a name here.
    core: ['protectNTFS = false'],
    sections: ['[gc]', 'auto = 0', '[remote "origin"]', `url = ${quoted(repository)}`],
  });
}

/** A value of a settings file of git. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
