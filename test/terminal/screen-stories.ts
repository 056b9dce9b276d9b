import { changed, loopStarted } from '../../src/core/testing/facts.ts';
import { Story } from '../../src/core/testing/story.ts';
import type { AgentActivity, Fact, LoopConfigInput, Pulse, TestCounts, Verdict } from '../../src/protocol/index.ts';
import { type LoopModel, loopModel, takeFact, takePulse } from '../../src/tui/index.ts';

const minute = 60_000;

/** One loop at one moment, as the screen sees it. */
export interface Moment {
  readonly model: LoopModel;
  readonly nowMs: number;
}

const commands = ['npm test -w packages/import', 'node bench/memory.mjs --max 200MB'];
const files = ['src/reader.ts', 'src/split.ts', 'src/quotes.ts', 'src/chunk.ts', 'src/index.ts', 'src/carry.ts'];

/** Builds a loop iteration by iteration, with times, costs and tests as a real one has them. */
class Night {
  readonly story = new Story();
  #pulses: readonly (Pulse | undefined)[] = [];
  #owner: Parameters<typeof loopModel>[1] = { state: 'working', pid: 48_213 };

  constructor(config: LoopConfigInput = {}, { name = 'streaming-importer', checks = commands, failing = 61 } = {}) {
    const limits = { maxIterations: 40, maxTime: '8h', maxCostUsd: 25 };
    const start = loopStarted({
      config: { iterationDelay: '0', ...limits, ...config },
      checks,
      task: 'Make the importer read files of any size in 200 MB of memory',
    });
    const data = { ...(start.data as object), loopId: `ralph-${name}-a1b2c3d4`, agent: 'claude' };
    this.story.tell({ ...start, data } as Fact);
    if (checks.length > 0) this.story.tell(checksRan('baseline.finished', {}, failing));
  }

  /** A finished iteration; without tests, the agent made no claim. */
  iteration({ failing, cost, minutes = 25, changes = 4, error, claims = failing !== undefined }: Told): this {
    const { story } = this;
    story.begin();
    const process = { host: 'here', bootId: 'b', pid: 7, startTime: '1' };
    story.tell({ type: 'agent.started', data: { ...story.attempt, process } });
    story.pass(minutes * minute);
    const run = {
      claimed: claims,
      changes: changed(changes, { modified: files.slice(0, changes) }),
      durationMs: minutes * minute,
      summary: 'Partial fields are carried over; the reader holds one chunk at a time.',
      ...(cost === undefined
        ? {}
        : { usage: { costUsd: cost, inputTokens: 90_000, outputTokens: 9_000, toolCalls: 31 } }),
      ...(error === undefined
        ? {}
        : { outcome: 'refused' as const, ending: { kind: 'exited' as const, code: 1 }, error, changes: changed(0) }),
    };
    story.tell({
      type: 'agent.finished',
      data: { ...story.attempt, ending: { kind: 'exited', code: 0 }, outcome: 'completed', ...run },
    });
    if (failing !== undefined) {
      story.tell({ type: 'gate.started', data: story.attempt });
      story.pass(2 * minute);
      story.tell(checksRan('gate.finished', story.attempt, failing));
    }
    story.advance((minutes + (failing === undefined ? 0 : 2)) * minute);
    return this;
  }

  /** The agent of the next iteration works and has said this so far. */
  working(minutes: number, activities: readonly Partial<AgentActivity>[], model = 'sonnet'): this {
    const { story } = this;
    story.begin();
    const since = new Date(story.nowMs).toISOString();
    const process = { host: 'here', bootId: 'b', pid: 7, startTime: '1' };
    story.tell({ type: 'agent.started', data: { ...story.attempt, process } });
    story.pass(minutes * minute);
    const at = new Date(story.nowMs - 4_000).toISOString();
    const recent = activities.map((each, index) => ({
      number: index + 1,
      at,
      kind: 'tool' as const,
      text: '',
      ...each,
    }));
    this.#pulses = [
      { ...this.#origin(at), step: 'agent', since, model, usage: { costUsd: 0.31, toolCalls: 9 }, recent },
    ];
    return this;
  }

  /** The agent claims to be done, and the checks run: one has this verdict, the other one runs. */
  verifying(first: Verdict | undefined): this {
    this.working(23, []);
    const { story } = this;
    const run = { claimed: true, changes: changed(5), durationMs: 23 * minute, usage: { costUsd: 0.97 } };
    story.tell({
      type: 'agent.finished',
      data: { ...story.attempt, ending: { kind: 'exited', code: 0 }, outcome: 'completed', ...run },
    });
    story.advance();
    story.tell({ type: 'gate.started', data: story.attempt });
    const since = new Date(story.nowMs).toISOString();
    story.pass(62_000);
    const at = new Date(story.nowMs).toISOString();
    const check = (index: number, from: string, verdict?: Verdict): Pulse => ({
      ...this.#origin(at),
      step: 'check',
      purpose: 'gate',
      index,
      count: 2,
      command: commands[index - 1] ?? '',
      since: from,
      ...(verdict === undefined ? {} : { verdict }),
    });
    this.#pulses = [check(1, since, first), ...(first === undefined ? [] : [check(2, at)])];
    story.pass(10_000);
    return this;
  }

  /** The loop has completed. */
  ended(verified: boolean): this {
    const end = { status: 'completed', reason: 'completed', message: 'done', verified, elapsedMs: 0 } as const;
    this.story.tell({ type: 'loop.ended', data: end });
    return this.owner({ state: 'none' });
  }

  owner(owner: Parameters<typeof loopModel>[1]): this {
    this.#owner = owner;
    return this;
  }

