import { readFileSync } from 'node:fs';
import path from 'node:path';

const programs = path.resolve(import.meta.dirname, '../package/programs');

/** A program from `test/package/programs` as a user of the package writes it: importing `ralphd/NAME`. */
export function programOf(name: string): string {
  const text = readFileSync(path.join(programs, `${name}.ts`), 'utf8');
  return text.replace(`'../../../src/${name}.ts'`, `'ralphd/${name}'`);
}
