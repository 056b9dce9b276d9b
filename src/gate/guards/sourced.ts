import path from 'node:path';
import { plainCommands } from '../../core/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';

const isShell = /\.(?:ba|da|k|z)?sh$/;
/** `$(dirname "$0")/lib.sh`, `${here}/lib.sh`: the rest is tried relative to the script and to the work folder. */
const leading = /^(?:\$\(.*\)|\$\{.*\}|\$\w+)\//;

/** The shell files that a shell script sources: they are part of it. Sourced `.env` files are not. */
export function sourcedFiles(folder: string, script: string): readonly string[] {
  const text = readSmallFile(toRaw(path.resolve(folder, script)))?.toString('utf8') ?? '';
  if (!isShellScript(script, text)) return [];
  const named = plainCommands(text)
    .filter(([program]) => program === '.' || program === 'source')
    .flatMap(([, file = '']) => file);
  const files = named.map((name) => name.replace(leading, '')).filter((name) => isShell.test(name));
  return files.flatMap((name) => [path.resolve(folder, name), path.resolve(folder, path.dirname(script), name)]);
}

const maxShellLines = 200;

/** The text of a shell script without its comments; undefined for any other file. */
export function shellLines(file: string): string | undefined {
  const text = readSmallFile(toRaw(file), 65_536)?.toString('utf8') ?? '';
  if (!isShellScript(file, text)) return undefined;
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*#/.test(line));
  return lines.slice(0, maxShellLines).join('\n');
}

/** Whether a file is a shell script, by its name or its first line. */
export function isShellScript(name: string, text: string): boolean {
  return text !== '' && (isShell.test(name) || /^#!.*\b(?:ba|da|k|z)?sh\b/.test(text));
}
