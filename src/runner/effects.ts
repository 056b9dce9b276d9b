import { exitCodes, LoopError } from '../base/index.ts';
import {
  type Action,
  approvedByTimeout,
  breaksOff,
  budgetLeft,
  callAllowance,
  completionOf,
  fillPrompt,
  type GateRun,
  type HostSession,
  type Loop,
  lostTestCounts,
  type PromptTurn,
  ranFewerTests,
  redlineCut,
  renderPrompt,
  verdictOf,
  waitLeftMs,
  withoutOwnTests,
} from '../core/index.ts';
import type { Changes, Fact, FactData } from '../protocol/index.ts';
import type { Effect } from './effect.ts';
import { lostRun, toFinishedFact } from './finished-run.ts';
import { runHooks, runLoopHooks } from './hooks.ts';
import { observe } from './observe.ts';
import type { AgentTask } from './ports/agent-port.ts';
import type { AttemptKey } from './ports/attempt.ts';
import type { Lease } from './ports/lease.ts';
import { showAgent, showChecks } from './pulses.ts';

type Effectful = Exclude<Action, { readonly type: 'record' | 'none' }>;

/** Carries out an action, and returns the facts that result from it. */
export async function perform(action: Effectful, effect: Effect): Promise<readonly Fact[]> {
  switch (action.type) {
    case 'prepare':
      return await prepareGate(effect);
    case 'baseline':
      return await tryBaseline(effect);
    case 'begin':
      return await begin(action, effect);
    case 'hooks':
      return await runHooks(action, effect);
    case 'loop_hooks':
      return await runLoopHooks(action, effect);
    case 'execute':
      return await execute(action, effect);
    case 'recover':
      return await recover(action, effect);
    case 'observe':
      return await observe(action, effect);
    case 'verify':
      return await verify(action, effect);
    case 'reboot':
      return await reboot(action, effect);
    case 'wait':
      await wait(action, effect);
      return [];
    case 'ask':
      return await ask(action, effect);
    case 'rollback':
      return await rollBack(action, effect);
    case 'rest':
      await effect.ports.clock.waitUntil(Number.POSITIVE_INFINITY, effect.signal);
      effect.takeElapsedMs();
      return [];
    case 'finalize':
      return finalize(effect);
  }
}

/** The wall clock counts whole milliseconds: two readings may differ by one more than the time between them. */
const wholeMs = 1;

/**
 * Waits for a decision. A clock that is set back meanwhile does not give the person more time than was promised; the time
 * that a person takes is no running time.
 */
async function ask({ until, wakeAt }: Effectful & { type: 'ask' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, signal, takeElapsedMs } = effect;
  const { clock } = ports;
  const untilMs = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  const wakeMs = wakeAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(wakeAt);
  const startedMs = clock.monotonicMs();
  const partMs = untilMs - clock.nowMs();
  await clock.waitUntil(Math.min(untilMs, wakeMs), signal);
  takeElapsedMs();
  const { question } = loop().supervision;
  const isOver = clock.monotonicMs() - startedMs + wholeMs >= partMs;
  return question === undefined || signal.aborted || !isOver ? [] : [approvedByTimeout(question)];
}

/** Undoes the work of an iteration. */
async function rollBack({ work }: Effectful & { type: 'rollback' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, takeElapsedMs } = effect;
  const { iteration, trees } = work;
  const result = await ports.workspace.rollBack?.(trees, `${loop().id}/iteration-${iteration}`);
  const data = result ?? { ok: false, message: 'this work tree does not support it' };
  return [{ type: 'rollback.finished', data: { iteration, ...data, elapsedMs: takeElapsedMs() } }];
}

/** A difference between the two clocks up to this is not a jump. */
const clockSlackMs = 1_000;

/**
 * Waits until an instant, possibly for only part of a wait. If the clock is set back meanwhile, the time already
 * waited still counts: only the remainder is recorded.
 */
