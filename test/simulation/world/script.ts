import type {
  Changes,
  HookStep,
  LoopHookStep,
  Measure,
  TestCounts,
  Usage,
  Verdict,
} from '../../../src/protocol/index.ts';
import type { AgentRun } from '../../../src/runner/index.ts';
import { createRandom, mix, type Random } from '../random.ts';

/** The true cause of a run's result, known without the rules under test. */
export type Truth = 'worked' | 'empty' | 'agent' | 'limit' | 'environment' | 'configuration' | 'unknown';

/** A run as it really is, independent of any report. */
type Run = Omit<AgentRun, 'claimText' | 'text'> & {
  readonly claimed: boolean;
  readonly summary?: string;
  readonly changes: Changes;
};

/** What one run of the agent does, and what it looks like from outside. */
export interface Behaviour {
  readonly truth: Truth;
  /** Whether the run fixes the task or undoes the fix; `undefined` changes nothing. */
  readonly fixes?: boolean;
  /** How many tests fail afterwards. */
  readonly failing: number;
  readonly run: Run;
}

type Kind =
  | 'work'
  | 'fix'
  | 'fixAndClaim'
  | 'lie'
  | 'claimIdly'
  | 'idle'
  | 'empty'
  | 'undo'
  | 'stall'
  | 'crash'
  | 'limit'
  | 'environment'
  | 'notStarted'
  | 'configuration'
  | 'unknown'
  | 'refuse'
  | 'turnLimit';

const temperaments: readonly (readonly (readonly [Kind, number])[])[] = [
  [
    ['work', 5],
    ['fix', 1],
    ['fixAndClaim', 2],
    ['lie', 2],
    ['claimIdly', 1],
    ['undo', 1],
    ['turnLimit', 1],
  ],
  [
    ['work', 2],
    ['empty', 1],
    ['crash', 3],
    ['stall', 2],
    ['refuse', 1],
    ['unknown', 1],
    ['fixAndClaim', 1],
    ['lie', 1],
  ],
  [
    ['work', 2],
    ['limit', 4],
    ['environment', 2],
    ['notStarted', 1],
    ['unknown', 2],
    ['fixAndClaim', 1],
  ],
  [
    ['idle', 5],
    ['empty', 3],
    ['claimIdly', 2],
    ['work', 1],
    ['stall', 1],
    ['crash', 1],
    ['fix', 1],
    ['fixAndClaim', 1],
  ],
  [
    ['environment', 5],
    ['notStarted', 3],
    ['work', 1],
    ['limit', 1],
    ['configuration', 1],
  ],
  [
    ['work', 3],
    ['lie', 4],
    ['undo', 1],
    ['unknown', 2],
    ['fixAndClaim', 1],
    ['configuration', 1],
    ['limit', 1],
  ],
  [
    ['unknown', 4],
    ['fixAndClaim', 2],
    ['crash', 2],
    ['work', 2],
  ],
];

const errors = ['cannot open file 17', 'request 0a1b2c3d4e failed', 'FATAL: no space', 'the tool said no', undefined];

/** What the agent does, determined by the seed, the iteration and the number of its finished runs. */
export function behaviourOf(seed: number, iteration: number, finishedRuns: number): Behaviour {
  const temperament = temperaments[mix(seed, 11) % temperaments.length] ?? [];
  const random = createRandom(mix(seed, 12, iteration, finishedRuns));
  if (tires(seed)) return tiring(random, iteration);
  const kind = random.weighted(temperament);
  return { ...acts[kind](random), failing: random.int(1, 4) };
}

/** Works well at first and then no more, while its context fills up. */
function tiring(random: Random, iteration: number): Behaviour {
  const { run, ...act } = acts[random.weighted(iteration <= 2 ? fresh : tired)](random);
  const usage = { ...run.usage, context: { used: Math.min(160, 10 * iteration), size: 200 } };
  return { ...act, run: { ...run, usage }, failing: 3 };
}

function tires(seed: number): boolean {
  return mix(seed, 37) % 5 === 0;
}

const fresh: readonly (readonly [Kind, number])[] = [['work', 1]];
const tired: readonly (readonly [Kind, number])[] = [
  ['idle', 6],
  ['work', 1],
  ['crash', 1],
];

/** The verdict of the gate. It flakes, but never passes a task that is not done. */
export function verdictOf(seed: number, key: readonly [number, number], fixed: boolean): Verdict {
  const random = createRandom(mix(seed, 13, ...key));
  if (random.chance(0.08)) {
    return random.pick(['timed_out', 'not_found', 'not_executable', 'unverifiable', 'failed']);
  }
  return fixed ? 'passed' : 'failed';
}

