import { type Advance, waitLeftMs } from '../../../src/core/index.ts';
import { encodeConfig, type Fact } from '../../../src/protocol/index.ts';
import { observeConditions } from './conditions.ts';
import { recoverAgent, runAgent, runBaseline, runGate, runHooks, runReboot } from './effects.ts';
import { widened } from './settings.ts';
import { guardsAtStart, mayAccept } from './tampering.ts';
import type { Occasion } from './users.ts';
import { OwnerDied, type World } from './world.ts';

type Action = Advance['action'];

const clockSlackMs = 1_000;
const identity = { host: 'h', bootId: 'b', pid: 1, startTime: '1' };

/** Drives the loop until it rests or ends, with as many owners as it takes. */
export function driveToRest(world: World, mostSteps: number): void {
  let steps = 0;
  let happened: readonly Fact[] | 'over' = [];
  while (happened !== 'over' && steps < mostSteps) {
    try {
      takeOwnership(world);
      happened = [];
      while (happened !== 'over' && steps < mostSteps) {
        steps += 1;
        happened = step(world, happened);
      }
    } catch (error) {
      if (!(error instanceof OwnerDied)) throw error;
      happened = [];
    }
  }
}

function takeOwnership(world: World): void {
  world.takeOver();
  const segment = `${world.epoch}-1`;
  world.append({ type: 'segment.opened', data: { segment, owner: identity, previous: null } });
  if (world.loop.status === 'running') world.append({ type: 'loop.recovered', data: { problems: [] } });
  if (world.loop.status !== 'idle') return;
  const { input, checks } = world.setting;
  world.append({
    type: 'loop.started',
    data: {
      loopId: `ralph-simulated-${world.seed}`,
      uuid: '',
      task: 'fix it',
      agent: 'demo',
      workingDirectory: '/project',
      startedBy: 'simulation',
      config: input,
      configHash: '',
      checks: [...checks],
      ...guardsAtStart(world),
    },
  });
}

/** One turn: commands, then what follows from what is known, then one effect, which shows something. */
function step(world: World, happened: readonly Fact[]): readonly Fact[] | 'over' {
  interfere(world, 'between');
  const moment = { nowMs: world.wallMs, elapsedMs: world.elapsedMs };
  const { facts, action } = world.rules.advance(world.loop, moment, happened);
  world.append(...facts);
  world.decidedSeq = world.disk.length;
  world.note(() => `-> ${action.type}`);
  return perform(world, action);
}

function perform(world: World, action: Action): readonly Fact[] | 'over' {
  switch (action.type) {
    case 'none':
      return interfere(world, 'ended') ? [] : 'over';
    case 'rest':
      world.pass(600_000);
      return interfere(world, 'paused') ? [] : 'over';
    case 'prepare':
      throw new Error('no simulated loop has sealed checks');
    case 'baseline':
      return runBaseline(world, () => interfere(world, 'baseline'));
    case 'begin': {
      const { type: _type, ...turn } = action;
      world.mayDie(0.02);
      const { elapsedMs } = world;
      return [{ type: 'iteration.started', data: { ...turn, guidance: [...turn.guidance], elapsedMs } }];
    }
    case 'hooks':
      return runHooks(world, action, () => interfere(world, 'hooks'));
    case 'execute':
      return runAgent(world, action, () => interfere(world, 'agent'));
    case 'recover':
      return recoverAgent(world, action, () => interfere(world, 'agent'));
    case 'observe':
      return observeConditions(world, action, () => interfere(world, 'conditions'));
    case 'verify':
      return runGate(world, action, () => interfere(world, 'gate'));
    case 'reboot':
      return runReboot(world, action.cause, () => interfere(world, 'reboot'));
    case 'wait':
      waitUntil(world, action);
      return [];
    case 'finalize': {
      interfere(world, 'between');
      world.mayDie(0.05);
      const { elapsedMs, loop } = world;
      const data = { status: 'completed', reason: 'completed', message: 'done', verified: loop.verified } as const;
      const proof = loop.proof === undefined ? {} : { proof: loop.proof };
      return [{ type: 'loop.ended', data: { ...data, ...proof, elapsedMs } }];
    }
  }
}

/**
 * Lets people send commands and takes what is in the inbox. An owner that dies before it has emptied the inbox leaves
 * a command there that may be answered already.
 */
function interfere(world: World, occasion: Occasion): boolean {
  world.inbox.push(...world.users.interfere(occasion));
  let served = false;
  for (let command = world.inbox[0]; command !== undefined; command = world.inbox[0]) {
    if (command.command === 'resume' && world.loop.reason?.startsWith('max_')) makeRoom(world);
    if (command.command === 'resume') mayAccept(world);
    if (command.command === 'resume' && world.loop.reason === 'configuration') mayAllowBroken(world);
    world.append(...world.rules.accept(world.loop, command));
    world.inbox.shift();
    served = true;
  }
  return served;
}

function makeRoom(world: World): void {
  if (world.loop.status !== 'paused' || world.clock.chance(0.3)) return;
  world.append({ type: 'config.changed', data: { config: widened(world.loop.config), configHash: 'wider' } });
}

/** A user whose task is to repair the checks says so when the loop rests because of them. */
function mayAllowBroken(world: World): void {
  const { loop, clock } = world;
  if (loop.status !== 'paused' || loop.iteration > 0 || !clock.chance(0.4)) return;
  const config = encodeConfig({ ...loop.config, allowBrokenBaseline: true });
  world.append({ type: 'config.changed', data: { config, configHash: 'allowed' } });
}

/** Waits on a clock that never jumps; if the one on the wall was set back meanwhile, the wait is over all the same. */
function waitUntil(world: World, { until, isWhole }: Action & { type: 'wait' }): void {
  if (interfere(world, 'wait')) return;
  world.mayDie(0.03);
  const [startedMs, wholeMs] = [world.monotonicMs, waitLeftMs(world.loop, world.wallMs)];
  const leftMs = Math.max(1, Date.parse(until) - world.wallMs);
  world.pass(Math.ceil(leftMs / 2));
  world.mayWarp();
  if (interfere(world, 'wait')) return;
  world.pass(Math.max(1, Math.floor(leftMs / 2)));
  world.mayDie(0.03);
  const { wait } = world.loop;
  const restMs = isWhole ? 0 : Math.max(0, wholeMs - (world.monotonicMs - startedMs));
  if (wait === undefined || waitLeftMs(world.loop, world.wallMs) <= restMs + (isWhole ? 0 : clockSlackMs)) return;
  const { cause, message } = wait;
  const rest = new Date(world.wallMs + restMs).toISOString();
  world.append({ type: 'wait.scheduled', data: { until: rest, cause, message } });
}
