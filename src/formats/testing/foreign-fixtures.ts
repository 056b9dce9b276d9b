import { exampleState } from './aiwg-example.ts';

/** A loop of another system: while it runs, after its end, and what makes its file a damaged one. */
export interface ForeignFixture {
  readonly name: string;
  readonly file: string;
  readonly running: string;
  readonly finished: string;
  readonly damaged: string;
  /** What the running loop becomes here. */
  readonly becomes: { readonly iteration: number; readonly finished: number; readonly maxIterations: number };
  readonly endsAs: 'completed' | 'failed' | 'aborted';
}

const json = (document: object) => `${JSON.stringify(document, undefined, 2)}\n`;
const task = 'fix all TypeScript errors';

const internal = {
  loopId: 'ralph-fix-types-0a1b2c3d',
  active: true,
  task,
  completion: 'test -f done',
  maxIterations: 10,
  timeoutMinutes: 60,
  timeoutMs: 3_600_000,
  startTime: '2026-02-02T21:00:00.000Z',
  startTimeMs: 1_770_066_000_000,
  currentIteration: 3,
  autoCommit: true,
  branch: 'fix/types',
  completed: false,
  status: 'running',
  iterations: [
    { number: 1, timestamp: '2026-02-02T21:02:00Z', result: '12 errors', verified: false, duration_ms: 60_000 },
    { number: 2, timestamp: '2026-02-02T21:04:00Z', result: '8 errors', verified: false, duration_ms: 90_000 },
  ],
  lastResult: '8 errors',
  learnings: 'The errors come from one file.',
};

const { loopId: _id, startTime: _start, startTimeMs: _startMs, ...single } = internal;
const legacy = { ...single, startTimestamp: '2026-02-02T21:00:00Z' };

const external = {
  version: '1.0.0',
  loopId: '7f3a2b1c-0000-4000-8000-000000000000',
  objective: task,
  completionCriteria: 'test -f done',
  status: 'interrupted',
  maxIterations: 25,
  currentIteration: 2,
  startTime: '2026-02-02T21:00:00Z',
  lastUpdate: '2026-02-02T22:00:00Z',
  sessionId: 'abc',
  currentPid: null,
  iterations: [{ number: 1, status: 'completed', duration: 5000, analysis: { completed: false } }],
  accumulatedLearnings: ['Run the type checker first.'],
  filesModified: ['src/a.ts'],
  giteaIntegration: { enabled: false },
  config: { workingDir: '.', budgetPerIteration: 2 },
};

const skill = {
  loopId: 'fix-types-1a2b3c',
  objective: task,
  completionCriteria: 'test -f done',
  maxIterations: 12,
  timeout: 60,
  provider: 'claude',
  status: 'running',
  iteration: 4,
  startedAt: '2026-02-02T21:00:00Z',
  lastCheckpoint: null,
  logFile: 'fix.log',
  branch: null,
  learnings: ['one', 'two'],
};

const ultraplan = {
  active: true,
  iteration: 6,
  maxIterations: 100,
  completionPromise: 'DONE',
  startedAt: '2026-02-02T21:00:00.000Z',
  prompt: task,
};

const tachikoma = {
  version: 1,
  loop_id: '5e4d3c2b-1111-4111-8111-111111111111',
  saved_at: '2026-02-02T21:05:00Z',
  core: {
    status: 'running',
    iteration: 7,
    started_at: '2026-02-02T21:00:00Z',
    last_activity: '2026-02-02T21:05:00Z',
    working_dir: '.',
    prompt_path: 'PLAN.md',
    config_hash: 'h',
  },
  session: {
    current_session_id: 's',
    session_started_at: null,
    session_iterations: 1,
    context_usage: 40,
    session_history: [],
  },
  progress: {
    iterations_since_progress: 0,
    last_progress_iteration: 6,
    recent_scores: [0.5],
    modified_files: ['src/a.ts'],
    completed_objectives: [],
    pending_objectives: ['types'],
  },
  tests: { failure_streak: 0, passing_tests: [], failing_tests: ['a'], flaky_tests: [], recently_fixed: [] },
  stop_conditions: { condition_progress: { max_iterations: 0.07 }, last_evaluation: null },
  metrics: {
    total_iterations: 7,
    successful_iterations: 5,
    failed_iterations: 2,
    total_reboots: 1,
    total_execution_ms: 90_000,
  },
  custom: { team: 'core' },
};

