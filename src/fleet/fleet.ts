import { randomUUID } from 'node:crypto';
import { type FleetAddress, parseFleetAddress } from './address.ts';
import { createAnnouncer } from './announcer.ts';
import { type Connection, type ConnectionOptions, connect, type Patience, type Value } from './connection.ts';
import { assertSchema } from './migrate.ts';
import { createSignals, type Signals } from './signals.ts';
import type {
  AccountLimits,
  Batch,
  BatchOutcome,
  Beat,
  Claim,
  DueSchedule,
  FleetFigures,
  FleetHealth,
  FleetLoop,
  FleetStatus,
  KeptOutput,
  LoopGlimpse,
  LoopVersion,
  PrunableLoop,
  ReadOutput,
  Removal,
  RemovedLoop,
  Schedule,
  StoredLine,
  Submission,
  Taken,
  UndrivenLoop,
  WaitingCommand,
  WorkerNote,
} from './words.ts';

/** The loops of a fleet in their database. Every call is one statement, which may be run twice. */
export interface Fleet extends AsyncDisposable {
  readonly address: FleetAddress;
  readonly signals: Signals;
  /** Refuses a database without a fleet, or with one that this version does not know. */
  assertReady(patience?: Patience): Promise<void>;
  /** Becomes a worker; returns the loops of a dead worker of the same machine, which it now owns. */
  join(worker: WorkerNote, patience?: Patience): Promise<readonly Claim[]>;
  /** Says that a worker lives, and learns which commands wait for its loops; `undefined` if it was declared lost. */
  beat(workerId: string, drains: boolean, patience?: Patience): Promise<Beat | undefined>;
  /** Moves the fleet's clock and frees the loops of workers that have been silent for too long. */
  look(patience?: Patience): Promise<{ readonly tick: number; readonly freed: readonly string[] }>;
  /** Leaves in order: what it still owns is free. */
  leave(workerId: string, patience?: Patience): Promise<void>;
  /** Declares a worker lost. */
  lose(workerId: string): Promise<void>;
  /** The next loop that this worker may drive; if it is full, only one that has to answer a command. */
  claim(workerId: string, isFull: boolean, patience?: Patience & Asked): Promise<Claim | undefined>;
  /** Takes one loop, if nobody alive drives it. */
  take(workerId: string, loopId: string, patience?: Patience): Promise<Taken>;
  /** Creates a loop that this worker owns, in its first epoch; false if there is one. */
  found(workerId: string, loopId: string, patience?: Patience): Promise<boolean>;
  /** Frees a loop; false if it was not this owner's any more. */
  release(workerId: string, loopId: string, epoch: number, patience?: Patience): Promise<boolean>;
  /** Sets a loop aside until a person acts. */
  hold(loopId: string, epoch: number, why: string, patience?: Patience): Promise<boolean>;
  /** Gives a loop back that cannot be driven now, to be tried again later. */
  postpone(loopId: string, epoch: number, why: string, patience?: Patience): Promise<boolean>;
  /** Records a batch of journal lines, if its owner still owns the loop. */
  append(batch: Batch, patience?: Patience): Promise<BatchOutcome>;
  /** Keeps a snapshot that contains every fact up to a number; false if the loop has another owner. */
  save(loopId: string, epoch: number, snapshot: Snapshot, patience?: Patience): Promise<boolean>;
  facts(loopId: string, afterSeq: number, maximum: number, patience?: Patience): Promise<readonly StoredLine[]>;
  /** A loop without its facts. */
  lookAt(loopId: string, patience?: Patience): Promise<FleetLoop | undefined>;
  /** The place of a loop, without what is large. */
  glance(loopId: string, patience?: Patience): Promise<LoopGlimpse | undefined>;
  /** Every loop that has facts, with a number that rises with each change. */
  versions(patience?: Patience): Promise<readonly LoopVersion[]>;
  /** Replaces what is kept of the output of agents; what an earlier owner of a loop sends is dropped. */
  keepOutputs(outputs: readonly KeptOutput[], patience?: Patience): Promise<void>;
  /** What is kept of the output of a loop's agents and has changed since a revision. */
  outputs(loopId: string, afterRevision: number, patience?: Patience): Promise<readonly ReadOutput[]>;
  /** What was submitted, as it is stored; undefined for a loop that was not. */
  requestOf(loopId: string, patience?: Patience): Promise<string | undefined>;
  /** Loops that no worker has started yet, or that could not be continued. */
  undriven(patience?: Patience): Promise<readonly UndrivenLoop[]>;
  /** Removes a loop that nobody owns, with all that is known of it, and records who did it. */
  remove(loopId: string, removedBy: string, patience?: Patience): Promise<'removed' | 'owned' | 'missing'>;
  /** Who removed the loop of this id last. */
  removalOf(loopId: string, patience?: Patience): Promise<Removal | undefined>;
  /** Leaves a command for a loop; false if there is no such loop. */
  send(loopId: string, id: string, body: string, patience?: Patience): Promise<boolean>;
  takeBack(loopId: string, id: string, patience?: Patience): Promise<void>;
  /** Marks a command as answered that needed no fact. */
  settle(loopId: string, id: string, patience?: Patience): Promise<void>;
  waiting(loopIds: readonly string[], patience?: Patience): Promise<readonly WaitingCommand[]>;
  submit(submission: Submission, patience?: Patience): Promise<boolean>;
  /** Takes back a loop that no worker has started; false if there is none. */
  withdraw(loopId: string, patience?: Patience): Promise<boolean>;
  /** Queues a loop that was set aside; false if there is none. */
  requeue(loopId: string, patience?: Patience): Promise<boolean>;
  /** Leaves a lost worker out from now on, by the first eight characters of its id; false if there is none. */
  forgetWorker(beginning: string, patience?: Patience): Promise<boolean>;
  /** Adds a schedule; false if there is one of this name. */
  addSchedule(schedule: Schedule, patience?: Patience): Promise<boolean>;
  removeSchedule(id: string, patience?: Patience): Promise<boolean>;
  dueSchedules(patience?: Patience): Promise<readonly DueSchedule[]>;
  /** Submits what was due and names the next due time; false if another worker did it. */
  fire(due: Fired, patience?: Patience): Promise<boolean>;
  limitAccount(name: string, limits: AccountLimits, patience?: Patience): Promise<void>;
  /** The ended loops that ended longer ago than this, oldest first. */
  prunable(olderMs: number, maximum: number, patience?: Patience): Promise<readonly PrunableLoop[]>;
  /** Removes ended loops for good, oldest first, and what is left of workers that are gone. */
  prune(olderMs: number, maximum: number, patience?: Patience): Promise<readonly string[]>;
  /** From now on workers remove ended loops after this long; never, for null. */
  keepFor(ms: number | null, patience?: Patience): Promise<void>;
  /** Removes what is older than was set. */
  pruneAsSet(patience?: Patience): Promise<readonly string[]>;
  /** A removed loop of a trusted repository whose captures nobody has deleted yet. */
  nextCaptures(
    trust: readonly string[],
    patience?: Patience,
  ): Promise<(RemovedLoop & { readonly repository: string }) | undefined>;
  capturesGone(loopId: string, patience?: Patience): Promise<void>;
  /** Which of these loops were removed from the fleet. */
  removedAmong(loopIds: readonly string[], patience?: Patience): Promise<readonly RemovedLoop[]>;
  status(patience?: Patience): Promise<FleetStatus>;
  figures(patience?: Patience): Promise<FleetFigures>;
  health(patience?: Patience): Promise<FleetHealth>;
}

