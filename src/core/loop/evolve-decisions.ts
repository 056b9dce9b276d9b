import type { FactData } from '../../protocol/index.ts';
import { filesChanged } from '../rules/asking.ts';
import { withoutRequest } from '../state/commands.ts';
import { type Change, edit, spendTime } from '../state/edits.ts';
import type { Loop } from '../state/loop.ts';

type DecisionFact = 'question.asked' | 'question.answered' | 'mode.changed';

/** What each fact about the decisions of a person changes. */
export const decisionChanges: { readonly [Type in DecisionFact]: Change<Type> } = {
  'question.asked': (loop, { point, iteration, why, approveAt, elapsedMs }, { at: askedAt, epoch }) => {
    if (loop.status !== 'running' || loop.position.current !== undefined) return loop;
    const question = { point, iteration, why, askedAt, ...(approveAt === undefined ? {} : { approveAt }), epoch };
    return spendTime(
      edit(loop, { phase: 'waiting', supervision: { question }, pending: { wait: undefined } }),
      elapsedMs,
    );
  },
  'question.answered': (loop, data) => (loop.supervision.question === undefined ? loop : decide(loop, data)),
  'mode.changed': (loop, { to }) => {
    const quiet = withoutQuestion(loop);
    return edit(quiet, {
      commands: { requests: withoutRequest(quiet.commands.requests, 'mode') },
      supervision: { mode: to, decidedAt: { iteration: loop.position.finished, files: filesChanged(loop) } },
    });
  },
};

/** The loop without what it asked: it decides anew whether to ask. */
export function withoutQuestion(loop: Loop): Loop {
  if (loop.supervision.question === undefined) return loop;
  return edit(loop, {
    ...(loop.status === 'running' ? { phase: 'starting' } : {}),
    supervision: { question: undefined },
    commands: { requests: withoutRequest(loop.commands.requests, 'decision') },
  });
}

function decide(loop: Loop, { point, iteration, decision, prompt }: FactData<'question.answered'>): Loop {
  const { owed } = loop.pending;
  const isRefused = point === 'completion' && decision === 'skip';
  const decided = edit(withoutQuestion(loop), {
    supervision: {
      approved: isRefused ? undefined : { point, iteration },
      decidedAt: { iteration: loop.position.finished, files: filesChanged(loop) },
      prompt,
      skips: point === 'iteration' && decision === 'skip' ? iteration : undefined,
    },
    // A person has just looked at it: there is no point in another delay.
    pending: { owed: owed?.cause === 'delay' ? undefined : owed },
  });
  return isRefused ? edit(decided, { position: { earned: undefined } }) : decided;
}