  #origin(at: string) {
    const { loop, epoch, attempt } = this.story;
    return { version: 1 as const, loopId: loop.id, epoch, at, ...attempt };
  }

  /** The model as `watch` folds it. */
  get moment(): Moment {
    const { loop, facts, nowMs } = this.story;
    const folded = facts.reduce(takeFact, loopModel(loop, this.#owner));
    return { model: this.#pulses.reduce(takePulse, folded), nowMs };
  }
}

interface Told {
  readonly failing?: number;
  readonly cost?: number;
  readonly minutes?: number;
  readonly changes?: number;
  readonly error?: string;
  readonly claims?: boolean;
}

function checksRan(type: 'gate.finished' | 'baseline.finished', attempt: object, failed: number): Fact {
  const verdict = failed === 0 ? 'passed' : 'failed';
  const checks = [
    { command: commands[0] ?? '', verdict, durationMs: 111_000, output: '', ...(failed === 0 ? {} : { exitCode: 1 }) },
    { command: commands[1] ?? '', verdict: 'passed', durationMs: 22_000, output: '' },
  ];
  const tests = countsOf(failed);
  const more =
    type === 'gate.finished' ? { durationMs: 130_000, proof: 'clean', changedFiles: 31 } : { elapsedMs: 130_000 };
  return { type, data: { ...attempt, verdict, checks, tests, ...more } } as unknown as Fact;
}

function countsOf(failed: number): TestCounts {
  const names = ['a quoted field may span three chunks', 'CRLF inside quotes is kept', 'an escaped quote at the end'];
  const failing = Array.from({ length: failed }, (_, index) => names[index] ?? `reader › case ${index}`);
  return { framework: 'vitest', total: 412, passed: 412 - failed, failed, skipped: 0, failing };
}

/** Thirteen iterations of a good night. */
function night(config: LoopConfigInput = {}): Night {
  const told: readonly Told[] = [
    { cost: 0.81 },
    { cost: 0.77 },
    { failing: 44, cost: 0.92, changes: 6 },
    { cost: 0.74, changes: 3 },
    { cost: 0.41, changes: 0, minutes: 8 },
    { failing: 31, cost: 1.12, minutes: 29, changes: 5 },
    { cost: 0.86 },
    { failing: 35, cost: 0.94 },
    { failing: 22, cost: 0.88, minutes: 22 },
    { cost: 0.74, changes: 3, minutes: 21 },
    { minutes: 3, error: 'API stream broke off' },
    { failing: 17, cost: 1.02, changes: 6 },
    { failing: 14, cost: 0.93 },
  ];
  const made = new Night(config);
  for (const each of told) made.iteration(each);
  return made;
}

const said: readonly Partial<AgentActivity>[] = [
  { text: 'Read packages/import/src/reader.ts' },
  { text: 'Grep "flush(" in packages/import/src' },
  { kind: 'text', text: 'reader.ts flushes in push() and again in end(); one of them is wrong.' },
  { text: 'Read packages/import/test/reader.test.ts' },
  {
    kind: 'text',
    text: 'The last chunk is lost when it ends inside a quoted field, so the three "span" tests can never pass. I carry the open field over to the next chunk instead of flushing it.',
  },
  { text: 'Edit packages/import/src/reader.ts' },
  { text: 'Bash npm test -w packages/import -- reader' },
];

/** A loop whose agent has said this. */
export function saying(activities: readonly Partial<AgentActivity>[]): Moment {
  return night().working(6.7, activities).moment;
}

/** Every state that the screen shows, by name. */
export const moments: Readonly<Record<string, () => Moment>> = {
  first: () => new Night().moment,
  running: () => night().working(6.7, said).moment,
  quiet: () => {
    const { model, nowMs } = night().working(6.7, said).moment;
    return { model, nowMs: nowMs + 6 * minute };
  },
  verifying: () => night().verifying('failed').moment,
  waiting: () => {
    const made = night().working(2, []);
    const { story } = made;
    const resetAt = new Date(story.nowMs + 48 * minute).toISOString();
    story.tell({
      type: 'iteration.interrupted',
      data: { ...story.attempt, cause: 'limit', message: 'Usage limit reached', resetAt, elapsedMs: 1 },
    });
    story.advance();
    return made.moment;
  },
  needs: () => {
    const made = night();
    const message = 'ENOSPC: no space left on device, write /var/lib/docker/tmp/x';
    made.story.tell({ type: 'loop.paused', data: { reason: 'environment', message, elapsedMs: 1 } });
    return made.owner({ state: 'none' }).moment;
  },
  paused: () => {
    const made = night();
    made.story.command({ command: 'pause' }).advance();
    return made.owner({ state: 'none' }).moment;
  },
  asking: () => {
    const made = night();
    made.story.command({ command: 'mode', mode: 'attended', when: 'now' }).advance();
    return made.moment;
  },
  proven: () =>
    night().iteration({ failing: 3, cost: 0.9 }).iteration({ failing: 0, cost: 0.71, changes: 2 }).ended(true).moment,
  claimed: () => {
    const made = new Night({ trustPromise: true }, { checks: [] });
    return made.iteration({ cost: 0.4, claims: true }).ended(false).moment;
  },
  green: () => new Night({}, { failing: 0 }).iteration({ failing: 0, cost: 0.4 }).ended(true).moment,
  stopped: () => {
    const made = night({ stopConditions: { maxTestFailureStreak: 3 } });
    for (let count = 0; count < 3; count += 1) made.iteration({ failing: 21, cost: 0.8 });
    return made.owner({ state: 'none' }).moment;
  },
  crashed: () => night().working(13, said).owner({ state: 'dead', pid: 48_213 }).moment,
  frozen: () => night().working(13, said).owner({ state: 'stopped', pid: 48_213 }).moment,
};
