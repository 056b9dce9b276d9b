import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { realSubject, type Subject } from '../oracle/subject.ts';

/**
 * A change to the source of the store or of the files it imports: a text that occurs exactly once in a file, and its
 * replacement.
 */
export interface Patch {
  /** Relative to `src`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const source = path.join(import.meta.dirname, '../../../src');
const modules = path.join(import.meta.dirname, '../../../node_modules');
// Not a plain import: every copy must be a separate module under any test runner.
const load = createRequire(import.meta.url);

/** The store with changes in its source, loaded from a temporary copy. */
export function patchedSubject(patches: readonly Patch[]): Subject {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-mutant-'));
  try {
    for (const room of ['base', 'files', 'store'])
      cpSync(path.join(source, room), path.join(folder, 'src', room), { recursive: true, filter: isNoTest });
    // No bug is planted in it, and reloading its schemas would take longer than everything else.
    symlinkSync(path.join(source, 'protocol'), path.join(folder, 'src/protocol'));
    symlinkSync(modules, path.join(folder, 'node_modules'));
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    for (const patch of patches) apply(path.join(folder, 'src', patch.file), patch);
    const rooms = ['files', 'store'].map(
      (room) => load(path.join(folder, 'src', room, 'index.ts')) as Partial<Subject>,
    );
    return Object.assign({}, realSubject, ...rooms) as Subject;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isNoTest = (file: string) => !file.endsWith('.test.ts');

function apply(file: string, { from, to }: Patch): void {
  const text = readFileSync(file, 'utf8');
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(`${path.basename(file)} has ${parts.length - 1} times what should be changed: ${from}`);
  writeFileSync(file, parts.join(to));
}
