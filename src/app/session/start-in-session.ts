import { failures, LoopError } from '../../base/index.ts';
import { configuredMode, type HostSession, type Loop, sessionCeiling } from '../../core/index.ts';
import { type LoopConfig, limits } from '../../protocol/index.ts';
import type { AppContext } from '../agent-programs.ts';
import { type NewLoop, startLoop } from '../start-loop.ts';
import { placeToStart } from '../worktree-start.ts';
import { loopOfSession } from './find-session-loop.ts';
import { createSessionPort } from './session-port.ts';

/** A loop that an interactive session works on. */
export interface SessionLoop {
  readonly loop: Loop;
  /** What the session has to do first; missing if the loop ended or paused before. */
  readonly prompt?: string;
  /** What the user should know. */
  readonly warnings: readonly string[];
}

/** Creates a loop for a session, runs its baseline and returns the first prompt. The loop is then parked. */
export async function startInSession(
  given: LoopConfig,
  session: HostSession,
  { context, request = {} }: { readonly context: AppContext; readonly request?: NewLoop },
): Promise<SessionLoop> {
  assertFits(given);
  const { id } = session;
  const taken = id === undefined ? undefined : await loopOfSession(placeToStart(given, context.cwd), { sessionId: id });
  if (id !== undefined && taken !== undefined) throw new LoopError(failures.sessionTaken(id, taken.loop.id));
  const { maxIterations } = given;
  const config = {
    ...given,
    // No pause: between two iterations, only a hook runs.
    iterationDelay: 0,
    maxIterations: maxIterations === 0 ? sessionCeiling : Math.min(maxIterations, sessionCeiling),
  };
  const { port, prompt } = createSessionPort(session);
  await using driven = await startLoop(config, context, { ...request, session: port });
  const { loop } = await driven.drive.run({ stayWhenPaused: () => false, returnWhenWaitingLongerThanMs: 0 });
  const first = prompt();
  return { loop, warnings: driven.problems.messages, ...(first === undefined ? {} : { prompt: first }) };
}

/** Refuses settings that mean nothing between two calls of a hook. */
function assertFits(config: LoopConfig): void {
  const refused: Readonly<Record<string, boolean>> = {
    sandbox: config.sandbox !== 'off',
    worktree: config.worktree !== false,
    'persistence.enabled': !config.persistence.enabled,
    mode: configuredMode(config) !== 'unattended',
    ...Object.fromEntries(
      limits
        .filter(({ reported }) => reported !== undefined)
        .map(({ setting }) => [setting, config[setting] !== undefined]),
    ),
  };
  const [setting] = Object.entries(refused).find(([, isSet]) => isSet) ?? [];
  if (setting !== undefined) throw new LoopError(failures.notInSession(setting));
}
