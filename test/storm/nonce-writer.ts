import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openLoopFolders } from '../../src/store/index.ts';
import { masterOf, protectionWith, vaultWith } from '../../src/vault/testing/vaults.ts';

/*
 * Owns an encrypted loop and records facts until it is killed: `nonce-writer.ts ROOT MIRROR LOOP`. It prints how many it has
 * recorded. The key is that of the tests; every random byte is the system's.
 */
const [root = '', mirrorRoot = '', loopId = ''] = process.argv.slice(2);
const reportEvery = 20;
const snapshotEvery = 500;

const store = openLoopFolders({
  root,
  mirrorRoot,
  owner: { host: 'storm', bootId: 'storm', pid: process.pid, startTime: String(process.pid) },
  livenessOf: () => 'dead',
  now: () => new Date(),
  segmentBytes: 1024 * 1024,
  protection: protectionWith(vaultWith(masterOf(), randomBytes)),
});
const loop = store.has(loopId) ? store.open(loopId) : store.create(loopId);
for (let count = 1; ; count += 1) {
  loop.append([{ type: 'number.noted', data: { count, pid: process.pid } }]);
  if (count % snapshotEvery === 0) {
    loop.writeSnapshot({ version: '2.0.0', loop_id: loopId, status: 'running', iteration: count, ralphd: {} });
  }
  if (count % reportEvery === 0) report(count);
}

// This process never waits, so what the pipe does not take at once is never written: the next report will be.
function report(count: number): void {
  try {
    writeSync(1, `${count}\n`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
  }
}
