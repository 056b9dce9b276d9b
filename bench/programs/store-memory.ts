import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openLoopFolders } from '../../src/store/index.ts';

/* Prints the resident memory, in MB, of a process that recorded as many facts as its argument says. */
const facts = Number(process.argv[2]);
const root = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-memory-'));
try {
  const owner = { host: 'bench', bootId: 'bench', pid: process.pid, startTime: '1' };
  const store = openLoopFolders({ root, owner, livenessOf: () => 'dead', now: () => new Date() });
  using open = store.create('ralph-bench-00000001');
  const fact = { type: 'iteration.started', data: { text: 'x'.repeat(300), iteration: 1 } };
  for (let left = facts; left > 0; left -= 100) open.append(Array.from({ length: 100 }, () => fact));
  globalThis.gc?.();
  console.log(process.memoryUsage().rss / 2 ** 20);
} finally {
  rmSync(root, { recursive: true, force: true });
}