/** A request that is made again because nobody knows whether it was carried out. */
export interface Asked {
  /** The same for every attempt; left out, a new one. */
  readonly asked?: string;
}

/** What becomes of a schedule that was due. */
export interface Fired {
  readonly id: string;
  /** The due time that was handled, and the one after it. */
  readonly dueMs: number;
  readonly nextMs: number;
  readonly submissions: readonly Submission[];
}

/** A snapshot as its file has it. */
export interface Snapshot {
  readonly upto: number;
  readonly document: string;
}

/** A fleet at an address; connects when the first call needs it. */
export function openFleet(address: string | FleetAddress, options: ConnectionOptions = {}): Fleet {
  const to = typeof address === 'string' ? parseFleetAddress(address) : address;
  const connection = connect(to, options);
  const signals = createSignals(to);
  const { one, all } = calls(connection);
  const announcer = createAnnouncer(async (ids) => void (await one('announce', [ids], { patienceMs: 2_000 })));
  return {
    address: to,
    signals,
    assertReady: async (patience = {}) => await assertSchema(connection, to.place, patience),
    ...ownershipCalls(all, one),
    async append({ loopId, epoch, after, id, ...content }, patience) {
      const values = [loopId, epoch, after, id, JSON.stringify(content)];
      const [row] = await all<AppendRow>('append', values, patience);
      if (row?.outcome === 'written') announcer.announce(loopId);
      return { outcome: row?.outcome ?? 'missing', lastSeq: Number(row?.last_seq), waitedMs: row?.waited ?? [] };
    },
    save: async (...[loopId, epoch, { upto, document }, patience]) =>
      await one<boolean>('save', [loopId, epoch, upto, document], patience),
    async facts(...[loopId, afterSeq, maximum, patience]) {
      const rows = await all<{ seq: string; line: string }>('facts', [loopId, afterSeq, maximum], patience);
      return rows.map(({ seq, line }) => ({ seq: Number(seq), line }));
    },
    async lookAt(loopId, patience) {
      const [row] = await all<LoopRow>('look_at', [loopId], patience);
      if (row === undefined) return undefined;
      const { snapshot_seq: snapshotSeq, ...rest } = row;
      return { ...rest, loopId, seq: Number(row.seq), snapshotSeq: Number(snapshotSeq) };
    },
    async glance(loopId, patience) {
      const [row] = await all<LoopGlimpse & { seq: string }>('glance', [loopId], patience);
      return row && { ...row, seq: Number(row.seq) };
    },
    async versions(patience) {
      const rows = await all<{ id: string; version: string; seq: string }>('versions', [], patience);
      return rows.map(({ id, version, seq }) => ({ id, version: Number(version), seq: Number(seq) }));
    },
    ...outputCalls(all, one),
    requestOf: async (loopId, patience) => (await one<string | null>('request_of', [loopId], patience)) ?? undefined,
    async undriven(patience) {
      const rows = await all<Omit<UndrivenLoop, 'submittedAt'> & { submitted_at: string }>('undriven', [], patience);
      return rows.map(({ submitted_at: submittedAt, ...rest }) => ({ ...rest, submittedAt }));
    },
    remove: async (...[loopId, removedBy, patience]) => await one('remove_loop', [loopId, removedBy], patience),
    async removalOf(loopId, patience) {
      const [row] = await all<{ removed_by: string; removed_at: string }>('removal_of', [loopId], patience);
      return row && { removedBy: row.removed_by, removedAt: row.removed_at };
    },
    send: async (...[loopId, id, body, patience]) => await one<boolean>('send', [loopId, id, body], patience),
    takeBack: async (loopId, id, patience) => void (await one('take_back', [loopId, id], patience)),
    settle: async (loopId, id, patience) => void (await one('settle', [loopId, id], patience)),
    waiting: async (loopIds, patience) => await all<WaitingCommand>('waiting', [loopIds], patience),
    submit: async (submission, patience) => await one<boolean>('submit', [JSON.stringify(submission)], patience),
    withdraw: async (loopId, patience) => await one<boolean>('withdraw', [loopId], patience),
    requeue: async (loopId, patience) => await one<boolean>('requeue', [loopId], patience),
    forgetWorker: async (beginning, patience) => await one<boolean>('forget_worker', [beginning], patience),
    ...scheduleCalls(all, one),
    ...retentionCalls(all, one),
    limitAccount: async (name, limits, patience) =>
      void (await one('limit_account', [name, JSON.stringify(limits)], patience)),
    status: async (patience) => await one<FleetStatus>('status', [], patience),
    figures: async (patience) => await one<FleetFigures>('figures', [], patience),
    health: async (patience) => await one<FleetHealth>('health', [], patience),
    async [Symbol.asyncDispose]() {
      announcer[Symbol.dispose]();
      await signals[Symbol.asyncDispose]();
      await connection[Symbol.asyncDispose]();
    },
  };
}

