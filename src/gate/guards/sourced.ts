import path from 'node:path';
import { plainCommands } from '../../core/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';

const isShell = /\.(?:ba|da|k|z)?sh$/;
/** "$(dirname "$0")/lib.sh", "${here}/lib.sh": whatever stands before, the rest is seen from the script or from the folder. */
const leading = /^(?:\$\(.*\)|\$\{.*\}|\$\w+)\//;

/** The shell files that a shell script takes in: they are a part of it. What it is given by `.env` files is not. */
export function sourcedBy(folder: string, script: string): readonly string[] {
  const text = readSmallFile(toRaw(path.resolve(folder, script)))?.toString('utf8') ?? '';
  if (!isShell.test(script) && !/^#!.*\b(?:ba|da|k|z)?sh\b/.test(text)) return [];
  const named = plainCommands(text)
    .filter(([program]) => program === '.' || program === 'source')
    .flatMap(([, file = '']) => file);
  const files = named.map((name) => name.replace(leading, '')).filter((name) => isShell.test(name));
  return files.flatMap((name) => [path.resolve(folder, name), path.resolve(folder, path.dirname(script), name)]);
}
