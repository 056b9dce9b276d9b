import { type AppContext, type LoopPlace, openLogs, placeOf } from '../app/index.ts';
import { failures, formatDuration, tailText } from '../base/index.ts';
import {
  emptyHistory,
  extractSummary,
  foldHistory,
  type HistoryFold,
  type IterationRecord,
  openRecord,
  readTestReport,
} from '../core/index.ts';
import { toTachikomaIteration, toTachikomaIterationStatus } from '../formats/index.ts';
import { type EnvironmentOptions, type LoopHandle, resumeLoop, runLoop } from '../library/index.ts';
import { type LoopConfigInput, parseConfig, type TestHints } from '../protocol/index.ts';
import { LoopConfig, settingsOf } from './config.ts';
import { type Duration, durationText, millisecondsOf } from './durations.ts';
import { inTheirWords, LoopError } from './errors.ts';
import { type Iteration, type IterationResult, resultOf, TestResults } from './iteration.ts';
import { contextOf } from './own-context.ts';
import type { Session } from './session.ts';

/** How much of each output stream a result holds. */
const maxOutputLength = 1024 * 1024;

/** How iterations are executed. */
export interface IterationConfig {
  /** Maximum time for one iteration. Default: `30m`. */
  timeout: Duration;
  /** Where the agent works. Default: `.`. */
  workingDir: string;
  /** Environment variables for the agent. Default: none. */
  envVars: Record<string, string>;
  /** Whether to find out which files the agent changed. Default: true. */
  trackFileChanges: boolean;
  /** Whether to read test results from what the agent printed. Default: true. */
  parseTests: boolean;
  /** Further settings of ralphd by its own names, such as `hooks`; they take precedence. */
  ralphd?: LoopConfigInput;
}

/** The default execution. */
export const IterationConfig = {
  /** A new configuration with the defaults. */
  default: (): IterationConfig => ({
    timeout: '30m',
    workingDir: '.',
    envVars: {},
    trackFileChanges: true,
    parseTests: true,
  }),
} as const;

/** Executes single iterations: sends a prompt to the agent, waits for its end and collects what it did. */
export class IterationExecutor {
  readonly #config: IterationConfig;
  readonly #context: AppContext;

  /**
   * @param config how iterations are executed; missing settings get their defaults.
   * @param options where, and with which environment; default: the current ones.
   */
  constructor(config: Partial<IterationConfig> = {}, options: EnvironmentOptions = {}) {
    this.#config = { ...IterationConfig.default(), ...config };
    this.#context = contextOf(options);
  }

