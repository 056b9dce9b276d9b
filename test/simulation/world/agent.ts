import type { Changes } from '../../../src/protocol/index.ts';
import type {
  AgentPort,
  AgentRun,
  AgentTask,
  AttemptKey,
  EffectSignals,
  PromptSource,
  WorkspacePort,
} from '../../../src/runner/index.ts';
import { mix } from '../random.ts';
import { cutAtRedline, cutByBudget } from './budget.ts';
import { isStuck } from './conditions.ts';
import { changeFiles } from './evidence.ts';
import type { Owner } from './owner.ts';
import { type Behaviour, behaviourOf, explorationOf, hintsOf, markersOf, resetOf } from './script.ts';
import { tamper } from './tampering.ts';
import type { World } from './world.ts';

const identity = { host: 'h', bootId: 'b', pid: 2, startTime: '2' };
const unknown: Changes = { known: false, headMoved: false, modified: [], created: [], deleted: [], count: 0 };
const withTrees = (changes: Changes): Changes =>
  changes.known && changes.count > 0 ? { ...changes, trees: { before: 'before', after: 'after' } } : changes;
const recoveryMs = 1_000;
const graceMs = 10_000;

/** The scripted agent, with the prompt it reads and the work tree it works in. */
export function createAgentPorts(owner: Owner): {
  readonly agent: AgentPort;
  readonly workspace: WorkspacePort;
  readonly prompt: PromptSource;
} {
  const { world, clock } = owner;
  let changes = unknown;
  let hasBaseline = false;

  const work = async (key: Task, { signal, kill }: EffectSignals, durationMs: number): Promise<Behaviour> => {
    const behaviour = behaviourAt(world, key);
    await clock.sleep(Math.ceil(durationMs / 2), signal);
    world.mayWarp();
    await owner.mayDie(0.05);
    await owner.interfere('agent');
    takeEffect(world, behaviour, key);
    await clock.sleep(Math.floor(durationMs / 2), signal);
    // Some agents end slowly; an abort does not wait for them.
    if (signal.aborted && isStubborn(world)) await clock.sleep(graceMs, kill);
    await owner.mayDie(0.05);
    world.agents.clear();
    await owner.mayDie(0.03);
    changes = behaviour.run.changes;
    return signal.aborted ? interrupted(world, behaviour) : behaviour;
  };

  return {
    prompt: {
      async read() {
        // Reading the prompt takes time, and a start that is interrupted meanwhile starts nothing.
        await clock.sleep(20);
        await owner.interfere('agent');
        return { parts: [{ text: 'fix it' }] };
      },
    },
    workspace: {
      begin: async (key) => {
        world.baselines.add(nameOf(key));
        hasBaseline = true;
      },
      restore: async (key) => {
        hasBaseline = world.baselines.has(nameOf(key));
      },
      changes: async () => (hasBaseline ? withTrees(changes) : unknown),
      rollBack: createRollBack(owner),
    },
    agent: {
      async run({ iteration, attempt, prompt, redline, signal, kill, onStarted }) {
        const key = { iteration, attempt, redline };
        world.oracle.prompted(prompt);
        const behaviour = behaviourAt(world, key);
        await owner.mayDie(0.03);
        if (behaviour.run.ending.kind === 'not_started') {
          changes = behaviour.run.changes;
          return toRun(world, key, behaviour);
        }
        world.startAgent(nameOf(key));
        await owner.mayDie(0.03);
        await onStarted(identity);
        world.oracle.agentWorks();
        return toRun(world, key, await work(key, { signal, kill }, behaviour.run.durationMs));
      },
      async recover({ iteration, attempt, redline, signal, kill, adopt }) {
        const key = { iteration, attempt, redline };
        await owner.mayDie(0.05);
        if (adopt) world.oracle.adopts();
        if (!adopt || !world.agents.has(nameOf(key))) {
          world.agents.clear();
          return undefined;
        }
        return toRun(world, key, await work(key, { signal, kill }, recoveryMs));
      },
    },
  };
}

