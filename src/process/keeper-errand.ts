import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { toArguments } from './launch.ts';
import { withMarker } from './marker.ts';
import { endByMarker } from './reap.ts';
import type { RunOptions } from './run-to-end.ts';
import { sweep } from './sweep.ts';
import { processTable } from './table.ts';

/** A short command whose output is all that is needed, such as a look at a repository. */
export type Errand = Pick<RunOptions, 'command' | 'cwd' | 'env'> & { readonly timeoutMs: number };

/**
 * Runs a command that only reads and returns what it printed. Undefined when that did not work, for whatever reason: then
 * the caller runs it itself, and learns why.
 */
export type RunErrand = (errand: Errand) => Promise<Buffer | undefined>;

/** The line over which errands are sent, and where their output arrives. */
interface Carrier {
  readonly send: (fields: readonly string[]) => void;
  readonly output: Readable;
  readonly over: Promise<unknown>;
}

/**
 * Has a keeper run a command: it is small, so that it forks within a fraction of the time that this process needs. The output
 * is enclosed by a token that the command cannot know; behind it is how the command ended.
 */
export async function runErrand(carrier: Carrier, errand: Errand): Promise<Buffer | undefined> {
  const { command, cwd, env, timeoutMs } = errand;
  const [token, marker] = [randomUUID(), randomUUID()];
  const variables = Object.entries(withMarker(env, marker)).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  const fresh = processTable.fromNow();
  const answer = awaitAnswer(carrier, { token, timeoutMs });
  carrier.send(['errand', token, cwd, String(variables.length), ...variables, ...toArguments(command)]);
  const found = await answer;
  if (found === undefined) {
    await endByMarker(marker);
    return undefined;
  }
  if (!found.isAlone) await sweep(marker, [], { findMarked: () => fresh.marked(marker, found.pid) });
  return found.status === 0 ? found.output : undefined;
}

interface Answer {
  readonly pid: number;
  readonly status: number;
  /** Whether it is certain that it left nothing running. */
  readonly isAlone: boolean;
  readonly output: Buffer;
}

async function awaitAnswer(
  { output, over }: Carrier,
  { token, timeoutMs }: { readonly token: string; readonly timeoutMs: number },
): Promise<Answer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
  const chunks: Buffer[] = [];
  const end = new RegExp(`\\x00${token} (\\d+) (\\d+) ([01])\\n$`);
  let tail = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    tail = Buffer.concat([tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes);
    const [whole, pid, status, alone] = end.exec(tail.toString('latin1')) ?? [];
    if (whole === undefined) return;
    const bytes = Buffer.concat(chunks);
    // Before it may be the rest of a command that did not end in time.
    const begin = bytes.indexOf(`\0${token}\n`) + token.length + 2;
    const output = bytes.subarray(begin, bytes.length - whole.length);
    resolve({ pid: Number(pid), status: Number(status), isAlone: alone === '1', output });
  };
  const timer = setTimeout(() => resolve(undefined), timeoutMs);
  void over.then(() => resolve(undefined));
  output.on('data', take);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    output.off('data', take);
  }
}

const tailBytes = 128;