  /**
   * Executes an iteration and keeps its status up to date. An agent that exits with an error makes the iteration fail, and
   * the result says how. Rejects if the agent could not run to its end, and when it took too long: it has then been ended
   * with everything that it started.
   */
  async execute(iteration: Iteration, session: Session): Promise<IterationResult> {
    return await session.occupy(async (onStop) => await this.#execute(iteration, session, onStop));
  }

  async #execute(
    iteration: Iteration,
    session: Session,
    onStop: (stop: () => Promise<unknown>) => void,
  ): Promise<IterationResult> {
    try {
      const settings = this.#settings(iteration.prompt, session);
      const handle = await this.#start(settings, session);
      onStop(async () => await handle.send({ command: 'abort' }));
      const record = await follow(handle, iteration, session);
      const { context } = await handle.result;
      if (context.state !== 'paused') session.loopId = undefined;
      if (record?.status === 'timed_out') throw this.#timedOut(iteration);
      const stored = record && toTachikomaIteration(record).result;
      if (!record || !stored) throw brokenOff(iteration, context.stopMessage ?? 'the agent did not run.');
      const result = { ...resultOf(stored), ...(await this.#outputOf(record, handle.id, settings)) };
      session.contextUsage = result.contextUsagePercent;
      settle(iteration, record, result);
      return result;
    } catch (error) {
      const own = inTheirWords(error, { path: session.config.stateDir });
      if (iteration.status !== 'timed_out') iteration.fail(own instanceof Error ? own.message : String(own));
      throw own;
    }
  }

  async #start(settings: LoopConfigInput, session: Session): Promise<LoopHandle> {
    const { loopId } = session;
    if (loopId === undefined) {
      session.lastSeq = 0;
      session.iterations = 1;
      const handle = await runLoop({ ...settings, maxIterations: 1 }, {}, this.#context);
      session.loopId = handle.id;
      return handle;
    }
    session.iterations += 1;
    const changes = { prompt: settings.prompt, maxIterations: session.iterations };
    return await resumeLoop(loopId, { changes, stateDir: this.#placeOf(settings).root }, this.#context);
  }

  #settings(prompt: string, session: Session): LoopConfigInput {
    const { timeout, workingDir, envVars, trackFileChanges, parseTests, ralphd = {} } = this.#config;
    return settingsOf(
      LoopConfig.from({
        workingDir,
        iterationDelay: 0,
        stopConditions: { maxNoProgressIterations: 0, maxTestFailureStreak: 0 },
        session: session.config,
        ralphd: {
          autoTest: false,
          baseline: false,
          onLimit: 'pause',
          onProviderLimit: 'stop',
          ...ralphd,
          prompt,
          stopConditions: { maxIterationFailureStreak: 0, maxSameErrorStreak: 0, ...ralphd.stopConditions },
          // Only a session that is full or too old is replaced behind the caller's back.
          session: { strategy: 'continue', reboot: { onDegradation: false }, ...ralphd.session },
          iteration: {
            timeout: durationText(timeout, 'timeout'),
            env: envVars,
            trackFileChanges,
            parseTests,
            ...ralphd.iteration,
          },
        },
      }),
    );
  }

  #placeOf({ workingDir, stateDir }: LoopConfigInput): LoopPlace {
    return placeOf(parseConfig({ workingDir, stateDir }), this.#context.cwd);
  }

  /** What the agent printed, and what that says about tests. */
  async #outputOf({ number, result }: IterationRecord, loopId: string, settings: LoopConfigInput) {
    const logs = openLogs(this.#placeOf(settings), loopId, this.#context);
    const read = async (stream: 'stdout' | 'stderr', reader: 'text' | 'transcript') =>
      await textOf(logs[reader]({ iteration: number, stream, follow: false }));
    const said = await read('stdout', 'transcript');
    const report = this.#config.parseTests ? testsIn(said, result?.testHints) : undefined;
    const summary = extractSummary(said);
    return {
      stdout: await read('stdout', 'text'),
      stderr: await read('stderr', 'text'),
      testsRun: report !== undefined,
      ...(report && { testResults: new TestResults({ ...report, details: report.details.map(detailOf) }) }),
      ...(summary !== undefined && { summary }),
    };
  }

  #timedOut(iteration: Iteration): LoopError {
    iteration.timeout();
    const timeoutMs = millisecondsOf(this.#config.timeout, 'timeout');
    const { number } = iteration;
    const failure = failures.iterationTimedOut(number, formatDuration(timeoutMs));
    return new LoopError(failure, { kind: 'IterationTimeout', iteration: number, timeoutMs });
  }
}

function brokenOff({ number }: Iteration, why: string): LoopError {
  return new LoopError(failures.iterationBrokenOff(number, why), { kind: 'CommandFailed', source: why });
}

/** Follows the loop until its run is over; returns the record of the iteration that finished in it. */
async function follow(
  handle: LoopHandle,
  iteration: Iteration,
  session: Session,
): Promise<IterationRecord | undefined> {
  let fold: HistoryFold = { history: emptyHistory(1) };
  for await (const event of handle.events({ afterSeq: session.lastSeq })) {
    fold = foldHistory(fold, event);
    session.lastSeq = event.seq;
    if (event.type === 'agent.finished' && event.data.sessionId !== undefined) session.id = event.data.sessionId;
    const open = openRecord(fold);
    if (open !== undefined) iteration.status = toTachikomaIterationStatus(open.status);
  }
  return fold.history.records[0];
}

function settle(iteration: Iteration, { status, metadata }: IterationRecord, result: IterationResult): void {
  iteration.complete(result);
  Object.assign(iteration.metadata, metadata);
  if (status === 'skipped') iteration.skip();
  if (status === 'failed') iteration.fail(metadata['error'] ?? 'The agent failed.');
}

async function textOf(entries: AsyncIterable<{ readonly type: string; readonly text?: string }>): Promise<string> {
  let text = '';
  for await (const entry of entries) {
    if (entry.type === 'text') text = tailText(`${text}${entry.text ?? ''}`, maxOutputLength);
  }
  return text;
}

/** Test results from the agent's words, unless the output of its commands shows other counts. */
function testsIn(said: string, hints: TestHints | undefined): ReturnType<typeof readTestReport> {
  const report = readTestReport(said);
  if (hints === undefined) return report;
  const isSame = report?.total === hints.total && report.passed === hints.passed && report.failed === hints.failed;
  return isSame ? report : { ...hints, details: [] };
}

function detailOf({
  name,
  status,
  durationMs = 0,
  error,
}: NonNullable<ReturnType<typeof readTestReport>>['details'][number]) {
  return { name, status, durationMs, ...(error === undefined ? {} : { error }) };
}
