import type { FactData } from '../../protocol/index.ts';
import { edit } from '../state/edits.ts';
import { inheritGuidance } from '../state/guidance.ts';
import type { Loop } from '../state/loop.ts';
import { addNotes, openIssues } from '../state/notes.ts';
import { isTerminal } from './status.ts';

/** What an ended loop leaves to the one that continues its work; undefined while it has not ended. */
export function workToContinue(loop: Loop): FactData<'loop.continued'> | undefined {
  const { status } = loop;
  if (!isTerminal(status)) return undefined;
  const {
    outcome: { reason },
    handover: { summaries, notes, touchedFiles },
    commands: { guidance },
    origin: { earlierIterations = 0 },
    position: { finished },
  } = loop;
  return {
    from: loop.id,
    status,
    ...(reason === undefined ? {} : { reason }),
    iterations: earlierIterations + finished,
    work: {
      summaries: summaries.map(({ text }) => text),
      notes: {
        decisions: notes.decisions.map(({ text, why }) => ({ text, ...(why === undefined ? {} : { why }) })),
        issues: openIssues(notes)
          .toReversed()
          .map(({ text, severity, files }) => ({
            text,
            severity,
            ...(files === undefined ? {} : { files: [...files] }),
          })),
        done: notes.done.map(({ text }) => text),
        pending: [...notes.pending],
        values: notes.values.map(({ key, value }) => ({ key, value })),
      },
      files: [...touchedFiles],
      guidance: guidance.map(({ id, text, standing }) => ({ id, text, ...(standing ? { standing } : {}) })),
    },
  };
}

/** The loop with what an earlier one left: its first prompt hands that over. Iteration 0 stands for the earlier loop. */
export function takeOverWork(loop: Loop, data: FactData<'loop.continued'>, at: string): Loop {
  if (loop.position.iteration > 0) return loop;
  const { from, iterations, work } = data;
  const { summaries, notes, files, guidance } = work;
  return edit(loop, {
    origin: { resumedFrom: from, earlierIterations: iterations },
    handover: {
      summaries: summaries.map((text) => ({ iteration: 0, text })),
      notes: addNotes(loop.handover.notes, notes, { iteration: 0, at }),
      touchedFiles: files,
    },
    commands: { guidance: inheritGuidance(guidance, at), guidanceCount: guidance.length },
    session: { handOff: true },
  });
}
