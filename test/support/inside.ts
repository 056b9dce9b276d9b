import path from 'node:path';
import { Readable } from 'node:stream';
import { createCollector } from '../../src/cli/testing/collector.ts';
import { launcher } from './ralphd-process.ts';

// As it is built; its types come from the sources, so that checking them needs no build.
const { main } = (await import(
  path.resolve(import.meta.dirname, '../../dist/cli.js')
)) as typeof import('../../src/cli/main.ts');

/** How a command line ended, and all it printed. */
export interface EndedInside {
  readonly code: number;
  readonly signal: null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a command line runs, and all that it gets as its environment. */
export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs the built program to its end inside this process: Node is not started, and its code is loaded only once. */
export async function runInside(args: readonly string[], { cwd, env }: Place): Promise<EndedInside> {
  const stdout = createCollector();
  const stderr = createCollector();
  const host = {
    env: { ...env },
    cwd: () => cwd,
    stdin: Readable.from([]) as unknown as NodeJS.ReadStream,
    stdout: stdout.stream,
    stderr: stderr.stream,
    execPath: process.execPath,
    execArgv: [],
    argv: [process.execPath, launcher, ...args],
  };
  using _ = expectNoListenerLeft();
  const code = await main(args, { host });
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
}

let running = 0;
let listenersBefore = 0;

/** A command that leaves a listener behind is a leak for everybody who runs several in one process. */
function expectNoListenerLeft(): Disposable {
  if (running === 0) listenersBefore = countListeners();
  running += 1;
  return {
    [Symbol.dispose]: () => {
      running -= 1;
      if (running === 0 && countListeners() > listenersBefore)
        throw new Error('A listener for signals was left behind.');
    },
  };
}

function countListeners(): number {
  return ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGWINCH', 'SIGCONT'].reduce(
    (sum, name) => sum + process.listenerCount(name),
    0,
  );
}
