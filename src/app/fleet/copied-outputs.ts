import path from 'node:path';
import * as z from 'zod';
import {
  expand,
  extendFile,
  look,
  makeFolders,
  nodeFiles,
  putUserFile,
  readUserFile,
  removeRoomEntry,
} from '../../files/index.ts';
import type { Fleet, ReadOutput } from '../../fleet/index.ts';
import type { Stream } from '../../process/index.ts';
import type { AttemptKey } from '../../runner/index.ts';
import { attemptFolder, attemptsOf, iterationsOf, type RootedPlace } from '../../store/index.ts';
import type { OutputElsewhere } from '../remote-loops.ts';
import { readerPatienceMs } from './fleet-state.ts';

const stream = z.object({ begin: z.number(), end: z.number(), bytes: z.number() });
const stored = z.object({
  revision: z.number(),
  attempts: z.record(
    z.string(),
    z.object({ host: z.string(), folder: z.string(), complete: z.boolean(), stdout: stream, stderr: stream }),
  ),
});
type Copied = z.infer<typeof stored>;
type CopiedStream = z.infer<typeof stream>;

const streams = ['stdout', 'stderr'] as const;
const maxBytes = 1024 * 1024;
/** As many attempts as the database keeps. */
const maxAttempts = 4;

/** Brings what the database has of the output of a loop's agents into the copy, where it is read like any other output. */
export async function copyOutputs(fleet: Fleet, place: RootedPlace): Promise<OutputElsewhere> {
  let copied = readCopied(place);
  const found = await fleet.outputs(place.loopId, copied.revision, { patienceMs: readerPatienceMs });
  if (found.length > 0) {
    for (const output of found) copied = extend(place, copied, output);
    copied = withoutOldest(place, copied);
    makeFolders(place.files, place.root, place.folder);
    putUserFile(fileOf(place), `${JSON.stringify(copied)}\n`);
  }
  return elsewhere(copied);
}

/** Where all of the output is, as far as the copy knows. */
function elsewhere({ attempts }: Copied): OutputElsewhere {
  const [newest] = Object.keys(attempts).map(parseKey).toSorted(newestFirst);
  const whole = (key: AttemptKey) => {
    const { host, folder } = attempts[nameOf(key)] ?? {};
    return host === undefined || folder === undefined ? undefined : { host, folder };
  };
  return {
    missing: (key, name) => {
      const [at, found] = [whole(key), attempts[nameOf(key)]?.[name]];
      return at === undefined || found === undefined ? undefined : { ...at, bytes: found.begin };
    },
    isComplete: (key) => attempts[nameOf(key)]?.complete === true,
    newest: newest === undefined ? undefined : whole(newest),
  };
}

/** Makes the files of an attempt that an agent works on, before anything of its output is there. */
export function prepareOutput(place: RootedPlace, key: AttemptKey): void {
  const folder = attemptFolder(place, key);
  makeFolders(place.files, place.root, folder);
  for (const name of streams) {
    const file = path.join(folder, name);
    if (look(place.files, file) === undefined) extendFile(file, 0, Buffer.alloc(0));
  }
}

/** What a reader saw stays, so that it can follow: what is new is added. */
function extend(place: RootedPlace, { attempts }: Copied, output: ReadOutput): Copied {
  const { iteration, attempt, host, folder, complete, revision } = output;
  const key = { iteration, attempt };
  const before = attempts[nameOf(key)];
  prepareOutput(place, key);
  const next = (name: Stream) => extendStream(path.join(attemptFolder(place, key), name), before?.[name], output, name);
  const now = { host, folder, complete, stdout: next('stdout'), stderr: next('stderr') };
  return { revision: Math.max(revision, 0), attempts: { ...attempts, [nameOf(key)]: now } };
}

function extendStream(file: string, before: CopiedStream | undefined, output: ReadOutput, name: Stream): CopiedStream {
  const tail = expand(output[name], maxBytes) ?? Buffer.alloc(0);
  const end = output[`${name}End`];
  const begin = end - tail.byteLength;
  if (before === undefined) {
    extendFile(file, 0, tail);
    return { begin, end, bytes: tail.byteLength };
  }
  if (end <= before.end) return before;
  const left = begin - before.end;
  const added =
    left > 0
      ? Buffer.concat([Buffer.from(`\n[… ${left} bytes left out …]\n`), tail])
      : tail.subarray(before.end - begin);
  extendFile(file, before.bytes, added);
  return { begin: before.begin, end, bytes: before.bytes + added.byteLength };
}

function withoutOldest(place: RootedPlace, { revision, attempts }: Copied): Copied {
  const there = iterationsOf(place).flatMap((iteration) =>
    attemptsOf(place, iteration).map((attempt) => ({ iteration, attempt })),
  );
  const old = there.toSorted(newestFirst).slice(maxAttempts);
  for (const key of old) removeRoomEntry(attemptFolder(place, key));
  const names = new Set(old.map(nameOf));
  return { revision, attempts: Object.fromEntries(Object.entries(attempts).filter(([name]) => !names.has(name))) };
}

function readCopied(place: RootedPlace): Copied {
  try {
    const copied = stored.parse(JSON.parse(readUserFile(fileOf(place)) ?? ''));
    const isThere = Object.entries(copied.attempts).every(([name, attempt]) =>
      streams.every((each) => {
        const size = look(nodeFiles, path.join(attemptFolder(place, parseKey(name)), each))?.size;
        return size !== undefined && size >= attempt[each].bytes;
      }),
    );
    if (isThere) return copied;
  } catch {
    // Fetched anew.
  }
  return { revision: 0, attempts: {} };
}

function fileOf({ folder }: RootedPlace): string {
  return path.join(folder, 'outputs.json');
}

function nameOf({ iteration, attempt }: AttemptKey): string {
  return `${iteration}/${attempt}`;
}

function parseKey(name: string): AttemptKey {
  const [iteration = 0, attempt = 0] = name.split('/').map(Number);
  return { iteration, attempt };
}

function newestFirst(one: AttemptKey, other: AttemptKey): number {
  return other.iteration - one.iteration || other.attempt - one.attempt;
}
