import { type LoopCommand, replay, type UnfilledPrompt } from '../../core/index.ts';
import {
  type ConditionResult,
  configSchema,
  encodeConfig,
  type Fact,
  type LoopConfigInput,
  type Pulse,
} from '../../protocol/index.ts';
import { createDrive } from '../drive.ts';
import type { AgentPort, AgentRun, AgentTask } from '../ports/agent-port.ts';
import type { EffectSignals } from '../ports/attempt.ts';
import type { Answer } from '../ports/command-bus.ts';
import type { ConditionTask } from '../ports/conditions-port.ts';
import type { HooksRun, HookTask } from '../ports/hooks-port.ts';
import type { Lease } from '../ports/lease.ts';
import type { RunnerPorts } from '../ports/runner-ports.ts';
import { MemoryLoops } from './memory-loops.ts';

/** A run that claims to be done. */
export const done: AgentRun = {
  ending: { kind: 'exited', code: 0 },
  outcome: 'completed',
  claimText: '<promise>DONE</promise>',
  text: '<promise>DONE</promise>',
  durationMs: 1,
};

/** When everything happens. */
export const at = '2026-11-01T12:00:00.000Z';
const oneFile = { known: true, headMoved: false, modified: ['a'], created: [], deleted: [], count: 1 };

const loopId = 'ralph-x-a1b2c3d4';

function loopStarted(config: LoopConfigInput): Fact {
  const data = {
    loopId,
    uuid: 'a1b2c3d4-0000-4000-8000-000000000000',
    task: 'x',
    agent: 'command',
    workingDirectory: '/project',
    startedBy: 'user',
    config: encodeConfig(configSchema.parse({ baseline: false, iterationDelay: '0', ...config })),
    configHash: 'hash',
    checks: ['npm test'],
  };
  return { type: 'loop.started', data };
}

/** A drive over loops in memory: a disk that can fail, an agent that does what the test says. */
export async function createWorld(config: LoopConfigInput = {}, lease: Pick<Lease, 'permit'> = {}) {
  const loops = new MemoryLoops({
    clock: { nowMs: () => Date.parse(at) },
    beforeAppend: async () => {
      await world.diskIsReady;
      if (world.diskIsFull) throw new Error('the disk is full');
    },
  });
  const process = loops.startProcess();
  const owned = await process.store.create(loopId);
  const world = {
    /** Everything that is recorded. */
    disk: loops.factsOf(loopId),
    /** Takes the loop away from this process. */
    lose: (reason: unknown) => loops.takeAway(loopId, reason),
    diskIsFull: false,
    /** Resolves when facts may reach the disk. */
    diskIsReady: Promise.resolve(),
    saves: 0,
    /** Says that the store is in trouble, or no longer. */
    setTrouble: (message?: string) =>
      loops.setTrouble(message === undefined ? undefined : { code: 'DISK_FULL', message }),
    nowMs: Date.parse(at),
    agent: async (_task: AgentTask): Promise<AgentRun> => done,
    prompt: async (): Promise<UnfilledPrompt> => ({ parts: [{ text: 'the task' }] }),
    /** Set for an agent in an interactive session. */
    handOver: undefined as AgentPort['handOver'],
    prompts: [] as string[],
    hooks: async (_task: HookTask, _signals: EffectSignals): Promise<HooksRun | undefined> => ({ results: [] }),
    conditions: async (
      { conditions }: ConditionTask,
      _signals: EffectSignals,
    ): Promise<readonly ConditionResult[] | undefined> => conditions.map(({ key }) => ({ key, met: false })),
    deliver: async (_command: LoopCommand): Promise<Answer> => ({ accepted: true }),
    pulse: (_pulse: Pulse | undefined): void => undefined,
    /** Whether each run followed another directly. */
    straight: [] as (boolean | undefined)[],
  };
  await owned.append([loopStarted(config)]);
  const waitUntil = async (instantMs: number) => {
    if (Number.isFinite(instantMs)) world.nowMs = Math.max(world.nowMs, instantMs);
  };
  const ports: RunnerPorts = {
    loop: {
      ...owned,
      lease: { ...owned.lease, ...lease },
      recovered: { loop: replay(world.disk), problems: [] },
      save: async (loop) => {
        world.saves += 1;
        await owned.save(loop);
      },
    },
    clock: { nowMs: () => world.nowMs, monotonicMs: () => 0, waitUntil },
    files: {
      folderOf: () => '/attempt',
      keepPrompt: async (_key, text) => void world.prompts.push(text),
      readPrompt: async () => '',
    },
    agent: agentIn(world),
    gate: passingGate,
    hooks: { run: async (task, signals) => await world.hooks(task, signals) },
    conditions: { observe: async (task, signals) => await world.conditions(task, signals) },
    workspace: {
      begin: async (_key, straight) => void world.straight.push(straight),
      restore: async () => {},
      changes: async () => oneFile,
    },
    prompt: { read: async () => await world.prompt() },
    endOrphanedWork: async () => undefined,
    pulse: (pulse) => world.pulse(pulse),
    commands: {
      listen(id, receive) {
        world.deliver = receive;
        return process.commands.listen(id, receive);
      },
    },
  };
  return { world, drive: createDrive(ports) };
}

function agentIn(world: {
  readonly agent: (task: AgentTask) => Promise<AgentRun>;
  readonly handOver: AgentPort['handOver'];
}): AgentPort {
  return {
    run: async (task) => await world.agent(task),
    recover: async () => undefined,
    get handOver() {
      return world.handOver;
    },
  };
}

const passingGate: RunnerPorts['gate'] = {
  run: async (_task, _signals, onCheck) => {
    onCheck?.({ index: 1, count: 1, command: 'npm test' });
    onCheck?.({ index: 1, count: 1, command: 'npm test', verdict: 'passed' });
    return { verdict: 'passed', checks: [], durationMs: 1 };
  },
  captureStart: async () => ({ id: 'tree', files: 1, bytes: 1 }),
};

/** An agent that works until it is stopped. */
export function untilStopped(signals: Pick<AgentTask, 'signal' | 'kill'>): Promise<AgentRun> {
  const stopped: AgentRun = { ...done, claimText: '', ending: { kind: 'stopped', by: 'request', forced: true } };
  return new Promise((resolve) => {
    for (const signal of [signals.signal, signals.kill]) signal.addEventListener('abort', () => resolve(stopped));
  });
}

/** Stays with a loop that is paused. */
export const stay = { stayWhenPaused: () => true };
/** Leaves a loop that is paused. */
export const leave = { stayWhenPaused: () => false };
