import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFileCommandBus } from '../../../src/app/adapters/file-command-bus.ts';
import { createFileEventBus } from '../../../src/app/adapters/file-event-bus.ts';
import { createFileLoopStore } from '../../../src/app/adapters/file-loop-store.ts';
import { createFilePulseBus, createFilePulses } from '../../../src/app/adapters/file-pulses.ts';
import { systemClock } from '../../../src/app/clock.ts';
import type { Machine } from '../../../src/app/machine.ts';
import { nodeFiles } from '../../../src/files/index.ts';
import { systemError, watchFiles } from '../../../src/files/testing/faulty-files.ts';
import { openLoopFolders } from '../../../src/store/index.ts';
import type { LoopPlaceUnderTest, ProcessUnderTest } from './adapter.ts';

const registry = { whileLocked: async <Result>(action: () => Promise<Result>) => await action(), refresh: () => {} };

/** Loops in folders, shared by simulated processes: each has its own identity and uses the real locks. */
export async function createFilePlace(): Promise<LoopPlaceUnderTest> {
  const root = mkdtempSync(path.join(tmpdir(), 'ralphd-ports-'));
  const loops = path.join(root, 'loops');
  const disk = createDisk(loops);
  const dead = new Set<number>();
  let processes = 0;

  function startProcess(): ProcessUnderTest {
    processes += 1;
    const self = { host: 'here', bootId: 'boot', pid: processes, startTime: String(processes) };
    const machine: Machine = {
      clock: systemClock,
      self: () => self,
      livenessOf: ({ pid }) => (dead.has(pid) ? 'dead' : 'alive'),
      isRunning: (pid) => !dead.has(pid),
    };
    const { livenessOf } = machine;
    const now = () => new Date(systemClock.nowMs());
    // Small segments, so that a long journal has many of them.
    const folders = openLoopFolders({ root, owner: self, livenessOf, now, files: disk.files, segmentBytes: 8 * 1024 });
    const events = createFileEventBus(folders);
    return {
      store: createFileLoopStore(folders, { registry, machine }),
      commands: createFileCommandBus({ folders, events, clock: systemClock }),
      events,
      pulses: createFilePulseBus(folders),
      sinkOf: (loopId) => createFilePulses({ folder: folders.place(loopId).folder, everyMs: 1 }).sink,
      kill() {
        dead.add(self.pid);
        // The kernel releases the locks of a dead process. This process is still alive, so each lock file is moved away
        // instead.
        for (const loop of readdirSync(loops)) putLockAside(path.join(loops, loop), self.pid);
      },
    };
  }

  return {
    startProcess,
    setFull: disk.setFull,
    [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The real disk, which can be full: then no write succeeds while a loop still holds its reserve. */
function createDisk(loops: string) {
  let isFull = false;
  const isReserve = (file: string | undefined) => file !== undefined && path.basename(file) === 'reserve';
  const isHeldBack = () =>
    readdirSync(loops).some((loop) => nodeFiles.look(path.join(loops, loop, 'reserve')) !== undefined);
  const files = watchFiles(nodeFiles, ({ name, path: file }) => {
    const needsRoom = name === 'write' || name === 'create';
    if (isFull && needsRoom && (isReserve(file) || isHeldBack())) throw systemError('ENOSPC');
  });
  return { files, setFull: (now: boolean) => void (isFull = now) };
}

function putLockAside(folder: string, pid: number): void {
  const lock = path.join(folder, 'lock');
  if (nodeFiles.look(lock) !== undefined) renameSync(lock, `${lock}.${pid}`);
}
