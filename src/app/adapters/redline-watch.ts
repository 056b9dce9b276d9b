import type { AgentEvent } from '../../agents/index.ts';
import type { RedlineCut } from '../../core/index.ts';
import type { Usage } from '../../protocol/index.ts';

/** Watches how full the session of a working agent is. */
export interface RedlineWatch {
  note(events: readonly AgentEvent[]): void;
  /** Whether the agent is to be ended. */
  isFull(): boolean;
  /** How full the session is; undefined while that is unknown. */
  context(): Usage['context'];
}

/**
 * A run is ended only when the session has been below the redline before: one that begins above it, because its prompt
 * alone fills the window, would be ended again and again without doing anything.
 */
export function createRedlineWatch(cut: RedlineCut | undefined): RedlineWatch {
  let [used, size] = [undefined as number | undefined, cut?.window];
  let isBelow = cut?.isBelow === true;
  const context = () => (used === undefined || size === undefined || size < 1 ? undefined : { used, size });
  const isPassed = () => {
    const known = context();
    return known !== undefined && cut !== undefined && 100 * known.used >= cut.percent * known.size;
  };
  return {
    note(events) {
      if (cut === undefined) return;
      for (const event of events) {
        if (event.type !== 'context') continue;
        used = event.used ?? used;
        size = event.size ?? size;
        isBelow ||= context() !== undefined && !isPassed();
      }
    },
    isFull: () => isBelow && isPassed(),
    context,
  };
}
