import { exitCodes, LoopError } from '../base/index.ts';
import { type Action, detectClaim, extractSummary, type Loop, renderPrompt } from '../core/index.ts';
import type { Changes, Fact, FactData } from '../protocol/index.ts';
import type { AgentRun, EffectSignals, RunnerPorts } from './ports.ts';

/** What an effect may use. */
export interface Effect extends EffectSignals {
  readonly loop: () => Loop;
  readonly ports: RunnerPorts;
  /** Writes facts at once, for those that must be durable before the effect goes on. */
  readonly record: (facts: readonly Fact[]) => void;
  readonly takeElapsedMs: () => number;
}

type Effectful = Exclude<Action, { readonly type: 'record' | 'none' }>;

/** Carries out what was decided, and returns what it showed. */
export async function perform(action: Effectful, effect: Effect): Promise<readonly Fact[]> {
  switch (action.type) {
    case 'baseline':
      return await tryBaseline(effect);
    case 'begin':
      return await begin(action, effect);
    case 'execute':
      return await execute(action, effect);
    case 'recover':
      return await recover(action, effect);
    case 'verify':
      return await verify(action, effect);
    case 'reboot':
      return reboot(action, effect);
    case 'wait':
      await effect.ports.clock.waitUntil(Date.parse(action.until), effect.signal);
      return [];
    case 'rest':
      await effect.ports.clock.waitUntil(Number.POSITIVE_INFINITY, effect.signal);
      effect.takeElapsedMs();
      return [];
    case 'finalize':
      return finalize(effect);
  }
}

async function tryBaseline({ loop, ports, takeElapsedMs, ...signals }: Effect): Promise<readonly Fact[]> {
  const run = await ports.gate.run(loop().checks, signals);
  if (run === undefined) return [];
  const { verdict, checks, tests } = run;
  const data = { verdict, checks: [...checks], ...(tests === undefined ? {} : { tests }), elapsedMs: takeElapsedMs() };
  return [{ type: 'baseline.finished', data }];
}

/** Renders the prompt and begins the attempt. A prompt that cannot be read or kept is judged like a run that failed. */
async function begin(action: Effectful & { type: 'begin' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, takeElapsedMs } = effect;
  const { type: _type, guidance, ...turn } = action;
  const started = (): Fact => ({
    type: 'iteration.started',
    data: { ...turn, guidance: [...guidance], elapsedMs: takeElapsedMs() },
  });
  try {
    const prompt = renderPrompt(loop(), await ports.prompt.read(), turn);
    ports.agent.preparePrompt(turn, prompt);
    return [started()];
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    const { message, hint } = error.failure;
    const failed: FactData<'agent.finished'> = {
      iteration: turn.iteration,
      attempt: turn.attempt,
      ending: { kind: 'not_started', code: error.failure.code, message },
      outcome: error.failure.exitCode === exitCodes.configuration ? 'configuration' : 'transient',
      error: `${message} ${hint}`,
      claimed: false,
      changes: nothingChanged,
      durationMs: 0,
    };
    return [{ ...started() }, { type: 'agent.finished', data: failed }];
  }
}

const nothingChanged: Changes = { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 };

async function execute(action: Effectful & { type: 'execute' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, record, signal, kill } = effect;
  const { iteration, attempt } = action;
  await ports.workspace.begin();
  const run = await ports.agent.run({
    iteration,
    attempt,
    ...sessionOf(loop()),
    signal,
    kill,
    onStarted: (process) => record([{ type: 'agent.started', data: { iteration, attempt, process } }]),
  });
  const changes = await ports.workspace.changes();
  return [{ type: 'agent.finished', data: { iteration, attempt, ...whatItShowed(loop(), run), changes } }];
}

function sessionOf({ session, config }: Loop): { session: 'fresh' | 'continue'; sessionId?: string } {
  const continues = config.session.strategy === 'continue' && session?.id !== undefined && session.iterations > 0;
  return continues && session.id !== undefined ? { session: 'continue', sessionId: session.id } : { session: 'fresh' };
}

function whatItShowed(loop: Loop, run: AgentRun) {
  const { claimText, prompt, ...shown } = run;
  const { completionPromise: promise, promiseMatch: match } = loop.config;
  const summary = extractSummary(claimText);
  return {
    ...shown,
    claimed: promise !== null && detectClaim(claimText, { promise, match, prompt }),
    ...(summary === undefined ? {} : { summary }),
  };
}

async function recover(action: Effectful & { type: 'recover' }, { loop, ports }: Effect): Promise<readonly Fact[]> {
  const { iteration, attempt } = action;
  await ports.agent.recover({ iteration, attempt }, loop().current?.process);
  return [{ type: 'agent.finished', data: { iteration, attempt, ...lostRun } }];
}

const lostRun: Omit<FactData<'agent.finished'>, 'iteration' | 'attempt'> = {
  ending: { kind: 'lost' },
  outcome: 'interrupted',
  error: 'ralphd ended while the agent was running; what was left of it has been ended',
  claimed: false,
  changes: { known: false, headMoved: false, modified: [], created: [], deleted: [], count: 0 },
  durationMs: 0,
};

async function verify(action: Effectful & { type: 'verify' }, effect: Effect): Promise<readonly Fact[]> {
  const { loop, ports, record, signal, kill } = effect;
  const { iteration, attempt } = action;
  record([{ type: 'gate.started', data: { iteration, attempt } }]);
  const run = await ports.gate.run(loop().checks, { signal, kill });
  if (run === undefined) return [];
  const { verdict, checks, tests, durationMs } = run;
  const data = { iteration, attempt, verdict, checks: [...checks], durationMs };
  return [{ type: 'gate.finished', data: { ...data, ...(tests === undefined ? {} : { tests }) } }];
}

/** A new process is a new session: there is nothing to end but the memory of the old one. */
function reboot({ cause }: Effectful & { type: 'reboot' }, { record }: Effect): readonly Fact[] {
  record([{ type: 'reboot.started', data: { cause } }]);
  return [{ type: 'reboot.finished', data: { cause, ok: true } }];
}

function finalize({ loop, takeElapsedMs }: Effect): readonly Fact[] {
  const { verified } = loop();
  const message = verified ? 'the task is done, and the checks prove it' : 'the agent says so; nothing was checked';
  const data = { status: 'completed', reason: 'completed', message, verified, elapsedMs: takeElapsedMs() } as const;
  return [{ type: 'loop.ended', data }];
}