async function wait(action: Effectful & { type: 'wait' }, effect: Effect): Promise<void> {
  const { loop, ports, record, signal, takeElapsedMs } = effect;
  const { clock } = ports;
  const untilMs = Date.parse(action.until);
  if (action.cause === 'schedule') {
    await clock.waitUntil(untilMs, signal);
    // The time outside the schedule is no running time, and the clock on the wall decides when it is over.
    takeElapsedMs();
    return;
  }
  const startedMs = clock.monotonicMs();
  const nowMs = clock.nowMs();
  const leftMs = waitLeftMs(loop(), nowMs);
  // A clock that was set back before the wait began makes it no longer than intended.
  const partMs = Math.min(untilMs - nowMs, leftMs);
  await clock.waitUntil(nowMs + partMs, signal);
  const waitedMs = clock.monotonicMs() - startedMs;
  const { wait: waited } = loop().pending;
  const isReached = clock.nowMs() >= untilMs || waitedMs + wholeMs >= partMs;
  if (signal.aborted || !isReached || waited === undefined) return;
  const [restMs, slackMs] = action.isWhole ? [0, 0] : [Math.max(0, leftMs - waitedMs), clockSlackMs];
  if (waitLeftMs(loop(), clock.nowMs()) <= restMs + slackMs) return;
  const { cause, message } = waited;
  await record([
    { type: 'wait.scheduled', data: { until: new Date(clock.nowMs() + restMs).toISOString(), cause, message } },
  ]);
}

/** Takes the snapshot for sealed checks. Without it nothing can be proven, so the loop pauses. */
async function prepareGate({ loop, ports, takeElapsedMs }: Effect): Promise<readonly Fact[]> {
  const prepared = (await ports.gate.prepare?.(loop().gate.checks)) ?? 'this gate does not support it';
  const elapsedMs = takeElapsedMs();
  if (typeof prepared !== 'string') {
    return [{ type: 'environment.captured', data: { ...prepared, folders: [...prepared.folders], elapsedMs } }];
  }
  const message = `A snapshot of the dependencies for the sealed checks could not be taken: ${prepared}. Fix that and resume.`;
  return [{ type: 'loop.paused', data: { reason: 'environment', message, elapsedMs } }];
}

async function tryBaseline(effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, takeElapsedMs, signal, kill } = effect;
  const {
    gate: { checks: commands, guards = [] },
    journal: { recoveries },
  } = loop();
  const isRepeat = recoveries > 0;
  const task = { checks: commands, guards, purpose: 'baseline', isRepeat } as const;
  const run = await ports.gate.run(task, { signal, kill }, showChecks(effect, 'baseline'));
  if (run === undefined) return [];
  const { verdict, checks, tampered = [], renewed = [] } = run;
  const data = { verdict, checks: [...checks], ...reportOf(run), elapsedMs: takeElapsedMs() };
  const unguarded = tampered.length === 0 ? {} : { unguarded: [...tampered] };
  const made = renewed.length === 0 ? {} : { renewed: [...renewed] };
  return [{ type: 'baseline.finished', data: { ...data, ...unguarded, ...made } }];
}

type Begin = Effectful & { type: 'begin' };

async function begin(action: Begin, effect: Effect): Promise<readonly Fact[]> {
  const start = capturesStart(action) ? await effect.ports.gate.captureStart() : undefined;
  return [toStartedFact(action, { start, elapsedMs: effect.takeElapsedMs() })];
}

/**
 * Whether the state of the work tree has to be captured before an attempt begins: after the baseline, because what the
 * checks write is not work, but not before later attempts, because the changes of earlier ones are unknown.
 */
export function capturesStart({ iteration, attempt }: Begin): boolean {
  return iteration === 1 && attempt === 1;
}

/** The fact that an attempt begins. */
export function toStartedFact(
  { type: _type, guidance, ...turn }: Begin,
  { start, elapsedMs }: Pick<FactData<'iteration.started'>, 'start' | 'elapsedMs'>,
): Fact {
  return { type: 'iteration.started', data: { ...turn, guidance: [...guidance], ...(start && { start }), elapsedMs } };
}

/** Renders and stores the prompt. One that cannot be read or stored is judged like a failed run. */
async function prepare(
  { iteration, attempt }: AttemptKey,
  { loop, ports }: Effect,
): Promise<string | FactData<'agent.finished'>> {
  const { current } = loop().position;
  if (current === undefined) throw new TypeError(`Iteration ${iteration} has not begun.`);
  try {
    const { sessionId } = sessionOf(loop());
    const moment = { iteration, nowMs: ports.clock.nowMs(), ...(sessionId === undefined ? {} : { sessionId }) };
    const { prompt: edited } = loop().supervision;
    const task = edited ?? fillPrompt(await ports.prompt.read(), loop(), moment);
    const sources = current.delivered.handOff ? await handoverSources(loop(), ports) : {};
    const notes = ports.prompt.notes?.();
    const prompt = renderPrompt(loop(), task, { ...current, ...sources, ...(notes && { notes }) });
    await ports.files.keepPrompt({ iteration, attempt }, prompt);
    return prompt;
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    const { message, code, exitCode } = error.failure;
    return {
      iteration,
      attempt,
      ending: { kind: 'not_started', code, message },
      outcome: exitCode === exitCodes.configuration ? 'configuration' : 'transient',
      error: message,
      claimed: false,
      changes: nothingChanged,
      durationMs: 0,
    };
  }
}

