import type { Action } from '../../../src/core/index.ts';
import type { Fact, FactData, RebootCause } from '../../../src/protocol/index.ts';
import { lostRun } from '../lost-run.ts';
import { cutByBudget } from './budget.ts';
import { wordsOf } from './conditions.ts';
import { changedFilesOf, changeFiles, evidenceOf, reportOf } from './evidence.ts';
import { type Behaviour, behaviourOf, hookSays, markersOf, rebootWorks, resetOf } from './script.ts';
import { gateSays, tamper } from './tampering.ts';
import type { World } from './world.ts';

interface AttemptKey {
  readonly iteration: number;
  readonly attempt: number;
}

/** Lets people interfere while something runs. */
type Interference = () => unknown;

const process = { host: 'h', bootId: 'b', pid: 2, startTime: '2' };

/** Tries the gate once before the first iteration. */
export function runBaseline(world: World, interference: Interference): readonly Fact[] {
  world.pass(3_000);
  interference();
  if (world.rules.breaksOff(world.loop)) return [];
  world.mayDie(0.05);
  const { elapsedMs } = world;
  return [{ type: 'baseline.finished', data: { ...evidenceOf(world, [0, world.finishedBaselines]), elapsedMs } }];
}

type HookResult = FactData<'hooks.finished'>['results'][number];

/** Runs the hooks of a step to their end, or until somebody breaks them off: then they have said nothing. */
export function runHooks(
  world: World,
  { iteration, attempt, point, hooks }: Action & { type: 'hooks' },
  interference: Interference,
): readonly Fact[] {
  const { seed, setting } = world;
  const key = { iteration, attempt, point };
  world.append({ type: 'hooks.started', data: key });
  // What a hook says must not depend on how often it ran where runs with and without crashes are compared.
  const earlier = setting.comparable ? 0 : (world.finishedHooks.get(`${iteration} ${point}`) ?? 0);
  const results: HookResult[] = [];
  for (const due of hooks) {
    world.pass(300);
    interference();
    if (world.rules.breaksOff(world.loop)) return [];
    world.mayDie(0.03);
    const says = hookSays(seed, [iteration, earlier, point.length], due.name);
    const isFatal = !says.ok && setting.config.hooks.some(({ name, fatal }) => name === due.name && fatal);
    results.push({ ...due, ok: says.ok, ...(isFatal ? { fatal: true } : {}), durationMs: 300, output: '' });
    const stop = says.stops ? { stop: { hook: due.name, reason: 'enough' } } : {};
    if (isFatal || says.stops) return [{ type: 'hooks.finished', data: { ...key, results, ...stop } }];
  }
  return [{ type: 'hooks.finished', data: { ...key, results, data: { by: hooks[0]?.name ?? '' } } }];
}

/** Runs the agent to its end, or until somebody breaks it off. */
export function runAgent(
  world: World,
  { iteration, attempt }: AttemptKey,
  interference: Interference,
): readonly Fact[] {
  const finishedRuns = world.finishedRuns.get(iteration) ?? 0;
  const behaviour = cutByBudget(world, behaviourOf(world.seed, iteration, finishedRuns));
  const key = { iteration, attempt };
  // Reading the prompt takes its time, and nothing starts if somebody breaks it off meanwhile.
  world.pass(20);
  interference();
  if (world.rules.breaksOff(world.loop)) return [];
  world.mayDie(0.03);
  if (behaviour.run.ending.kind === 'not_started') {
    return finishRun(world, key, behaviour);
  }
  const name = `${iteration}.${attempt}`;
  world.startAgent(name);
  world.mayDie(0.03);
  world.append({ type: 'agent.started', data: { ...key, process } });
  world.pass(Math.ceil(behaviour.run.durationMs / 2));
  world.mayWarp();
  world.mayDie(0.05);
  interference();
  takeEffect(world, behaviour, [iteration, finishedRuns]);
  tamper(world, iteration, finishedRuns);
  if (world.rules.breaksOff(world.loop)) {
    world.agents.delete(name);
    return finishRun(world, key, brokenOff(behaviour));
  }
  world.pass(Math.floor(behaviour.run.durationMs / 2));
  world.mayDie(0.05);
  world.agents.delete(name);
  world.mayDie(0.03);
  return finishRun(world, key, behaviour);
}

