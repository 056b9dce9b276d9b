import type { FactData } from '../../protocol/index.ts';
import { breakpointsOf, filesChanged } from '../rules/asking.ts';
import { withoutRequest } from '../state/commands.ts';
import { type Change, edit, spendTime } from '../state/edits.ts';
import type { Loop } from '../state/loop.ts';
import { maxPersonNotes } from '../state/supervision.ts';
import { hooksAfterSwitch } from './evolve-hooks.ts';

type DecisionFact = 'question.asked' | 'question.answered' | 'mode.changed' | 'rollback.finished';

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
  'mode.changed': (loop, data, { at }) => {
    const { to, cause } = data;
    const quiet = withoutQuestion(loop);
    const { requests } = quiet.commands;
    const decidedAt = { iteration: loop.position.finished, files: filesChanged(loop) };
    return edit(quiet, {
      // A switch that somebody asked for still comes, at the moment they asked for.
      commands: { requests: cause === 'command' ? withoutRequest(requests, 'mode') : requests },
      supervision: { mode: to, modeSince: at, decidedAt },
      hooks: hooksAfterSwitch(loop, data),
    });
  },
  'rollback.finished': (loop, { ok, elapsedMs }) => {
    const requests = withoutRequest(loop.commands.requests, 'rollback');
    const supervision = ok ? { work: undefined } : {};
    return spendTime(edit(loop, { commands: { requests }, supervision }), elapsedMs);
  },
};

/** The loop with a note that a person wrote. */
export function withNote(loop: Loop, data: FactData<'command.accepted'>, at: string): Loop {
  const { kind = 'observation', text = '', sender } = data;
  const note = { kind, text, at, iteration: loop.position.finished, ...(sender && { sender }) };
  return edit(loop, { supervision: { notes: [...(loop.supervision.notes ?? []), note].slice(-maxPersonNotes) } });
}

/** The loop with one breakpoint more or less. It decides anew whether to ask. */
export function withBreakpoint(loop: Loop, { breakpoint, remove }: FactData<'command.accepted'>): Loop {
  if (breakpoint === undefined) return loop;
  const others = breakpointsOf(loop).filter((each) => each !== breakpoint);
  return edit(loop, { supervision: { breakpoints: remove === true ? others : [...others, breakpoint] } });
}

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