/** What a handover contains besides the state of the loop. */
async function handoverSources({ config }: Loop, { workspace }: Effect['ports']): Promise<Partial<PromptTurn>> {
  const { handOffCommits, handOffFiles, handOffBytes } = config.session;
  const commits = handOffCommits === 0 ? [] : await workspace.recentCommits?.(handOffCommits);
  const files = handOffFiles.length === 0 ? [] : workspace.readFiles?.(handOffFiles, handOffBytes);
  return { commits: commits ?? [], files: files ?? [] };
}

const nothingChanged: Changes = { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 };

async function execute(action: Effectful & { type: 'execute' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, record, signal, kill } = effect;
  const { iteration, attempt } = action;
  const prompt = await prepare(action, effect);
  if (typeof prompt !== 'string') return [{ type: 'agent.finished', data: prompt }];
  await ports.workspace.begin({ iteration, attempt }, effect.followsRunDirectly);
  // Interrupted meanwhile, also by a command that is being recorded right now: decide again before anything starts.
  if (!(await effect.begin([]))) return [];
  const session = ports.agent.handOver?.({ iteration, attempt, prompt });
  if (session !== undefined) return await park(session, effect);
  const run = await ports.agent.run({
    iteration,
    attempt,
    prompt,
    ...sessionOf(loop()),
    budget: budgetLeft(loop(), effect.readElapsedMs()),
    ...boundsOf(loop()),
    ...permitOf(ports.loop.lease),
    signal,
    kill,
    onStarted: (process, sandbox) =>
      record([{ type: 'agent.started', data: { iteration, attempt, process, ...(sandbox && { sandbox }) } }]),
    onProgress: showAgent(effect),
  });
  const changes = withoutOwnTests(await ports.workspace.changes(), loop().gate.protectedFiles);
  return [{ type: 'agent.finished', data: { iteration, attempt, ...toFinishedFact(loop(), run, prompt), changes } }];
}

/** Leaves the loop to a session. Its attempt ends when the session stops, with another owner. */
async function park(session: HostSession, { ports, record, takeElapsedMs }: Effect): Promise<readonly Fact[]> {
  const wakeAt = new Date(ports.clock.nowMs()).toISOString();
  await record([{ type: 'loop.parked', data: { wakeAt, elapsedMs: takeElapsedMs(), session } }]);
  return [];
}

function boundsOf(loop: Loop): Pick<AgentTask, 'allowance' | 'redline'> {
  const [allowance, redline] = [callAllowance(loop), redlineCut(loop)];
  return { ...(allowance === undefined ? {} : { allowance }), ...(redline === undefined ? {} : { redline }) };
}

function permitOf({ permit }: Lease): Pick<AgentTask, 'permit'> {
  return permit === undefined ? {} : { permit: permit() };
}

function sessionOf({
  session: { current: session },
  config,
}: Loop): Pick<AgentTask, 'session' | 'sessionId' | 'sessionUsage'> {
  const continues = config.session.strategy === 'continue' && session?.id !== undefined && session.iterations > 0;
  if (!continues || session.id === undefined) return { session: 'fresh' };
  return { session: 'continue', sessionId: session.id, ...usageOf(session) };
}

function usageOf(session: Loop['session']['current']): Pick<AgentTask, 'sessionUsage'> {
  return session?.usage === undefined ? {} : { sessionUsage: session.usage };
}

/** Continues with the agent of an owner that died. A loop that has to pause or end does not wait for it. */
async function recover(action: Effectful & { type: 'recover' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, signal, kill } = effect;
  const { iteration, attempt } = action;
  const {
    position: { current },
    commands: { requests },
    session: { current: session },
  } = loop();
  const adopt = !breaksOff(loop()) && requests.pause === undefined;
  const known = current?.process && { process: current.process };
  const budget = budgetLeft(loop(), effect.readElapsedMs());
  const onProgress = showAgent(effect, current?.startedAt);
  const began = current && { startedAt: current.startedAt };
  const bounds = { budget, ...boundsOf(loop()) };
  const task = {
    iteration,
    attempt,
    ...known,
    ...began,
    adopt,
    ...bounds,
    signal,
    kill,
    onProgress,
    ...usageOf(session),
  };
  const run = await ports.agent.recover(task);
  if (run === undefined) return [{ type: 'agent.finished', data: { iteration, attempt, ...lostRun } }];
  await ports.workspace.restore({ iteration, attempt });
  const changes = withoutOwnTests(await ports.workspace.changes(), loop().gate.protectedFiles);
  const prompt = await ports.files.readPrompt({ iteration, attempt });
  return [{ type: 'agent.finished', data: { iteration, attempt, ...toFinishedFact(loop(), run, prompt), changes } }];
}

