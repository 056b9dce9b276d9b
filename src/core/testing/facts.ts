import {
  type Changes,
  configSchema,
  encodeConfig,
  type Fact,
  type FactData,
  type Guard,
  type LoopConfig,
  type LoopConfigInput,
  type Obstacle,
  type ProofLevel,
  type TestCounts,
  type Verdict,
} from '../../protocol/index.ts';

/** A configuration with every default filled in. */
export function configOf(input: LoopConfigInput = {}): LoopConfig {
  return configSchema.parse(input);
}

/** The parts of a loop's start that matter to a test. */
export interface Start {
  readonly config?: LoopConfigInput;
  readonly checks?: FactData<'loop.started'>['checks'];
  readonly task?: string;
  readonly guards?: readonly Guard[];
}

/** The first fact of every loop. */
export function loopStarted({ config = {}, checks = ['npm test'], task = 'Fix the tests', guards }: Start = {}): Fact {
  return {
    type: 'loop.started',
    data: {
      loopId: 'ralph-fix-tests-a1b2c3d4',
      uuid: 'a1b2c3d4-0000-4000-8000-000000000000',
      task,
      agent: 'command',
      workingDirectory: '/project',
      startedBy: 'user',
      config: encodeConfig(configOf(config)),
      configHash: 'hash',
      checks,
      ...(guards === undefined ? {} : { guards: [...guards] }),
    },
  };
}

/** A work tree in which this many files were modified. */
export function changed(count: number, more: Partial<Changes> = {}): Changes {
  const modified = Array.from({ length: count }, (_, index) => `file-${index}.ts`);
  return { known: true, headMoved: false, modified, created: [], deleted: [], count, ...more };
}

/** Counts of ten tests of which some fail. */
export function counts(failed: number, total = 10): TestCounts {
  const failing = Array.from({ length: failed }, (_, index) => `test ${index}`);
  return { framework: 'tap', total, passed: total - failed, failed, skipped: 0, failing };
}

/** The parts of an agent's run that matter to a test; by default it worked, claimed nothing and changed one file. */
export type Run = Partial<Omit<FactData<'agent.finished'>, 'iteration' | 'attempt'>>;

/** The parts of a gate that matter to a test. */
export interface Gate {
  readonly verdict: Verdict;
  readonly tests?: TestCounts;
  readonly output?: string;
  readonly tampered?: readonly string[];
  readonly doubts?: readonly string[];
  readonly changedFiles?: number;
  readonly proof?: ProofLevel;
  readonly obstacle?: Obstacle;
  readonly isPeriodic?: true;
}

/** Which attempt a fact is about. */
export interface AttemptName {
  readonly iteration: number;
  readonly attempt: number;
}

/** The end of an agent's run. */
export function agentFinished({ iteration, attempt }: AttemptName, run: Run = {}): Fact {
  return {
    type: 'agent.finished',
    data: {
      iteration,
      attempt,
      ending: { kind: 'exited', code: 0 },
      outcome: 'completed',
      claimed: false,
      changes: changed(1),
      durationMs: 1_000,
      ...run,
    },
  };
}

/** The end of a gate. */
export function gateFinished({ iteration, attempt }: AttemptName, gate: Gate): Fact {
  const { verdict, tests, output = '', tampered, doubts, changedFiles, proof, obstacle, isPeriodic } = gate;
  return {
    type: 'gate.finished',
    data: {
      iteration,
      attempt,
      verdict,
      checks: [{ command: 'npm test', verdict, durationMs: 500, output }],
      ...(tests === undefined ? {} : { tests }),
      ...(tampered === undefined ? {} : { tampered: [...tampered] }),
      ...(doubts === undefined ? {} : { doubts: [...doubts] }),
      ...(changedFiles === undefined ? {} : { changedFiles }),
      ...(proof === undefined ? {} : { proof }),
      ...(obstacle === undefined ? {} : { obstacle }),
      ...(isPeriodic === undefined ? {} : { isPeriodic }),
      durationMs: 500,
    },
  };
}

/** A hook with defaults for what does not matter to a test. */
export function hook(name: string, more: Partial<HookInput> = {}): HookInput {
  return { name, at: ['pre_iteration'], run: 'true', ...more };
}

type HookInput = NonNullable<LoopConfigInput['hooks']>[number];

/** An arbitrary process. */
export const someProcess = { host: 'host', bootId: 'boot', pid: 42, startTime: '1000' } as const;

/** A guard for a file whose change refuses. */
export function fileGuard(path: string, digest: string): Extract<Guard, { kind: 'file' }> {
  return { kind: 'file', path, digest, effect: 'refuse' };
}
