import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { parseEnding } from './attempt-files.ts';
import type { Exited, Signalled } from './ending.ts';
import { type ProcessIdentity, thisMachine } from './identity.ts';

/** What a keeper says about one attempt, each at most once. */
export interface KeeperAnswer {
  readonly keeper: Promise<ProcessIdentity>;
  readonly agent: Promise<ProcessIdentity>;
  /** Why no agent was started: what was the matter, and the system's number for the error, if there is one. */
  readonly failure: Promise<StartFailure>;
  readonly exit: Promise<Exited | Signalled>;
  readonly left: () => LeftProcesses;
  /** Everything that the agent and its children printed is written. */
  readonly dry: Promise<void>;
}

/** What is left of an agent and of all it started, once it has ended: a keeper that adopts orphans knows whether there are any. */
export type LeftProcesses = 'unknown' | 'nothing' | 'orphans';

/** Why a keeper started no agent. */
export interface StartFailure {
  readonly what: 'attempt' | 'command' | 'directory' | 'files';
  readonly errno: number;
}

/** A keeper that was told to start an agent. */
export interface Connection {
  readonly answer: KeeperAnswer;
  /** The keeper has exited. */
  readonly over: Promise<unknown>;
  /** All output is written, or never will be. */
  readonly dry: Promise<unknown>;
  /** Called when nothing more is expected of the attempt. */
  readonly close: () => Promise<void>;
}

/** Collects a keeper's words; the two kinds of keepers use the same ones. */
export function createAnswer(onExit: () => void = () => {}) {
  const keeper = Promise.withResolvers<ProcessIdentity>();
  const agent = Promise.withResolvers<ProcessIdentity>();
  const failure = Promise.withResolvers<StartFailure>();
  const exit = Promise.withResolvers<Exited | Signalled>();
  const dry = Promise.withResolvers<void>();
  let left: LeftProcesses = 'unknown';
  const take = (words: string) => {
    const [word, first = '', ...rest] = words.split(' ');
    const identity = () => ({ ...thisMachine(), pid: Number(first), startTime: rest.join(' ') });
    if (word === 'keeper') keeper.resolve(identity());
    if (word === 'agent') agent.resolve(identity());
    if (word === 'refused') failure.resolve({ what: 'attempt', errno: 0 });
    if (word === 'failed') failure.resolve({ what: first as StartFailure['what'], errno: Number(rest[0]) });
    if (word === 'dry') dry.resolve();
    if (word === 'left') left = first === 'nothing' ? 'nothing' : 'orphans';
    const ending = parseEnding(words.replace(/^exit /, ''));
    if (ending === undefined) return;
    onExit();
    exit.resolve(ending);
  };
  const answer: KeeperAnswer = {
    keeper: keeper.promise,
    agent: agent.promise,
    failure: failure.promise,
    exit: exit.promise,
    left: () => left,
    dry: dry.promise,
  };
  return { answer, take };
}

/** Calls back with each whole line that a keeper sends. */
export function readLines(child: ChildProcess, onLine: (line: string) => void): Duplex {
  // A later failure to signal shows in the sweep; without a listener it would end ralphd.
  child.on('error', () => {});
  const line = child.stdio[3] as Duplex;
  line.on('error', () => {});
  let rest = '';
  line.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) onLine(each);
  });
  return line;
}