/** The tests that the gate counts, if the project has tests it can count. */
export function countTests(seed: number, failing: number, added = 0): TestCounts | undefined {
  if (mix(seed, 14) % 3 === 0) return undefined;
  const total = 9 + added;
  const names = Array.from({ length: total }, (_, index) => `test ${index}`);
  const testNames = { failing: names.slice(0, failing), passing: names.slice(failing) };
  return { framework: 'tap', total, passed: total - failing, failed: failing, skipped: 0, ...testNames };
}

/** The measures from the gate: lint problems in proportion to the failing tests; the others are random. */
export function measureWork(seed: number, failing: number): readonly Measure[] {
  const random = createRandom(mix(seed, 21, failing));
  return [
    { of: 'lint', name: 'eslint', check: './check.sh', value: failing * 3 },
    { of: 'coverage', name: 'istanbul', check: './check.sh', value: random.int(0, 100) },
    { of: 'metric', name: 'speed', value: random.int(-5, 5) },
  ];
}

/** How many progress markers an agent prints in a run, with or without real progress. */
export function markersOf(seed: number, iteration: number, finishedRuns: number): number {
  return createRandom(mix(seed, 22, iteration, finishedRuns)).pick([0, 0, 1, 3]);
}

/** The kinds of tools that a run uses, if the agent names them. */
export function explorationOf(seed: number, iteration: number, finishedRuns: number): Pick<AgentRun, 'exploration'> {
  const random = createRandom(mix(seed, 35, iteration, finishedRuns));
  const acts = random.pick([0, 0, 0, 1]);
  return random.chance(0.7) ? { exploration: { reads: random.int(3, 9), acts } } : {};
}

/** Whether this try at a new session succeeds. */
export function rebootWorks(seed: number, tries: number): boolean {
  const odds = mix(seed, 15) % 4 === 0 ? 0.15 : 0.8;
  return createRandom(mix(seed, 16, tries)).chance(odds);
}

/** What a hook does. Few ask to stop, because the simulation must also reach every other ending. */
export function hookSays(
  seed: number,
  key: readonly [number, number, number],
  { name, point }: { readonly name: string; readonly point: HookStep | LoopHookStep },
): { readonly ok: boolean; readonly stops: boolean } {
  const random = createRandom(mix(seed, 18, ...key, name.charCodeAt(0)));
  const isRare = rareSteps.has(point);
  const ok = random.chance(isRare ? 0.6 : 0.85);
  return { ok, stops: ok && random.chance(isRare ? 0.25 : 0.12) };
}

/** Few loops get to these steps, so that their hooks make more of it. */
const rareSteps: ReadonlySet<HookStep | LoopHookStep> = new Set(['post_reboot', 'on_mode_switch'] as const);

type Act = Omit<Behaviour, 'failing'>;

const acts: Record<Kind, (random: Random) => Act> = {
  work: (random) => ({ truth: 'worked', run: worked(random, true) }),
  fix: (random) => ({ truth: 'worked', fixes: true, run: worked(random, true) }),
  fixAndClaim: (random) => ({ truth: 'worked', fixes: true, run: { ...worked(random, true), claimed: true } }),
  lie: (random) => ({ truth: 'worked', run: { ...worked(random, true), claimed: true } }),
  claimIdly: (random) => ({ truth: 'worked', run: { ...worked(random, false), claimed: true } }),
  idle: (random) => ({ truth: 'worked', run: worked(random, false) }),
  empty: (random) => ({ truth: 'empty', run: { ...worked(random, false), empty: true } }),
  undo: (random) => ({ truth: 'worked', fixes: false, run: worked(random, true) }),
  turnLimit: (random) => ({ truth: 'worked', run: { ...worked(random, true), outcome: 'turn_limit' } }),
  stall: (random) => {
    const by = random.pick(['timeout', 'idle', 'output']);
    return { truth: 'agent', run: failed(random, { ending: { kind: 'stopped', by, forced: random.chance(0.5) } }) };
  },
  crash: (random) => {
    const killed = random.chance(0.4);
    const ending = killed
      ? ({ kind: 'signalled', signal: 'SIGSEGV' } as const)
      : ({ kind: 'exited', code: random.int(1, 3) } as const);
    return { truth: 'agent', run: failed(random, { ending }) };
  },
  refuse: (random) => {
    const outcome = random.pick(['refused', 'context_overflow', 'output_limit', 'budget_limit', 'interrupted']);
    return { truth: 'agent', run: failed(random, { outcome }) };
  },
  limit: (random) => ({ truth: 'limit', run: limited(random) }),
  environment: (random) => ({ truth: 'environment', run: failed(random, { outcome: 'transient' }) }),
  notStarted: (random) => ({
    truth: 'environment',
    run: failed(random, { ending: { kind: 'not_started', code: 'ENOENT', message: 'no such program' } }),
  }),
  configuration: (random) => {
    const outcome = random.pick(['auth', 'billing', 'configuration']);
    return { truth: 'configuration', run: failed(random, { outcome }) };
  },
  unknown: (random) => {
    const ending = random.chance(0.5) ? ({ kind: 'lost' } as const) : ({ kind: 'exited', code: 0 } as const);
    const fixes = random.chance(0.4);
    const run = { ...failed(random, { ending }), claimed: random.chance(0.6) };
    return { truth: 'unknown', ...(fixes ? { fixes } : {}), run };
  },
};