interface AppendRow {
  readonly outcome: BatchOutcome['outcome'];
  readonly last_seq: string;
  readonly waited: readonly number[] | null;
}

interface ClaimRow extends Omit<Claim, 'seq' | 'onlyCommands' | 'wasHere' | 'takesOver'> {
  readonly seq: string;
  readonly only_commands: boolean;
  readonly was_here: boolean;
  readonly takes_over: boolean;
}

type LoopRow = Omit<FleetLoop, 'seq' | 'snapshotSeq' | 'loopId'> & {
  readonly seq: string;
  readonly snapshot_seq: string;
};

type OwnershipCall =
  | 'join'
  | 'beat'
  | 'look'
  | 'leave'
  | 'lose'
  | 'claim'
  | 'take'
  | 'found'
  | 'release'
  | 'hold'
  | 'postpone';

/** Who is alive, and who owns what. */
function ownershipCalls(all: Calls['all'], one: Calls['one']): Pick<Fleet, OwnershipCall> {
  return {
    async join(worker, patience) {
      const rows = await all<Omit<ClaimRow, 'only_commands' | 'was_here' | 'takes_over'>>(
        'join_fleet',
        [JSON.stringify(worker)],
        patience,
      );
      return rows.map((row) => ({ ...row, seq: Number(row.seq), onlyCommands: false, wasHere: true, takesOver: true }));
    },
    async beat(workerId, drains, patience) {
      const rows = await all<WaitingCommand & { is_lost: boolean }>('beat', [workerId, drains], patience);
      if (rows[0]?.is_lost === true) return undefined;
      return { waiting: rows.map(({ loop, id, body }) => ({ loop, id, body })) };
    },
    async look(patience) {
      const [row] = await all<{ now_tick: string; freed: string[] }>('look', [], patience);
      return { tick: Number(row?.now_tick), freed: row?.freed ?? [] };
    },
    leave: async (workerId, patience) => void (await one('leave', [workerId], patience)),
    lose: async (workerId) => void (await one('lose', [workerId])),
    async claim(workerId, isFull, { asked = randomUUID(), ...patience } = {}) {
      const [row] = await all<ClaimRow>('claim', [workerId, isFull, asked], patience);
      if (row === undefined) return undefined;
      const { only_commands: onlyCommands, was_here: wasHere, takes_over: takesOver, ...rest } = row;
      return { ...rest, seq: Number(row.seq), onlyCommands, wasHere, takesOver };
    },
    async take(workerId, loopId, patience) {
      const [row] = await all<Taken & { seq: string }>('take', [workerId, loopId, randomUUID()], patience);
      if (row === undefined) return { outcome: 'missing' };
      return row.outcome === 'given' ? { ...row, seq: Number(row.seq) } : row;
    },
    found: async (...[workerId, loopId, patience]) => await one<boolean>('found', [workerId, loopId], patience),
    release: async (...[workerId, loopId, epoch, patience]) =>
      await one<boolean>('release', [workerId, loopId, epoch], patience),
    hold: async (...[loopId, epoch, why, patience]) => await one<boolean>('hold', [loopId, epoch, why], patience),
    postpone: async (...[loopId, epoch, why, patience]) =>
      await one<boolean>('postpone', [loopId, epoch, why], patience),
  };
}

