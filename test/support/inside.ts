import path from 'node:path';
import { Readable } from 'node:stream';
import { createCollector } from '../../src/cli/testing/collector.ts';
import type { TerminalSize } from './emulator.ts';
import { launcher } from './ralphd-process.ts';

// The built version; its types come from the sources, so that type checking needs no build.
const { main } = (await import(
  path.resolve(import.meta.dirname, '../../dist/cli.js')
)) as typeof import('../../src/cli/main.ts');

/** The exit code and the output of a command. */
export interface EndedInside {
  readonly code: number;
  readonly signal: null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The working directory and the whole environment of a command. */
export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs the built program to its end inside this process: no new Node process, and the code loads only once. */
export async function runInside(args: readonly string[], place: Place): Promise<EndedInside> {
  return await beginInside(args, place).ended;
}

/** The same for a command that is followed. */
export function beginInside(args: readonly string[], place: Place) {
  const stdout = createCollector();
  const stderr = createCollector();
  const output = () => ({ stdout: stdout.text(), stderr: stderr.text() });
  const streams = { stdin: emptyInput(), stdout: stdout.stream, stderr: stderr.stream };
  const ended = runWith(streams, args, place).then((code) => ({ code, signal: null, ...output() }));
  return { ended, output };
}

/** The same in a terminal that nobody types into: its exit code, and everything that the terminal received. */
export async function runInsideTerminal(
  args: readonly string[],
  place: Place,
  { columns, rows }: TerminalSize,
): Promise<{ readonly code: number; readonly text: string }> {
  const received = createCollector();
  const withColours = { getColorDepth: () => 8, hasColors: () => true };
  Object.assign(received.stream, { isTTY: true, columns, rows, ...withColours });
  const stdin = Object.assign(emptyInput(), { isTTY: true });
  const code = await runWith({ stdin, stdout: received.stream, stderr: received.stream }, args, place);
  // A terminal returns to the first column at each line end.
  return { code, text: received.text().replaceAll('\n', '\r\n') };
}

interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

function emptyInput(): NodeJS.ReadStream {
  return Readable.from([]) as unknown as NodeJS.ReadStream;
}

async function runWith(streams: Streams, args: readonly string[], { cwd, env }: Place): Promise<number> {
  const host = {
    ...streams,
    env: { ...env },
    cwd: () => cwd,
    execPath: process.execPath,
    execArgv: [],
    argv: [process.execPath, launcher, ...args],
  };
  using _ = expectNoListenerLeft();
  return await main(args, { host });
}

let running = 0;
let listenersBefore = 0;

/** A listener that a command leaves behind leaks in every process that runs several commands. */
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
