import { encodeConfig, type Fact, type LoopConfigInput } from '../../../src/protocol/index.ts';
import type { OwnedLoop } from '../../../src/runner/index.ts';
import { settle } from '../../../src/runner/testing/fake-clock.ts';
import { maxSteps } from '../oracle/oracle.ts';
import { Owner } from './owner.ts';
import { widened } from './settings.ts';
import { acceptedCheck, guardsAtStart } from './tampering.ts';
import type { World } from './world.ts';

const longWaitMs = 30_000;
const visitEveryMs = 600_000;
const terminal: readonly string[] = ['completed', 'failed', 'aborted', 'crashed'];

/** Drives the loop until it rests or ends and no command is waiting, with as many owners as it takes. */
export async function driveToRest(world: World): Promise<void> {
  for (let owner: Owner | undefined = new Owner(world); owner !== undefined; ) {
    const isOver: boolean = (await live(world, owner)) === 'waits in vain';
    if (world.oracle.broken !== undefined) throw world.oracle.broken;
    owner = isOver || world.steps > maxSteps ? undefined : nextOwner(world, owner);
  }
}

function nextOwner(world: World, owner: Owner): Owner | undefined {
  if (owner.rival !== undefined) return owner.rival;
  if (owner.isDead) bury(world);
  else if (!owner.isAwaited && !visit(world)) return undefined;
  return new Owner(world);
}

/** The life of one owner, until it dies, finishes, or waits for a command that nobody sends. */
async function live(world: World, owner: Owner): Promise<'is gone' | 'waits in vain'> {
  let end: { readonly error?: unknown } | undefined;
  drive(world, owner).then(
    () => (end = {}),
    (error: unknown) => (end = { error }),
  );
  for (;;) {
    await settle();
    if (owner.isDead || world.oracle.broken !== undefined || world.steps > maxSteps) return 'is gone';
    if (end?.error !== undefined && owner.rival === undefined) throw asError(end.error);
    if (end !== undefined) return 'is gone';
    world.steps += 1;
    if (world.clock.nextMs() > 0) world.oracle.allIsQuiet(world, owner);
    if (world.clock.wakeNext()) continue;
    if ((world.loop.status !== 'paused' && !isAsking(world)) || !visit(world)) return 'waits in vain';
  }
}

/** What a process does to run or resume a loop. */
async function drive(world: World, owner: Owner): Promise<void> {
  const owned = await owner.open();
  const facts = openingFacts(world, owned);
  const running = owner.startDrive(owned);
  await running.open(facts);
  const { wakeAt } = await running.run({
    stayWhenPaused: () => world.chance.chance(0.5),
    ...(world.setting.returns ? { returnWhenWaitingLongerThanMs: longWaitMs } : {}),
  });
  await owned.close();
  world.oracle.left(world);
  if (wakeAt === undefined) return;
  world.oracle.parked(world, wakeAt);
  owner.isAwaited = true;
  world.clock.pass(Math.max(0, Date.parse(wakeAt) - world.wallMs));
}

/** Rebooting the machine may take hours, and an orphaned agent may exit on its own meanwhile. */
function bury(world: World): void {
  world.clock.jump(world.fate.pick([0, 1_000, 7_200_000]));
  if (world.fate.chance(0.3)) world.agents.clear();
}

/** A user checks on a loop that rests or has ended. Returns whether there is work for an owner. */
function visit(world: World): boolean {
  const hasEnded = terminal.includes(world.loop.status);
  if (!hasEnded) world.clock.pass(visitEveryMs);
  if (world.troubleSeq !== undefined && world.chance.chance(0.8)) world.setTrouble(false);
  world.send(world.users.interfere(hasEnded ? 'ended' : isAsking(world) ? 'asked' : 'paused'));
  return world.people.commands.waiting(world.loopId).length > 0;
}

function isAsking({ loop }: World): boolean {
  return loop.status === 'running' && loop.supervision.question !== undefined;
}

/** What a new owner writes before it continues. */
function openingFacts(world: World, { recovered }: OwnedLoop): readonly Fact[] {
  const { status } = world.loop;
  if (status === 'idle') return [startedFact(world)];
  const isParked = recovered.loop?.pending.wakeAt !== undefined;
  if (status === 'running') return isParked ? [] : [{ type: 'loop.recovered', data: { problems: [] } }];
  const resumes = world.people.commands.waiting(world.loopId).some(({ command }) => command === 'resume');
  return status === 'paused' && resumes ? changesBeforeResume(world) : [];
}

function startedFact(world: World): Fact {
  const { input, checks } = world.setting;
  return {
    type: 'loop.started',
    data: {
      loopId: world.loopId,
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
  };
}

/** A user who resumes a loop may raise its limits, allow a broken baseline, or accept changed checks. */
function changesBeforeResume(world: World): readonly Fact[] {
  const { loop, chance } = world;
  const { reason } = loop.outcome;
  const config = reason?.startsWith('max_') && !chance.chance(0.3) ? widened(loop.config) : undefined;
  const isAllowed = reason === 'configuration' && loop.position.iteration === 0 && chance.chance(0.4);
  const allowing = isAllowed ? encodeConfig({ ...loop.config, allowBrokenBaseline: true }) : undefined;
  const changed = config ?? allowing;
  return [
    ...(changed === undefined
      ? []
      : [{ type: 'config.changed', data: { config: changed, configHash: 'other' } } satisfies Fact]),
    ...reloadedSettings(world, changed),
    ...acceptedCheck(world),
  ];
}

/** A user who resumes a loop may also reload its settings, sometimes with newly planned checks. */
function reloadedSettings({ loop, chance }: World, widened: LoopConfigInput | undefined): readonly Fact[] {
  if (!chance.chance(0.2)) return [];
  const config: LoopConfigInput = {
    ...(widened ?? encodeConfig(loop.config)),
    iterationDelay: chance.pick(['0s', '5s', '3m']),
    onLimit: chance.pick(['fail', 'pause']),
    contextRedlinePercent: chance.pick([0, 50, 100]),
  };
  const { checks, guards } = loop.gate;
  const gate = { checks: [...checks] as string[], ...(guards === undefined ? {} : { guards: [...guards] }) };
  const isPlannedAgain = checks.length > 0 && chance.chance(0.5);
  return [{ type: 'config.changed', data: { config, configHash: 'reloaded', ...(isPlannedAgain ? { gate } : {}) } }];
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('The drive failed.', { cause: thrown });
}