/** What begins again and again. */
function scheduleCalls(
  all: Calls['all'],
  one: Calls['one'],
): Pick<Fleet, 'addSchedule' | 'removeSchedule' | 'dueSchedules' | 'fire'> {
  return {
    addSchedule: async (schedule, patience) => await one<boolean>('add_schedule', [JSON.stringify(schedule)], patience),
    removeSchedule: async (id, patience) => await one<boolean>('remove_schedule', [id], patience),
    async dueSchedules(patience) {
      const rows = await all<DueRow>('due_schedules', [], patience);
      return rows.map(({ next_ms: nextMs, now_ms: nowMs, ...rest }) => {
        return { ...rest, nextMs: Number(nextMs), nowMs: Number(nowMs) };
      });
    },
    fire: async ({ id, dueMs, nextMs, submissions }, patience) =>
      await one<boolean>('fire', [id, dueMs, nextMs, JSON.stringify(submissions)], patience),
  };
}

/** What is kept, and for how long. */
function retentionCalls(
  all: Calls['all'],
  one: Calls['one'],
): Pick<Fleet, 'prunable' | 'prune' | 'keepFor' | 'pruneAsSet' | 'nextCaptures' | 'capturesGone' | 'removedAmong'> {
  return {
    async prunable(olderMs, maximum, patience) {
      const rows = await all<PrunableRow>('prunable', [intervalOf(olderMs), maximum], patience);
      return rows.map(({ ended_at: endedAt, facts, bytes, ...rest }) => {
        return { ...rest, endedAt: endedAt.toISOString(), facts: Number(facts), bytes: Number(bytes) };
      });
    },
    prune: async (olderMs, maximum, patience) =>
      await one<readonly string[]>('prune', [intervalOf(olderMs), maximum], patience),
    keepFor: async (ms, patience) => void (await one('keep_for', [ms === null ? null : intervalOf(ms)], patience)),
    pruneAsSet: async (patience) => await one<readonly string[]>('prune_as_set', [], patience),
    nextCaptures: async (trust, patience) =>
      (await all<RemovedLoop & { readonly repository: string }>('next_captures', [trust], patience))[0],
    capturesGone: async (loopId, patience) => void (await one('captures_gone', [loopId], patience)),
    removedAmong: async (loopIds, patience) => await all<RemovedLoop>('removed_among', [loopIds], patience),
  };
}

