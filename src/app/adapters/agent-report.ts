import type { AgentReading, AgentUse } from '../../agents/index.ts';
import type { Usage } from '../../protocol/index.ts';
import type { AgentRun } from '../../runner/index.ts';

type ReportedRun = Omit<AgentRun, 'ending' | 'prompt' | 'durationMs' | 'empty'>;

/** Converts what was read from a run into a report for the loop. */
export function reportOf(reading: AgentReading, sessionBefore: Usage | undefined): ReportedRun {
  const { outcome, lastMessage, text, message, resetAt, sessionId, model, testHints } = reading;
  const { usage, sessionUsage } = usageOf(reading, sessionBefore);
  return {
    outcome,
    claimText: lastMessage,
    text: text.endsWith(lastMessage) ? text : `${text}\n${lastMessage}`,
    ...(message === undefined ? {} : { error: message }),
    ...(reading.permissionDenials === 0 ? {} : { permissionDenials: reading.permissionDenials }),
    ...(reading.exploration.reads === 0 ? {} : { exploration: reading.exploration }),
    ...(reading.deniedTools.length === 0 ? {} : { deniedTools: [...reading.deniedTools] }),
    ...(testHints === undefined ? {} : { testHints }),
    ...(resetAt === undefined ? {} : { resetAt }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(sessionUsage === undefined ? {} : { sessionUsage }),
  };
}

/** Whether the run produced nothing: no text, no tool call, no tokens. Changes to files are detected elsewhere. */
export function isEmpty({ text, lastMessage, toolUses, permissionDenials, usage }: AgentReading): boolean {
  const tokens = Object.values(usage?.value ?? {}).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return text.trim() === '' && lastMessage.trim() === '' && toolUses + permissionDenials + tokens === 0;
}

/** What a run has used so far. */
export function usedSoFar(use: AgentUse, sessionBefore: Usage | undefined): Usage {
  return usageOf(use, sessionBefore).usage ?? {};
}

/** What this run used; for an agent that reports only session totals, the difference to the total before. */
function usageOf(
  { usage, costUsd, counted, context }: AgentUse & Partial<Pick<AgentReading, 'context'>>,
  before: Usage = {},
): { readonly usage?: Usage; readonly sessionUsage?: Usage } {
  const { used, size } = context ?? {};
  const reported: Usage = {
    ...usage?.value,
    ...(costUsd === undefined ? {} : { costUsd: costUsd.value }),
    ...counted,
    ...(used === undefined || size === undefined ? {} : { context: { used, size } }),
  };
  if (Object.keys(reported).length === 0) return {};
  const totals: Usage = {
    ...(usage?.of === 'session' ? usage.value : {}),
    ...(costUsd?.of === 'session' ? { costUsd: costUsd.value } : {}),
  };
  if (Object.keys(totals).length === 0) return { usage: reported };
  return { usage: { ...reported, ...difference(totals, before) }, sessionUsage: totals };
}

const numbers = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'costUsd'] as const;

/** A total that fell belongs to a new session. */
function difference(total: Usage, before: Usage): Usage {
  const parts = numbers.flatMap((name) => {
    const [now, then = 0] = [total[name], before[name]];
    return now === undefined ? [] : [[name, now >= then ? now - then : now] as const];
  });
  return Object.fromEntries(parts);
}
