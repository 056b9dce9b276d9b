import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A state folder that only its owner can enter and that is gone when it is disposed of. */
export interface VolatileRoot extends Disposable {
  readonly root: string;
}

/** Makes a place for a loop that is to leave nothing behind. */
export function createVolatileRoot(): VolatileRoot {
  const root = mkdtempSync(path.join(tmpdir(), 'ralphd-'));
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}