function worked(random: Random, changesFiles: boolean): Run {
  return {
    ending: { kind: 'exited', code: 0 },
    outcome: 'completed',
    claimed: false,
    ...(random.chance(0.3) ? { summary: 'did a bit' } : {}),
    ...reported(random),
    changes: drawChanges(random, changesFiles),
    durationMs: random.int(1, 90) * 1_000,
  };
}

function failed(random: Random, how: Partial<Pick<Run, 'ending' | 'outcome'>>): Run {
  const error = errors[random.int(0, errors.length - 1)];
  return {
    ...worked(random, random.chance(0.3)),
    outcome: 'unknown',
    ending: { kind: 'exited', code: random.int(0, 1) },
    claimed: random.chance(0.1),
    ...(error === undefined ? {} : { error }),
    ...how,
  };
}

/** `resetAt` is filled in when the run ends, because it depends on the clock. Some agents exit with 0 anyway. */
function limited(random: Random): Run {
  const outcome = random.pick(['rate_limited', 'usage_limited']);
  return failed(random, { outcome, ending: { kind: 'exited', code: random.int(0, 1) } });
}

/** When the provider says the limit resets, if it does: soon, long ago or in weeks. */
export function resetOf(seed: number, iteration: number, finishedRuns: number): number | undefined {
  const random = createRandom(mix(seed, 17, iteration, finishedRuns));
  return random.pick([undefined, 90_000, 5 * 3_600_000, -3_600_000, 30 * 86_400_000]);
}

/** What the agent's output says about tests, true or not: nothing may depend on it. */
export function hintsOf(seed: number, iteration: number, finishedRuns: number): Pick<AgentRun, 'testHints'> {
  const random = createRandom(mix(seed, 38, iteration, finishedRuns));
  if (!random.chance(0.4)) return {};
  const [passed, failed] = [random.int(0, 100), random.pick([0, 0, 1, 50])];
  return { testHints: { framework: 'tap', total: passed + failed, passed, failed, skipped: 0 } };
}

function reported(random: Random): { usage?: Usage; sessionId?: string } {
  const usage: Usage = {
    ...(random.chance(0.7) ? { inputTokens: random.int(0, 1_000), outputTokens: random.int(0, 300) } : {}),
    ...(random.chance(0.2) ? { cacheReadTokens: random.int(0, 500) } : {}),
    ...(random.chance(0.6) ? { costUsd: random.int(0, 16) / 64 } : {}),
    ...(random.chance(0.6) ? { toolCalls: random.int(0, 12) } : {}),
    ...(random.chance(0.6) ? { context: { used: random.int(0, 200), size: 200 } } : {}),
  };
  return {
    ...(random.chance(0.85) ? { usage } : {}),
    ...(random.chance(0.8) ? { sessionId: `session-${random.int(1, 1_000)}` } : {}),
  };
}

function drawChanges(random: Random, changesFiles: boolean): Changes {
  const none = { headMoved: false, modified: [], created: [], deleted: [], count: 0 };
  if (random.chance(0.06)) return { ...none, known: false };
  if (!changesFiles) return { ...none, known: true };
  if (random.chance(0.2)) return { ...none, known: true, headMoved: true };
  const count = random.int(2, 4);
  return {
    known: true,
    headMoved: false,
    modified: ['a.ts'],
    created: ['b.ts'],
    deleted: [],
    count,
    ...linesOf(count),
  };
}

/** With this many files, the number of changed lines is unknown. */
function linesOf(count: number): Pick<Changes, 'lines'> {
  return count === 4 ? {} : { lines: { added: 3 * count, removed: 1 } };
}
