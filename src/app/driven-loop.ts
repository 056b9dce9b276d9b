import { watchInbox } from '../control/index.ts';
import { type Loop, replay } from '../core/index.ts';
import type { Fact, RecordedFact } from '../protocol/index.ts';
import { createDrive, type Drive } from '../runner/index.ts';
import type { OpenLoop } from '../store/index.ts';
import { type AppContext, adapterFor } from './adapters.ts';
import { systemClock } from './clock.ts';
import { createAgentPort } from './ports/agent-port.ts';
import { createGatePort } from './ports/gate-port.ts';
import { createPromptSource } from './ports/prompt-source.ts';
import { createStorePort } from './ports/store-port.ts';
import { createWorkspacePort } from './ports/workspace-port.ts';

/** A loop that this process owns and can drive. */
export interface DrivenLoop extends Disposable {
  readonly drive: Drive;
  readonly folder: string;
  /** The facts that were written to get here, for those who follow the loop from its start. */
  readonly opening: readonly RecordedFact[];
  /** What was wrong with the state on disk and has been dealt with. */
  readonly problems: readonly string[];
}

/** Writes the first facts of an owner and wires the loop to the world: the composition root. */
export function driveLoop(open: OpenLoop, before: Loop | undefined, { facts, root, context }: Wiring): DrivenLoop {
  try {
    const store = createStorePort(open, process.pid);
    const opening = store.append(facts);
    const loop = replay(opening, before);
    store.save(loop);
    const { config, workingDirectory, uuid } = loop;
    const { env } = context;
    const drive = createDrive(loop, {
      store,
      clock: systemClock,
      agent: createAgentPort({ adapter: adapterFor(config, context), config, workingDirectory, env, uuid, open }),
      gate: createGatePort({ config, workingDirectory, env }),
      workspace: createWorkspacePort({
        workingDirectory,
        stateRoot: root,
        env,
        trackFileChanges: config.iteration.trackFileChanges,
      }),
      prompt: createPromptSource(config, workingDirectory),
      commands: {
        listen: (receive) => watchInbox({ root, folder: open.folder }, ({ command, done }) => receive(command, done)),
      },
    });
    const problems = open.recovered.problems.map(({ message }) => message);
    return { drive, folder: open.folder, opening, problems, [Symbol.dispose]: () => open.close() };
  } catch (error) {
    open.close();
    throw error;
  }
}

/** What it takes to drive a loop. */
export interface Wiring {
  readonly facts: readonly Fact[];
  readonly root: string;
  readonly context: AppContext;
}
