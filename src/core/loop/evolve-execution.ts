import type { Changes, FactData } from '../../protocol/index.ts';
import { noteProtected } from '../gate/protection.ts';
import { wasLost } from '../judge/classify.ts';
import type { CurrentAttempt, Execution } from './attempt.ts';
import { keptFiles, keptSummaries, type Loop, type Summary } from './loop.ts';
import { addNotes } from './notes.ts';
import { addRun } from './spent.ts';

/** What the end of an agent's run changes. A run that was lost with its runner tells nothing, not even what it used. */
export function recordExecution(
  loop: Loop,
  current: CurrentAttempt,
  { data, at }: { readonly data: FactData<'agent.finished'>; readonly at: string },
): Loop {
  if (wasLost(data)) {
    const spent = current.process === undefined ? loop.spent : addRun(loop.spent, undefined);
    return {
      ...loop,
      phase: 'verifying',
      spent,
      current: { ...current, stage: 'executed', execution: executionOf(data) },
    };
  }
  const { usage, sessionId } = data;
  const { stats, spent, session } = loop;
  const contextPercent = contextPercentOf(data);
  return {
    ...loop,
    phase: 'verifying',
    current: { ...current, stage: 'executed', execution: executionOf(data) },
    summaries: sumUp(loop.summaries, data),
    notes: addNotes(loop.notes, data.notes, { iteration: data.iteration, at }),
    outputMatches: data.outputMatches ?? [],
    touchedFiles: touch(loop.touchedFiles, data.changes),
    protectedFiles: noteProtected(loop.protectedFiles, data.changes),
    stats: {
      ...stats,
      totalExecutionMs: stats.totalExecutionMs + data.durationMs,
      filesModified: stats.filesModified + data.changes.modified.length,
      filesCreated: stats.filesCreated + data.changes.created.length,
      filesDeleted: stats.filesDeleted + data.changes.deleted.length,
    },
    // What never started has used nothing.
    spent: data.ending.kind === 'not_started' && usage === undefined ? spent : addRun(spent, usage),
    ...(session === undefined
      ? {}
      : {
          session: {
            ...session,
            ...(sessionId === undefined ? {} : { id: sessionId }),
            ...(data.sessionUsage === undefined ? {} : { usage: data.sessionUsage }),
            ...(contextPercent === undefined ? {} : { contextPercent }),
            iterations: session.iterations + 1,
          },
        }),
  };
}

function sumUp(summaries: readonly Summary[], { iteration, summary }: FactData<'agent.finished'>): readonly Summary[] {
  if (summary === undefined) return summaries;
  return [...summaries.filter((earlier) => earlier.iteration !== iteration), { iteration, text: summary }].slice(
    -keptSummaries,
  );
}

function touch(files: readonly string[], { modified, created, deleted }: Changes): readonly string[] {
  const newest = [...modified, ...created, ...deleted];
  return [...new Set([...files, ...newest].toReversed())].toReversed().slice(-keptFiles);
}

function executionOf(data: FactData<'agent.finished'>): Execution {
  const {
    iteration: _iteration,
    attempt: _attempt,
    usage: _usage,
    sessionUsage: _total,
    sessionId: _id,
    model: _model,
    outputMatches: _matches,
    notes: _notes,
    ...execution
  } = data;
  return execution as Execution;
}

/** How full the session is. One that overflowed is full, whatever it reported. */
function contextPercentOf({ outcome, usage }: FactData<'agent.finished'>): number | undefined {
  if (outcome === 'context_overflow') return 100;
  return usage?.context && (100 * usage.context.used) / usage.context.size;
}
