import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { attend } from './attend.ts';
import type { Ending } from './ending.ts';
import { type Command, type Launched, launch } from './launch.ts';
import { createOutputWindow, wholeLength } from './output-window.ts';
import { processTable } from './table.ts';
import { settlesWithin } from './waiting.ts';

/** One short command whose output is needed: a check, a hook, a git call. */
export interface RunOptions {
  readonly command: Command;
  readonly cwd: string;
  /** The whole environment; only the marker is added to it. */
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly killSignal?: AbortSignal | undefined;
  readonly graceMs?: number | undefined;
  /** Given when a later ralphd must be able to find what this one left; unique when left out. */
  readonly marker?: string | undefined;
  /** What the command reads; left out, its input is empty. */
  readonly input?: string | Uint8Array | undefined;
  /** How much output is kept; 64 KiB when left out. */
  readonly maxOutputBytes?: number | undefined;
}

/** What a command printed and how it ended. */
export interface FinishedRun {
  readonly ending: Ending;
  /** Standard output and error output as they arrived; beginning and end when it was too long. */
  readonly output: string;
  readonly truncatedBytes: number;
  /** SHA-256 of everything it printed, including what was not kept. */
  readonly outputDigest: string;
  readonly durationMs: number;
  readonly survivors: readonly number[];
}

/** A command whose standard output is data. */
export interface CapturedRun extends Omit<FinishedRun, 'output' | 'truncatedBytes' | 'outputDigest'> {
  readonly stdout: Buffer;
  /** Beginning and end of the error output. */
  readonly stderr: string;
}

const defaultWindowBytes = 64 * 1024;
const defaultCaptureBytes = 64 * 1024 * 1024;
const maxDrainMs = 1_000;

/** Runs a command to its end and returns its output as text; memory stays bounded whatever it prints. */
export async function runToEnd(options: RunOptions): Promise<FinishedRun> {
  const window = createOutputWindow(options.maxOutputBytes ?? defaultWindowBytes);
  const stdout = wholeCharacters(window.push);
  const stderr = wholeCharacters(window.push);
  const digest = createHash('sha256');
  const receiveBy = (push: (chunk: Buffer) => void) => (chunk: Buffer) => {
    digest.update(chunk);
    push(chunk);
  };
  const run = await runPiped(options, { stdout: receiveBy(stdout.push), stderr: receiveBy(stderr.push) });
  stdout.flush();
  stderr.flush();
  return { ...run, ...window.read(), outputDigest: digest.digest('hex') };
}

/** Runs a command to its end and returns its raw output; it is stopped when it prints more than the limit. */
export async function runCapture(options: RunOptions): Promise<CapturedRun> {
  const limit = options.maxOutputBytes ?? defaultCaptureBytes;
  const errors = createOutputWindow(defaultWindowBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  const keep = (chunk: Buffer) => {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
  };
  const run = await runPiped(options, { stdout: keep, stderr: errors.push, bytes: () => length, limit });
  return { ...run, stdout: Buffer.concat(chunks), stderr: errors.read().output };
}

interface Receiver {
  readonly stdout: (chunk: Buffer) => void;
  readonly stderr: (chunk: Buffer) => void;
  /** How much has arrived, where there is a limit to it. */
  readonly bytes?: () => number;
  readonly limit?: number;
}

type Outcome = Pick<FinishedRun, 'ending' | 'survivors'>;

async function runPiped(options: RunOptions, receiver: Receiver) {
  const startedAt = performance.now();
  const attended = await runReceiving(options, receiver);
  return { ...attended, durationMs: performance.now() - startedAt };
}

async function runReceiving(options: RunOptions, receiver: Receiver): Promise<Outcome> {
  if (options.signal?.aborted || options.killSignal?.aborted) {
    return { ending: { kind: 'stopped', by: 'request', forced: false }, survivors: [] };
  }
  const marker = options.marker ?? randomUUID();
  const input = options.input === undefined ? 'ignore' : 'pipe';
  const fresh = processTable.fromNow();
  const launched = await launch({ ...options, marker }, [input, 'pipe', 'pipe']);
  if (launched.kind === 'not_started') return { ending: launched, survivors: [] };
  const closed = once(launched.child, 'close');
  connect(launched, options.input, receiver);
  const bounds = {
    ...options,
    marker,
    maxOutputBytes: receiver.limit,
    findMarked: () => fresh.marked(marker, launched.pid),
  };
  const attended = await attend(launched, bounds, { outputBytes: receiver.bytes ?? (() => 0) });
  // Every process that could write has ended, so this is short; only a survivor could keep the pipes open.
  if (!(await settlesWithin(closed, maxDrainMs))) disconnect(launched);
  return attended;
}

function connect({ child }: Launched, input: RunOptions['input'], receiver: Receiver): void {
  listen(child.stdout, receiver.stdout);
  listen(child.stderr, receiver.stderr);
  // A command that does not read all of its input closes the pipe early: that is allowed, not an error.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
}

function listen(stream: Readable | null, receive: (chunk: Buffer) => void): void {
  stream?.on('data', receive);
  stream?.on('error', () => {});
}

function disconnect({ child }: Launched): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
}

/** Two streams share one window: a character must not be split by a chunk of the other stream. */
function wholeCharacters(push: (chunk: Uint8Array) => void) {
  let rest: Uint8Array = Buffer.alloc(0);
  return {
    push: (chunk: Buffer) => {
      const joined = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const length = wholeLength(joined);
      rest = joined.subarray(length);
      push(joined.subarray(0, length));
    },
    flush: () => push(rest),
  };
}