async function verify(action: Effectful & { type: 'verify' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, begin, signal, kill } = effect;
  const { iteration, attempt, conditions, isPeriodic } = action;
  const due = isPeriodic === true ? { isPeriodic } : {};
  const isRepeat = loop().position.current?.stage === 'verifying';
  const requested = conditions === undefined ? {} : { conditions: [...conditions] };
  if (!(await begin([{ type: 'gate.started', data: { iteration, attempt, ...requested, ...due } }]))) return [];
  const {
    gate: { checks: commands, guards = [], start, checkWrites },
    verification: { baseline },
  } = loop();
  const writes = { checkWrites, expectedWrites: baseline?.writes };
  const task = { checks: commands, guards, purpose: 'gate', iteration, attempt, isRepeat, start, ...writes } as const;
  const run = await ports.gate.run(task, { signal, kill }, showChecks(effect, 'gate'));
  if (run === undefined) return [];
  const { checks, tampered = [], doubts = [], changedFiles, editedTests, durationMs } = run;
  const data = { iteration, attempt, verdict: verdictOf(run, loop()), ...due, checks: [...checks], durationMs };
  const warnings = silenceWarning(run, loop());
  const changed = {
    ...(changedFiles === undefined ? {} : { changedFiles }),
    ...(editedTests === undefined ? {} : { editedTests: [...editedTests] }),
    ...(tampered.length === 0 ? {} : { tampered: [...tampered] }),
    ...(doubts.length === 0 ? {} : { doubts: [...doubts] }),
  };
  return [{ type: 'gate.finished', data: { ...data, ...reportOf(run), ...warnings, ...changed } }];
}

function silenceWarning(
  run: GateRun,
  { verification: { baseline } }: Loop,
): Pick<FactData<'gate.finished'>, 'warnings'> {
  const now = lostTestCounts(run, { baseline }) ? 'none' : ranFewerTests(run, { baseline }) ? 'fewer' : undefined;
  if (run.verdict !== 'passed' || now === undefined) return {};
  const before = baseline?.tests?.total ?? 0;
  const silence = `The checks counted ${before} tests before the first iteration and ${now} now, so nothing is proven. If the checks now report differently on purpose, set "iteration.parseTests: false".`;
  return { warnings: [...(run.warnings ?? []), silence] };
}

/** What a run of the checks reports besides its verdict, for the baseline as well as the gate. */
function reportOf({ tests, measures = [], proof, tree, obstacle, warnings = [], writes = [] }: GateRun): GateReport {
  return {
    ...(tests === undefined ? {} : { tests }),
    ...(measures.length === 0 ? {} : { measures: [...measures] }),
    ...(proof === undefined ? {} : { proof }),
    ...(tree === undefined ? {} : { tree }),
    ...(obstacle === undefined ? {} : { obstacle }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(writes.length === 0 ? {} : { writes: [...writes] }),
  };
}

type GateReport = Pick<
  FactData<'gate.finished'>,
  'tests' | 'measures' | 'proof' | 'tree' | 'obstacle' | 'warnings' | 'writes'
>;

/** A new process is a new session, so only the recorded session has to be forgotten. */
async function reboot({ cause }: Effectful & { type: 'reboot' }, { loop, begin }: Effect): Promise<readonly Fact[]> {
  const sessionId = loop().session.current?.id;
  const data = { cause, ...(sessionId === undefined ? {} : { sessionId }) };
  if (!(await begin([{ type: 'reboot.started', data }]))) return [];
  return [{ type: 'reboot.finished', data: { cause, ok: true } }];
}

function finalize({ loop, takeElapsedMs }: Effect): readonly Fact[] {
  const { verified, proof } = loop().outcome;
  const data = { ...completionOf(loop()), verified, elapsedMs: takeElapsedMs() };
  return [{ type: 'loop.ended', data: { ...data, ...(proof === undefined ? {} : { proof }) } }];
}
