import { configSchema, type FactData, type LoopConfig } from '../../protocol/index.ts';
import { configuredMode } from '../rules/asking.ts';
import { withConditions } from '../rules/conditions/carry-over.ts';
import type { CurrentAttempt } from '../state/attempt.ts';
import { edit } from '../state/edits.ts';
import type { Loop } from '../state/loop.ts';
import { endSession } from '../state/session.ts';

/** The loop with other settings: with their conditions, their checks, and a new session if there is another agent. */
export function changeConfig(loop: Loop, data: FactData<'config.changed'>, at: string): Loop {
  const { configHash, chosen = loop.origin.chosen, task = loop.origin.task, gate } = data;
  const config = decodeConfig(data.config, loop.config);
  const changed = edit(withConditions(loop, config), {
    configHash,
    origin: { agent: config.agent, task, chosen },
  });
  const session = isOtherAgent(loop.config, config)
    ? { ...endSession(loop.session, at, 'manual'), handOff: loop.position.finished > 0 }
    : loop.session;
  const isOtherMode = configuredMode(loop.config) !== configuredMode(config);
  const hasOtherBreakpoints = JSON.stringify(loop.config.ask.breakpoints) !== JSON.stringify(config.ask.breakpoints);
  const supervised = isOtherMode ? edit(changed, { supervision: { mode: undefined, modeSince: at } }) : changed;
  const stopping = hasOtherBreakpoints ? edit(supervised, { supervision: { breakpoints: undefined } }) : supervised;
  return withGate({ ...stopping, session }, gate);
}

/** The configuration a fact carries; a journal whose configuration does not parse keeps what was known before. */
export function decodeConfig(encoded: Readonly<Record<string, unknown>>, fallback: LoopConfig): LoopConfig {
  const parsed = configSchema.safeParse(encoded);
  return parsed.success ? parsed.data : fallback;
}

/** Another agent cannot continue a session. */
function isOtherAgent(before: LoopConfig, after: LoopConfig): boolean {
  return before.agent !== after.agent || JSON.stringify(before.agentCommand) !== JSON.stringify(after.agentCommand);
}

/** Results of other checks prove nothing for these: the work has to be judged again. */
function withGate(loop: Loop, gate: FactData<'config.changed'>['gate']): Loop {
  if (gate === undefined || loop.status === 'completing') return loop;
  const { checks, foundTest, readings, guards, masked } = gate;
  const { current } = loop.position;
  return edit(loop, {
    gate: { checks, foundTest, readings, guards, masked },
    verification: { baseline: undefined, latest: undefined, obstacle: undefined },
    progress: { measures: [], best: undefined, lastChecked: undefined },
    position: { earned: undefined, current: current && unverified(current) },
  });
}

function unverified(current: CurrentAttempt): CurrentAttempt {
  if (current.stage !== 'verified' && current.stage !== 'verifying') return current;
  const { gate: _gate, isPeriodic: _isPeriodic, ...attempt } = current;
  return { ...attempt, stage: 'executed' };
}