/** A rollback takes a moment, and git fails every fifth time. */
function createRollBack(owner: Owner): NonNullable<WorkspacePort['rollBack']> {
  let count = 0;
  return async ({ before, after }) => {
    await owner.mayDie(0.1);
    await owner.clock.sleep(100);
    count += 1;
    if (count % 5 === 0) return { ok: false, message: 'git failed' };
    return { ok: true, files: [], count: 1, backup: `refs/${before}-${after}` };
  };
}

function nameOf({ iteration, attempt }: AttemptKey): string {
  return `${iteration}.${attempt}`;
}

function isStubborn({ seed, loop }: World): boolean {
  return mix(seed, 33, loop.position.iteration) % 3 === 0;
}

type Task = AttemptKey & { readonly redline: AgentTask['redline'] | undefined };

function behaviourAt(world: World, { iteration, redline }: Task): Behaviour {
  const finishedRuns = world.finishedRuns.get(iteration) ?? 0;
  return cutAtRedline(cutByBudget(world, behaviourOf(world.seed, iteration, finishedRuns)), redline);
}

/** What the run does to the task. Repeating it after a crash changes nothing. */
function takeEffect(world: World, behaviour: Behaviour, { iteration }: AttemptKey): void {
  const { fixes, failing, run } = behaviour;
  const finishedRuns = world.finishedRuns.get(iteration) ?? 0;
  changeFiles(world, behaviour, [iteration, finishedRuns]);
  if (fixes !== undefined) world.fixed = fixes;
  if (world.fixed) world.failing = 0;
  else if (run.changes.count > 0 || world.failing === 0) world.failing = failing;
  tamper(world, iteration, finishedRuns);
}

function interrupted(world: World, { run, ...rest }: Behaviour): Behaviour {
  const ended = { ...run, claimed: false };
  // On a full disk some agents die of their output before they can be ended.
  if (world.troubleSeq !== undefined && mix(world.seed, 34, world.loop.position.iteration) % 2 === 0) {
    return {
      ...rest,
      truth: 'agent',
      run: { ...ended, outcome: 'unknown', ending: { kind: 'signalled', signal: 'SIGPIPE' } },
    };
  }
  return { ...rest, run: { ...ended, ending: { kind: 'stopped', by: 'request', forced: false } } };
}

/** The run as it appears in the agent's stream: claims, summaries and markers are only in its text. */
function toRun(world: World, { iteration }: AttemptKey, { run, truth }: Behaviour): AgentRun {
  const { claimed, summary, changes: _changes, ...shown } = run;
  const finishedRuns = world.finishedRuns.get(iteration) ?? 0;
  const resetMs = truth === 'limit' ? resetOf(world.seed, iteration, finishedRuns) : undefined;
  world.confide(truth);
  const lines = [
    ...Array.from({ length: markersOf(world.seed, iteration, finishedRuns) }, () => 'DONE: a step'),
    ...(mix(world.seed, 36, iteration, finishedRuns) % 4 === 0 ? ['As usual, as I said.'] : []),
    ...(isStuck(world, iteration, finishedRuns) ? ['I am stuck.'] : []),
    ...(summary === undefined ? [] : [`Summary: ${summary}`]),
    ...(claimed ? ['', '<promise>DONE</promise>'] : []),
  ];
  const text = lines.join('\n');
  const resetAt = resetMs === undefined ? {} : { resetAt: new Date(world.wallMs + resetMs).toISOString() };
  // Not every agent reports its API calls every time.
  const count = shown.durationMs % 13;
  const calls = count === 0 ? {} : { calls: [{ at: new Date(world.wallMs).toISOString(), count }] };
  return {
    ...shown,
    ...hintsOf(world.seed, iteration, finishedRuns),
    ...resetAt,
    ...calls,
    ...explorationOf(world.seed, iteration, finishedRuns),
    claimText: text,
    text,
  };
}
