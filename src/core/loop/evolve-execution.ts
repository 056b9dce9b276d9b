import type { Changes, FactData } from '../../protocol/index.ts';
import { addProtected } from '../gate/protection.ts';
import { addCalls } from '../rules/call-rate.ts';
import { spiralAfter } from '../rules/spiral.ts';
import { wasLost } from '../settle/classify.ts';
import type { CurrentAttempt, Execution } from '../state/attempt.ts';
import { addChanges } from '../state/changed.ts';
import { edit, type LoopEdit } from '../state/edits.ts';
import { maxSummaries, maxTouchedFiles, type Summary } from '../state/handover.ts';
import type { Loop } from '../state/loop.ts';
import { addNotes } from '../state/notes.ts';
import type { AgentSession } from '../state/session.ts';
import type { DeniedCalls } from '../state/signals.ts';
import { addRun } from '../state/spent.ts';
import type { IterationWork } from '../state/supervision.ts';

/** Applies the end of an agent's run. A run that was lost with its runner reports nothing, not even its usage. */
export function recordExecution(
  loop: Loop,
  current: CurrentAttempt,
  { data, at }: { readonly data: FactData<'agent.finished'>; readonly at: string },
): Loop {
  const { stats, spent, changed, recentCalls } = loop.totals;
  const executed: LoopEdit = {
    phase: 'verifying',
    position: { current: { ...current, stage: 'executed', execution: executionOf(data) } },
  };
  if (wasLost(data)) {
    return edit(loop, {
      ...executed,
      totals: { spent: current.process === undefined ? spent : addRun(spent, undefined) },
    });
  }
  const { usage, changes } = data;
  const { summaries, notes, touchedFiles } = loop.handover;
  return edit(loop, {
    ...executed,
    handover: {
      summaries: addSummary(summaries, data),
      notes: addNotes(notes, data.notes, { iteration: data.iteration, at }),
      touchedFiles: touch(touchedFiles, changes),
    },
    signals: { outputMatches: data.outputMatches ?? [], denied: deniedIn(data), spiral: spiralAfter(loop, data) },
    supervision: { marks: data.marks, work: workAfter(loop, data) },
    gate: { protectedFiles: addProtected(loop.gate.protectedFiles, changes) },
    totals: {
      stats: {
        ...stats,
        totalExecutionMs: stats.totalExecutionMs + data.durationMs,
        filesModified: stats.filesModified + changes.modified.length,
        filesCreated: stats.filesCreated + changes.created.length,
        filesDeleted: stats.filesDeleted + changes.deleted.length,
      },
      changed: addChanges(changed, changes, loop.config.maxFilesChanged),
      recentCalls: addCalls(recentCalls, data.calls ?? [], Date.parse(at)),
      spent: data.ending.kind === 'not_started' && usage === undefined ? spent : addRun(spent, usage),
    },
    session: {
      current: loop.session.current && sessionAfter(loop.session.current, { data, at }),
      contextWindow: usage?.context?.size ?? loop.session.contextWindow,
    },
  });
}

/** What the iteration changed, in all of its attempts; undefined if nothing is known to have changed. */
function workAfter({ supervision: { work } }: Loop, data: FactData<'agent.finished'>): IterationWork | undefined {
  const { iteration, changes } = data;
  const earlier = work?.iteration === iteration ? work : undefined;
  if (changes.trees === undefined) return earlier;
  const { before, after } = changes.trees;
  return { iteration, trees: { before: earlier?.trees.before ?? before, after } };
}

function deniedIn(data: FactData<'agent.finished'>): DeniedCalls | undefined {
  const { iteration, permissionDenials: count = 0, deniedTools: tools = [] } = data;
  return count === 0 ? undefined : { iteration, count, tools };
}

function sessionAfter(
  session: AgentSession,
  { data, at }: { readonly data: FactData<'agent.finished'>; readonly at: string },
): AgentSession {
  const { sessionId, sessionUsage, rebootPattern, estimatedTokens, durationMs } = data;
  const contextPercent = contextPercentOf(data);
  return {
    ...session,
    ...(sessionId === undefined ? {} : { id: sessionId }),
    ...(sessionUsage === undefined ? {} : { usage: sessionUsage }),
    ...(contextPercent === undefined ? {} : { contextPercent }),
    ...(rebootPattern === undefined ? {} : { rebootPattern }),
    ...(estimatedTokens === undefined ? {} : { estimatedTokens: (session.estimatedTokens ?? 0) + estimatedTokens }),
    executionMs: (session.executionMs ?? 0) + durationMs,
    lastActivityAt: at,
    iterations: session.iterations + 1,
  };
}

function addSummary(
  summaries: readonly Summary[],
  { iteration, summary }: FactData<'agent.finished'>,
): readonly Summary[] {
  if (summary === undefined) return summaries;
  return [...summaries.filter((earlier) => earlier.iteration !== iteration), { iteration, text: summary }].slice(
    -maxSummaries,
  );
}

function touch(files: readonly string[], { modified, created, deleted }: Changes): readonly string[] {
  const newest = [...modified, ...created, ...deleted];
  return [...new Set([...files, ...newest].toReversed())].toReversed().slice(-maxTouchedFiles);
}

function executionOf(data: FactData<'agent.finished'>): Execution {
  const {
    iteration: _iteration,
    attempt: _attempt,
    usage: _usage,
    calls: _calls,
    sessionUsage: _total,
    sessionId: _id,
    model: _model,
    outputMatches: _matches,
    notes: _notes,
    deniedTools: _denied,
    deniedHosts: _hosts,
    exploration: _exploration,
    rebootPattern: _pattern,
    estimatedTokens: _estimate,
    ...execution
  } = data;
  return execution as Execution;
}

/** How full the session is. One that overflowed is full, whatever it reported, and so is one that was ended for it. */
export function contextPercentOf({ outcome, usage, ending }: FactData<'agent.finished'>): number | undefined {
  if (outcome === 'context_overflow') return 100;
  if (usage?.context === undefined && ending.kind === 'stopped' && ending.by === 'redline') return 100;
  return usage?.context && (100 * usage.context.used) / usage.context.size;
}