/** What agents printed last. */
function outputCalls(all: Calls['all'], one: Calls['one']): Pick<Fleet, 'keepOutputs' | 'outputs'> {
  return {
    async keepOutputs(outputs, patience) {
      const encoded = outputs.map((output) => {
        const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) => Buffer.from(bytes).toString('base64'));
        return { ...output, stdout, stderr };
      });
      await one('keep_outputs', [JSON.stringify(encoded)], patience);
    },
    async outputs(loopId, afterRevision, patience) {
      const rows = await all<OutputRow>('outputs', [loopId, afterRevision], patience);
      return rows.map(({ stdout_end: stdoutEnd, stderr_end: stderrEnd, revision, ...rest }) => {
        return { ...rest, stdoutEnd: Number(stdoutEnd), stderrEnd: Number(stderrEnd), revision: Number(revision) };
      });
    },
  };
}

type PrunableRow = Omit<PrunableLoop, 'endedAt' | 'facts' | 'bytes'> & {
  readonly ended_at: Date;
  readonly facts: string;
  readonly bytes: string;
};

function intervalOf(ms: number): string {
  return `${ms / 1_000} seconds`;
}

type OutputRow = Omit<ReadOutput, 'stdoutEnd' | 'stderrEnd' | 'revision'> & {
  readonly stdout_end: string;
  readonly stderr_end: string;
  readonly revision: string;
};

type DueRow = Omit<DueSchedule, 'nextMs' | 'nowMs'> & { readonly next_ms: string; readonly now_ms: string };

type Calls = ReturnType<typeof calls>;

/** Calls of the functions of the schema. */
function calls(connection: Connection) {
  const all = async <Row extends object>(name: string, values: readonly Value[], patience?: Patience) =>
    await connection.query<Row>(`select * from ralphd.${name}(${placeholders(values)})`, values, patience);
  return {
    all,
    async one<Result>(name: string, values: readonly Value[], patience?: Patience): Promise<Result> {
      const [row] = await all<Record<string, Result>>(name, values, patience);
      return Object.values(row ?? {})[0] as Result;
    },
  };
}

function placeholders(values: readonly Value[]): string {
  return values.map((_value, index) => `$${index + 1}`).join(', ');
}
