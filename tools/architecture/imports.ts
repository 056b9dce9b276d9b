import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One import between two files of the product, both relative to `src/`, resolved through the room's index.ts. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every import between files of the product, without tests and what only they use. */
export function readImports(source: string): readonly Import[] {
  const files = productFiles(source);
  const statements = new Map(files.map((file) => [file, statementsOf(source, file)]));
  const doors = new Map(
    [...statements].map(([file, found]) => [
      file,
      new Map(found.filter(({ isExport }) => isExport).flatMap(({ names, to }) => names.map((name) => [name, to]))),
    ]),
  );
  const origin = (file: string, name: string): string => {
    const behind = doors.get(file)?.get(name);
    return behind === undefined ? file : origin(behind, name);
  };
  return [...statements].flatMap(([from, found]) =>
    found
      .filter(({ isExport }) => !isExport)
      .flatMap(({ to, names }) =>
        [...new Set(names.map((name) => origin(to, name)))].map((target) => ({ from, to: target })),
      ),
  );
}

/** The files of the product, relative to `src/`. */
export function productFiles(source: string): readonly string[] {
  return globSync('**/*.ts', { cwd: source })
    .filter((file) => !file.endsWith('.test.ts') && !file.split(path.sep).includes('testing'))
    .sort();
}

/** The room of a file: its folder below `src/`; in `core`, the folder below that. */
export function roomOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (!file.includes('/')) return 'library';
  return first === 'core' && second !== '' && !second.endsWith('.ts') ? `core/${second}` : first;
}

interface Statement {
  readonly to: string;
  readonly names: readonly string[];
  readonly isExport: boolean;
}

// Biome formats every import alike, so one pattern matches them all.
const fromStatement = /^(import|export) (?:type )?(\{[^}]*\}|\* as \w+|\w+) from '(\.[^']+)';/gmu;
const dynamicImport = /\{([^{}]*)\} = await import\(\s*'(\.[^']+)'/gu;

function statementsOf(source: string, file: string): readonly Statement[] {
  const text = readFileSync(path.join(source, file), 'utf8');
  const resolve = (target: string) => path.posix.join(path.posix.dirname(file), target);
  const fixed = [...text.matchAll(fromStatement)].map(([, keyword, clause = '', target = '']) => ({
    to: resolve(target),
    names: namesIn(clause),
    isExport: keyword === 'export',
  }));
  const late = [...text.matchAll(dynamicImport)].map(([, clause = '', target = '']) => ({
    to: resolve(target),
    names: namesIn(clause),
    isExport: false,
  }));
  return [...fixed, ...late];
}

function namesIn(clause: string): readonly string[] {
  return clause
    .replaceAll(/[{}]/gu, '')
    .split(',')
    .map((part) => part.trim().replace(/^type /u, ''))
    .filter((part) => part !== '')
    .map((part) => part.split(/ as |:/u)[0]?.trim() ?? part);
}
