import type { FactData } from '../../protocol/index.ts';
import { sampleQuality } from '../rules/session-health.ts';
import type { Loop } from '../state/loop.ts';
import { type AgentSession, addSample } from '../state/session.ts';

type Finished = Pick<FactData<'iteration.finished'>, 'status' | 'progress'>;

/** The session after an iteration that counts; only one that is continued is compared with its own earlier iterations. */
export function sessionAfterIteration(loop: Loop, finished: Finished): AgentSession | undefined {
  const { current } = loop.session;
  const isCompared = loop.config.session.strategy === 'continue' && finished.status !== 'skipped';
  if (current === undefined || current.iterations === 0 || !isCompared) return current;
  const { contextPercent: percent } = current;
  return addSample(current, {
    quality: qualityOf(finished),
    durationMs: loop.position.current?.execution?.durationMs ?? 0,
    ...(percent === undefined ? {} : { percent }),
  });
}

/** Progress that is unknown speaks neither for nor against a session. */
function qualityOf({ status, progress }: Finished): number {
  if (status !== 'completed') return sampleQuality.failed;
  return progress.made === false ? sampleQuality.noProgress : sampleQuality.progress;
}
