import type { Advance } from '../../../src/core/index.ts';
import { widened } from './settings.ts';
import { runAgent, runBaseline, runGate, runReboot } from './effects.ts';
import type { Occasion } from './users.ts';
import { OwnerDied, type World } from './world.ts';

type Action = Advance['action'];

const identity = { host: 'h', bootId: 'b', pid: 1, startTime: '1' };

/** Drives the loop until it rests or ends, with as many owners as it takes. Returns how many steps that needed. */
export function driveToRest(world: World, mostSteps: number): number {
  let steps = 0;
  let again = true;
  while (again && steps < mostSteps) {
    try {
      takeOwnership(world);
      do {
        steps += 1;
        again = step(world);
      } while (again && steps < mostSteps);
    } catch (error) {
      if (!(error instanceof OwnerDied)) throw error;
      again = true;
    }
  }
  return steps;
}

function takeOwnership(world: World): void {
  world.takeOver();
  const segment = `${world.epoch}-1`;
  world.append({ type: 'segment.opened', data: { segment, owner: identity, previous: null } });
  if (world.loop.status === 'running') world.append({ type: 'loop.recovered', data: { problems: [] } });
  if (world.loop.status !== 'idle') return;
  const { encoded, checks } = world.setting;
  world.append({
    type: 'loop.started',
    data: {
      loopId: `ralph-simulated-${world.seed}`,
      uuid: '',
      task: 'fix it',
      agent: 'demo',
      workingDirectory: '/project',
      startedBy: 'simulation',
      config: encoded,
      configHash: '',
      checks: [...checks],
    },
  });
}

/** One turn: commands, then what follows from what is known, then one effect. False when nothing is left to do. */
function step(world: World): boolean {
  interfere(world, 'between');
  const { facts, action } = world.rules.advance(world.loop, { nowMs: world.wallMs, elapsedMs: world.elapsedMs });
  world.append(...facts);
  world.note(`-> ${action.type}`);
  return perform(world, action);
}

function perform(world: World, action: Action): boolean {
  const { elapsedMs } = world;
  switch (action.type) {
    case 'none':
      return interfere(world, 'between');
    case 'rest':
      world.pass(600_000);
      return interfere(world, 'paused');
    case 'baseline':
      runBaseline(world, () => interfere(world, 'baseline'));
      return true;
    case 'begin': {
      const { type: _type, ...data } = action;
      world.pass(20);
      world.mayDie(0.02);
      world.append({ type: 'iteration.started', data: { ...data, guidance: [...data.guidance], elapsedMs: world.elapsedMs } });
      interfere(world, 'begun');
      return true;
    }
    case 'execute':
      runAgent(world, action, () => interfere(world, 'agent'));
      interfere(world, 'executed');
      return true;
    case 'recover': {
      const { iteration, attempt } = action;
      world.mayDie(0.05);
      world.agents.clear();
      const data = { iteration, attempt, cause: 'runner_lost', message: 'the runner died', elapsedMs } as const;
      world.append({ type: 'iteration.interrupted', data });
      return true;
    }
    case 'verify':
      runGate(world, action, () => interfere(world, 'gate'));
      interfere(world, 'executed');
      return true;
    case 'reboot':
      runReboot(world, action.cause, () => interfere(world, 'reboot'));
      return true;
    case 'wait':
      waitUntil(world, Date.parse(action.until));
      return true;
    case 'finalize': {
      world.mayDie(0.05);
      interfere(world, 'between');
      const { verified } = world.loop;
      const data = { status: 'completed', reason: 'completed', message: 'done', verified, elapsedMs } as const;
      world.append({ type: 'loop.ended', data });
      return true;
    }
  }
}

/** Lets people send commands and takes what is in the inbox, also what an owner before did not get to. */
function interfere(world: World, occasion: Occasion): boolean {
  world.inbox.push(...world.users.interfere(occasion));
  let served = false;
  for (let command = world.inbox[0]; command !== undefined; command = world.inbox[0]) {
    if (world.consumed.has(command.id)) {
      world.inbox.shift();
      continue;
    }
    if (command.command === 'resume' && world.loop.reason?.startsWith('max_')) makeRoom(world);
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

function waitUntil(world: World, untilMs: number): void {
  if (interfere(world, 'wait')) return;
  world.mayDie(0.03);
  const leftMs = Math.max(1, untilMs - world.wallMs);
  world.pass(Math.ceil(leftMs / 2));
  world.mayWarp();
  if (interfere(world, 'wait')) return;
  world.pass(Math.max(1, Math.floor(leftMs / 2)));
  world.mayDie(0.03);
}
