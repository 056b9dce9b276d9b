import type { Loop } from '../../../src/core/index.ts';
import type { Fact, RecordedFact } from '../../../src/protocol/index.ts';
import { type Clock, createDrive, type Drive, type OwnedLoop, type RunnerPorts } from '../../../src/runner/index.ts';
import type { FakeClock } from '../../../src/runner/testing/fake-clock.ts';
import type { MemoryProcess } from '../../../src/runner/testing/memory-loops.ts';
import { createAgentPorts } from './agent.ts';
import { createConditionsPort, createGatePort, createHooksPort } from './checks.ts';
import { rebootWorks } from './script.ts';
import type { Occasion } from './users.ts';
import type { World } from './world.ts';

const never = new Promise<never>(() => {});

/** One process that runs the loop: the real drive on ports that die with it. */
export class Owner {
  readonly world: World;
  readonly clock: ReturnType<FakeClock['forProcess']>;
  isDead = false;
  /** It parked the loop: another owner must resume it when the wait is over. */
  isAwaited = false;
  /** The owner that took over the loop; this one continues until it notices. */
  rival: Owner | undefined;
  lostAtMs = 0;
  drive: Drive | undefined;
  readonly #process: MemoryProcess;
  #opened: Promise<OwnedLoop> | undefined;

  constructor(world: World) {
    this.world = world;
    this.clock = world.clock.forProcess();
    this.#process = world.loops.startProcess();
  }

  /** Takes the loop, whose previous owner must be gone or considered dead. */
  open(): Promise<OwnedLoop> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<OwnedLoop> {
    const { world } = this;
    const { store } = this.#process;
    const isThere = (await store.list()).includes(world.loopId);
    const owned = await (isThere ? store.open(world.loopId) : store.create(world.loopId));
    world.noteFacts();
    await this.mayDie(0.06);
    return owned;
  }

  startDrive(owned: OwnedLoop): Drive {
    this.drive = createDrive(this.#ports(owned), rulesFor(this.world));
    this.drive.facts.subscribe((fact) => this.world.oracle.told(this.world, fact));
    return this.drive;
  }

  /** Never resolves for an owner that dies here. Some stay alive and lose the loop to another owner. */
  async mayDie(probability: number): Promise<void> {
    if (!this.isDead && !this.#isFated(probability)) return;
    if (this.isDead) await never;
  }

  /** Lets people send commands and the disk fill up; resolves once all immediate consequences have happened. */
  async interfere(occasion: Occasion): Promise<void> {
    const { world } = this;
    world.send(world.users.interfere(occasion));
    if (world.setting.troubles && world.chance.chance(0.15)) world.setTrouble(world.troubleSeq === undefined);
    await this.clock.sleep(1);
  }

  #isFated(probability: number): boolean {
    const { world } = this;
    if (world.lives === 0 || this.rival !== undefined || !world.fate.chance(probability)) return false;
    world.lives -= 1;
    world.crashCount += 1;
    this.#process.kill();
    if (this.drive !== undefined && world.fate.chance(0.2)) {
      world.note(() => '-- the owner is taken for dead');
      this.rival = new Owner(world);
      this.lostAtMs = world.monotonicMs;
      // The call that drives the rival gets the same error.
      this.rival.open().catch(() => {});
    } else {
      world.note(() => '-- the owner dies');
      this.isDead = true;
      this.clock.end();
    }
    return true;
  }

  #ports(owned: OwnedLoop): RunnerPorts {
    const { clock, world } = this;
    return {
      loop: {
        ...owned,
        append: (facts) => this.#append(owned, facts),
        save: (loop) => this.#save(owned, loop),
      },
      clock: { nowMs: clock.nowMs, monotonicMs: clock.monotonicMs, waitUntil: this.#waitUntil },
      files: world.files,
      ...createAgentPorts(this),
      gate: createGatePort(this),
      hooks: createHooksPort(this),
      conditions: createConditionsPort(this),
      commands: this.#process.commands,
      redact: (fact) => failReboot(world, fact),
      endOrphanedWork: async () => await this.mayDie(0.03),
    };
  }

  /** People do not wait for the disk, and owners die before, during and after a write. */
  async #append(owned: OwnedLoop, facts: readonly Fact[]): Promise<readonly RecordedFact[]> {
    const { world, clock } = this;
    const ends = facts.some(({ type }) => type === 'loop.ended');
    if (ends || world.chance.chance(0.3)) world.send(world.users.interfere(ends ? 'ending' : 'append'));
    await clock.sleep(0);
    await this.mayDie(0.02);
    const lastFact = facts.findIndex(({ type }) => {
      // Also directly after the rarer facts, so that their consequences are lost often enough.
      const isRare = type === 'hooks.finished' || type === 'loop_hooks.finished' || type === 'baseline.finished';
      return world.lives > 0 && this.#isFated(isRare ? 0.4 : 0.06);
    });
    const isCut = this.isDead && lastFact >= 0;
    const recorded = await owned.append(isCut ? facts.slice(0, lastFact + 1) : facts);
    world.noteFacts();
    if (this.isDead) await never;
    await clock.sleep(0);
    return recorded;
  }

  async #save(owned: OwnedLoop, loop: Loop): Promise<void> {
    await this.mayDie(0.02);
    this.world.oracle.saves(this.world, loop);
    await owned.save(loop);
    await this.mayDie(0.02);
  }

  /** Halfway through a wait, somebody may set the clock or send a command. */
  readonly #waitUntil: Clock['waitUntil'] = async (instantMs, signal) => {
    const { clock } = this;
    const leftMs = instantMs - clock.nowMs();
    if (leftMs !== Number.POSITIVE_INFINITY) void this.#disturb(leftMs / 2, signal);
    const startedMs = clock.monotonicMs();
    const { status, pending, supervision } = this.world.loop;
    const isAsking = supervision.question !== undefined;
    const isIdle = status === 'running' && (isAsking || pending.wait?.cause === 'schedule');
    await clock.waitUntil(instantMs, signal);
    // Time outside the schedule and time spent waiting for a person do not count as running time.
    if (isIdle) this.world.activeMs -= clock.monotonicMs() - startedMs;
    if (leftMs !== Number.POSITIVE_INFINITY) await this.mayDie(0.03);
  };

  async #disturb(afterMs: number, signal: AbortSignal): Promise<void> {
    await this.interfere('wait');
    await this.mayDie(0.03);
    await this.clock.sleep(Math.ceil(Math.max(0, afterMs)), signal);
    if (signal.aborted) return;
    this.world.mayWarp();
    const { question } = this.world.loop.supervision;
    // Without an automatic approval, somebody must answer the question eventually.
    const mustAnswer = question !== undefined && question.approveAt === undefined;
    await this.interfere(mustAnswer ? 'asked' : 'wait');
  }
}

/** The rules under test, with a record of what each decision knew. */
function rulesFor(world: World) {
  const { advance, evolve, accept } = world.rules;
  return {
    evolve,
    accept,
    advance: ((loop, moment, happened) => {
      world.steps += 1;
      world.oracle.decides(world, loop);
      const result = advance(loop, moment, happened);
      world.decided(result.facts.length);
      world.note(() => `-> ${result.action.type}`);
      return result;
    }) satisfies typeof advance,
  };
}

/** No supported agent can refuse a new session yet, but the rules must handle one that does. */
function failReboot({ seed, finishedReboots }: World, fact: Fact): Fact {
  if (fact.type !== 'reboot.finished' || rebootWorks(seed, finishedReboots)) return fact;
  return { type: fact.type, data: { ...fact.data, ok: false, message: 'it hung' } };
}
