import { watchInbox } from '../control/index.ts';
import { idleLoop, isTerminal, type Loop, replay } from '../core/index.ts';
import { createGate } from '../gate/index.ts';
import { configSchema, type Fact, type LoopConfig, protectionOf, type RecordedFact } from '../protocol/index.ts';
import { createDrive, type Drive } from '../runner/index.ts';
import type { OpenLoop } from '../store/index.ts';
import { createPathMatcher } from '../workspace/index.ts';
import { type AppContext, adapterFor } from './adapters.ts';
import { warnOfVersion } from './agents-here.ts';
import { systemClock } from './clock.ts';
import { createAgentPort } from './ports/agent-port.ts';
import { createBaselineFile } from './ports/baseline-file.ts';
import { createConditionsPort } from './ports/conditions-port.ts';
import { createHooksPort } from './ports/hooks-port.ts';
import { endLeftWork } from './ports/left-work.ts';
import { createPromptSource } from './ports/prompt-source.ts';
import { redactorFor, showFact } from './ports/redact-facts.ts';
import type { Registry } from './ports/registry-port.ts';
import { createStorePort } from './ports/store-port.ts';
import { createViews, type Views } from './ports/views.ts';
import { createWorkspacePort } from './ports/workspace-port.ts';
import { createProblems, type Problems } from './problems.ts';
import { createRegistry } from './registry.ts';
import { gatesRoot, ownFolders } from './stores.ts';

/** A loop that this process owns and can drive. */
export interface DrivenLoop extends Disposable {
  readonly drive: Drive;
  readonly folder: string;
  /** The facts that were written to get here, for those who follow the loop from its start. */
  readonly opening: readonly RecordedFact[];
  /** What was wrong with the state on disk and has been dealt with, and what went wrong beside the loop since. */
  readonly problems: Problems;
  /** Takes the values of the loop's secrets out of a text that is to be shown. */
  readonly redact: (text: string) => string;
}

/** Writes the first facts of an owner and wires the loop to the world: the composition root. */
export function driveLoop(open: OpenLoop, before: Loop | undefined, wiring: Wiring): DrivenLoop {
  const { facts, root, context } = wiring;
  try {
    const problems = createProblems([
      ...open.recovered.problems.map(({ message }) => message),
      ...(wiring.warnings ?? []),
    ]);
    const registry = wiring.registry ?? createRegistry({ root, workingDirectory: before?.workingDirectory ?? root });
    const views = createViews({ open, before: before ?? idleLoop(configSchema.parse({})), problems, registry });
    const redactor = redactorFor(context.env, configOf(wiring, before));
    const store = createStorePort(open, views, { pid: process.pid, redactor });
    const opening = store.append(facts);
    const loop = replay(opening, before);
    store.save(loop);
    const { config, workingDirectory, uuid } = loop;
    const { env } = context;
    const own = ownFolders({ root }, env);
    const workspace = createWorkspacePort({
      workingDirectory,
      ours: own,
      env,
      trackFileChanges: config.iteration.trackFileChanges,
      baseline: createBaselineFile(open),
      isProtected: createPathMatcher(protectionOf(config.protect).paths),
    });
    const drive = createDrive(loop, {
      store,
      clock: systemClock,
      agent: createAgentPort({
        adapter: adapterFor(config, context),
        config,
        workingDirectory,
        env,
        uuid,
        open,
        report: problems.report,
        signOfLife: workspace.signOfLife,
      }),
      gate: createGate({
        config,
        workingDirectory,
        env,
        uuid,
        loopId: loop.id,
        base: loop.base,
        own,
        gates: gatesRoot(env),
        environment: loop.environment,
        startFile: createBaselineFile(open, 'start'),
      }),
      hooks: createHooksPort({ config, workingDirectory, env, uuid }),
      conditions: createConditionsPort({ config, workingDirectory, env, uuid }),
      workspace,
      prompt: createPromptSource(config, workingDirectory, problems.report),
      commands: {
        listen: (receive) => watchInbox({ root, folder: open.folder }, ({ command, done }) => receive(command, done)),
      },
      endLeftWork,
    });
    const version = warnOfVersion(adapterFor(config, context), config, { context, report: problems.report });
    const heart = beat(views, config.persistence.autoSaveInterval);
    const dispose = () => {
      version[Symbol.dispose]();
      heart[Symbol.dispose]();
      if (isTerminal(drive.loop.status)) open.forget();
      open.close();
    };
    return {
      drive,
      folder: open.folder,
      opening: opening.map((fact) => showFact(fact, redactor)),
      problems,
      redact: redactor.redact,
      [Symbol.dispose]: dispose,
    };
  } catch (error) {
    open.close();
    throw error;
  }
}

/** The configuration that the first facts lead to, known before they are written. */
function configOf({ facts }: Wiring, before: Loop | undefined): LoopConfig | undefined {
  const configured = facts.findLast((fact) => fact.type === 'loop.started' || fact.type === 'config.changed');
  return configured === undefined ? before?.config : configSchema.parse(configured.data.config);
}

const slowestBeatMs = 60_000;
const fastestBeatMs = 1_000;

function beat(views: Views, intervalMs: number): Disposable {
  const timer = setInterval(views.heartbeat, Math.max(fastestBeatMs, Math.min(intervalMs, slowestBeatMs)));
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** What it takes to drive a loop. */
export interface Wiring {
  readonly facts: readonly Fact[];
  readonly root: string;
  readonly context: AppContext;
  /** The registry the loop is on, when it is already locked. */
  readonly registry?: Registry;
  /** What the user should know before the loop starts. */
  readonly warnings?: readonly string[];
}