/** Goes on with the agent of an owner that died, if it is still there and nobody wants to rest; else ends it. */
export function recoverAgent(
  world: World,
  { iteration, attempt }: AttemptKey,
  interference: Interference,
): readonly Fact[] {
  const key = { iteration, attempt };
  world.mayDie(0.05);
  const { loop, rules, agents } = world;
  const isWanted = !rules.breaksOff(loop) && loop.requests.pause === undefined;
  if (!isWanted || !agents.has(`${iteration}.${attempt}`)) {
    agents.clear();
    return [{ type: 'agent.finished', data: { ...key, ...lostRun } }];
  }
  const finishedRuns = world.finishedRuns.get(iteration) ?? 0;
  const behaviour = cutByBudget(world, behaviourOf(world.seed, iteration, finishedRuns));
  world.pass(1_000);
  interference();
  takeEffect(world, behaviour, [iteration, finishedRuns]);
  tamper(world, iteration, finishedRuns);
  world.mayDie(0.05);
  agents.clear();
  return finishRun(world, key, rules.breaksOff(world.loop) ? brokenOff(behaviour) : behaviour);
}

/** Runs the gate to its end, or until somebody breaks it off: then it has said nothing. */
export function runGate(
  world: World,
  { iteration, attempt, conditions }: Action & { type: 'verify' },
  interference: Interference,
): readonly Fact[] {
  const key = { iteration, attempt };
  const asked = conditions === undefined ? {} : { conditions: [...conditions] };
  world.append({ type: 'gate.started', data: { ...key, ...asked } });
  world.pass(2_000);
  interference();
  if (world.rules.breaksOff(world.loop)) return [];
  world.mayDie(0.05);
  const evidence = evidenceOf(world, [iteration, world.finishedGates.get(iteration) ?? 0]);
  const { verdict, ...changed } = gateSays(world, evidence.verdict);
  const since = changedFilesOf(world);
  // Checks whose file was changed are not run, so they count no tests; those that cannot be run say nothing at all.
  const report =
    changed.tampered === undefined ? reportOf(world, verdict) : { ...reportOf(world, 'unverifiable'), verdict };
  const shown = evidence.obstacle === undefined ? { ...evidence, ...report } : evidence;
  return [{ type: 'gate.finished', data: { ...key, ...shown, ...changed, ...since, durationMs: 2_000 } }];
}

/** Gives the agent a fresh session, which does not always work. */
export function runReboot(world: World, cause: RebootCause, interference: Interference): readonly Fact[] {
  world.append({ type: 'reboot.started', data: { cause } });
  world.pass(500);
  interference();
  world.mayDie(0.05);
  const ok = rebootWorks(world.seed, world.finishedReboots);
  return [{ type: 'reboot.finished', data: { cause, ok, ...(ok ? {} : { message: 'it hung' }) } }];
}

/** What the run does to the task. Doing it again after a crash changes nothing more. */
function takeEffect(world: World, behaviour: Behaviour, key: readonly [number, number]): void {
  const { fixes, failing, run } = behaviour;
  changeFiles(world, behaviour, key);
  if (fixes !== undefined) world.fixed = fixes;
  if (world.fixed) world.failing = 0;
  else if (run.changes.count > 0 || world.failing === 0) world.failing = failing;
}

function finishRun(world: World, key: AttemptKey, { run, truth }: Behaviour): readonly Fact[] {
  const finishedRuns = world.finishedRuns.get(key.iteration) ?? 0;
  const resetMs = truth === 'limit' ? resetOf(world.seed, key.iteration, finishedRuns) : undefined;
  const resetAt = resetMs === undefined ? {} : { resetAt: new Date(world.wallMs + resetMs).toISOString() };
  world.confide(truth);
  const words = wordsOf(world, key.iteration, finishedRuns);
  const markers = markersOf(world.seed, key.iteration, finishedRuns);
  return [{ type: 'agent.finished', data: { ...key, ...run, markers, ...resetAt, ...words } }];
}

function brokenOff({ run, ...rest }: Behaviour): Behaviour {
  return { ...rest, run: { ...run, claimed: false, ending: { kind: 'stopped', by: 'request', forced: false } } };
}
