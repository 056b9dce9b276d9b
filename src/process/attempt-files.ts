import { closeSync, constants as flags, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { type Exited, errorCode, type Signalled, type Stopped } from './ending.ts';
import type { ProcessIdentity } from './identity.ts';

/** What the keeper wrote when it started. */
export interface Started {
  /** Missing when the attempt was abandoned before anything ran, or when the file was tampered with. */
  readonly keeper?: ProcessIdentity;
  /** Missing until the agent runs, and from a keeper that can have no other child that leads a process group. */
  readonly agent?: Pick<ProcessIdentity, 'pid' | 'startTime'>;
  readonly at: number;
}

const voidRecord = 'void\n';
const maxRecordBytes = 4_096;
const ownerOnly = 0o600;

/** Makes sure that an attempt that has not started never will; false when it has. */
export function voidAttempt(folder: string): boolean {
  try {
    writeFileSync(path.join(folder, 'started'), voidRecord, { flag: 'wx', mode: ownerOnly });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Reads `started`; undefined when there is none. */
export function readStarted(folder: string): Started | undefined {
  const file = readSmall(path.join(folder, 'started'));
  if (file === undefined) return undefined;
  const [first = '', second = ''] = file.text.split('\n');
  const [keeper, agent] = [parseIdentity(first), parseProcess(second)];
  return { at: file.changedAt, ...(keeper && { keeper }), ...(agent && { agent }) };
}

/** How and when the agent ended according to the keeper; undefined when the keeper recorded nothing. */
export function readExit(folder: string): { readonly ending: Exited | Signalled; readonly at: number } | undefined {
  const file = readSmall(path.join(folder, 'exit'));
  // Without a trailing newline it was not written completely.
  const ending = file?.text.endsWith('\n') ? parseEnding(file.text.slice(0, -1)) : undefined;
  return file && ending && { ending, at: file.changedAt };
}

/** Why the keeper ended the agent itself while no ralphd was running. */
export function readOverdue(folder: string): Stopped | 'lost' | undefined {
  const [, why, forced] =
    /^(deadline|loss)( forced)?\n$/.exec(readSmall(path.join(folder, 'overdue'))?.text ?? '') ?? [];
  if (why === undefined) return undefined;
  return why === 'loss' ? 'lost' : { kind: 'stopped', by: 'timeout', forced: forced !== undefined };
}

/**
 * How an agent ended, in its keeper's words: `exited 3`, `signal 9`, or the bare status of a shell, in which 128 + n stands
 * for a death by signal, or for exactly that exit code.
 */
export function parseEnding(words: string): Exited | Signalled | undefined {
  const [, word, digits] = /^(?:(exited|signal) )?(\d{1,3})$/.exec(words) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  if (word === 'exited') return { kind: 'exited', code: number };
  const signal = nameOfSignal(word === 'signal' ? number : number - 128);
  if (signal !== undefined) return { kind: 'signalled', signal };
  return { kind: 'exited', code: word === 'signal' ? 128 + number : number };
}

function nameOfSignal(number: number): NodeJS.Signals | undefined {
  const [name] = Object.entries(constants.signals).find(([, each]) => each === number) ?? [];
  return name as NodeJS.Signals | undefined;
}

function parseIdentity(line: string): ProcessIdentity | undefined {
  const { host, bootId } = parseObject(line);
  const found = parseProcess(line);
  return found && typeof host === 'string' && typeof bootId === 'string' ? { host, bootId, ...found } : undefined;
}

function parseProcess(line: string): Pick<ProcessIdentity, 'pid' | 'startTime'> | undefined {
  const { pid, startTime } = parseObject(line);
  return Number.isInteger(pid) && typeof startTime === 'string' ? { pid: pid as number, startTime } : undefined;
}

function parseObject(line: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(line) as object) };
  } catch {
    return {};
  }
}

/** An agent can change these files: whatever is there now, it is only read. */
function readSmall(file: string): { readonly text: string; readonly changedAt: number } | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK);
    const bytes = Buffer.alloc(maxRecordBytes);
    const length = readSync(descriptor, bytes);
    return { text: bytes.toString('utf8', 0, length), changedAt: fstatSync(descriptor).mtimeMs };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