const plugin = (state: string) => `---\n${state}\n---\n\n${task}\n`;
const pluginState =
  'active: true\niteration: 3\nmax_iterations: 20\ncompletion_promise: "ALL \\"GREEN\\""\nstarted_at: "2026-02-02T21:00:00Z"\nsession_id: abc';

/** One loop of every system and dialect. */
export const foreignFixtures: readonly ForeignFixture[] = [
  {
    name: 'aiwg',
    file: '.aiwg/ralph/loops/ralph-fix-tests-a1b2c3d4/state.json',
    running: json(exampleState),
    finished: json({ ...exampleState, status: 'completed', completed_at: '2026-02-02T21:30:00Z' }),
    damaged: json({ ...exampleState, iteration: 'five' }),
    becomes: { iteration: 5, finished: 5, maxIterations: 200 },
    endsAs: 'completed',
  },
  {
    name: 'aiwg-internal',
    file: '.aiwg/ralph/loops/ralph-fix-types-0a1b2c3d/state.json',
    running: json(internal),
    finished: json({ ...internal, active: false, status: 'max_iterations', endTime: '2026-02-02T22:00:00Z' }),
    damaged: json({ ...internal, currentIteration: -1 }),
    becomes: { iteration: 3, finished: 2, maxIterations: 10 },
    endsAs: 'failed',
  },
  {
    name: 'aiwg-internal',
    file: '.aiwg/ralph/current-loop.json',
    running: json(legacy),
    finished: json({ ...legacy, active: false, completed: true, status: 'success', endTimestamp: 1_770_067_000_000 }),
    damaged: json({ ...legacy, status: 'sleeping' }),
    becomes: { iteration: 3, finished: 2, maxIterations: 10 },
    endsAs: 'completed',
  },
  {
    name: 'aiwg-external',
    file: '.aiwg/ralph-external/session-state.json',
    running: json(external),
    finished: json({ ...external, status: 'budget_exhausted' }),
    damaged: json({ ...external, iterations: 'many' }),
    becomes: { iteration: 2, finished: 1, maxIterations: 25 },
    endsAs: 'failed',
  },
  {
    name: 'aiwg-external',
    file: '.aiwg/ralph-external/loops/fix-types-1a2b3c.json',
    running: json(skill),
    finished: json({ ...skill, status: 'aborted' }),
    damaged: json({ ...skill, maxIterations: 'all' }),
    becomes: { iteration: 4, finished: 3, maxIterations: 12 },
    endsAs: 'aborted',
  },
  {
    name: 'ultraplan',
    file: '.ultraplan/state/ralph-loop.json',
    running: json(ultraplan),
    finished: json({ ...ultraplan, active: false }),
    damaged: json({ ...ultraplan, iteration: '6' }),
    becomes: { iteration: 6, finished: 5, maxIterations: 100 },
    endsAs: 'aborted',
  },
  {
    name: 'tachikoma',
    file: '.ralph/state.json',
    running: json(tachikoma),
    finished: json({ ...tachikoma, core: { ...tachikoma.core, status: 'stopped' } }),
    damaged: json({ ...tachikoma, core: { ...tachikoma.core, iteration: 'x' } }),
    becomes: { iteration: 7, finished: 7, maxIterations: 100 },
    endsAs: 'aborted',
  },
  {
    name: 'ralph-wiggum',
    file: '.claude/ralph-loop.local.md',
    running: plugin(pluginState),
    finished: plugin(pluginState.replace('active: true', 'active: false')),
    damaged: plugin(pluginState.replace('iteration: 3', 'iteration: three')),
    becomes: { iteration: 3, finished: 2, maxIterations: 20 },
    endsAs: 'aborted',
  },
];
