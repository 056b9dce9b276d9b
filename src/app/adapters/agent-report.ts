import type { AgentReading, AgentUse } from '../../agents/index.ts';
import type { Usage } from '../../protocol/index.ts';
import type { AgentRun } from '../../runner/index.ts';

type ReportedRun = Omit<AgentRun, 'ending' | 'prompt' | 'durationMs' | 'empty'>;

/** A reading of a run in the terms of the loop. */
export function reportOf(reading: AgentReading, sessionBefore: Usage | undefined): ReportedRun {
  const { outcome, lastMessage, text, message, resetAt, sessionId, model } = reading;
  const { usage, sessionUsage } = usageOf(reading, sessionBefore);
  return {
    outcome,
    claimText: lastMessage,
    text: text.endsWith(lastMessage) ? text : `${text}\n${lastMessage}`,
    ...(message === undefined ? {} : { error: message }),
    ...(reading.permissionDenials === 0 ? {} : { permissionDenials: reading.permissionDenials }),
    ...(reading.deniedTools.length === 0 ? {} : { deniedTools: [...reading.deniedTools] }),
    ...(resetAt === undefined ? {} : { resetAt }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(sessionUsage === undefined ? {} : { sessionUsage }),
  };
}

/** Whether nothing at all came of it: no word, no tool, not even a token. What it changed is seen elsewhere. */
export function isEmpty({ text, lastMessage, toolUses, permissionDenials, usage }: AgentReading): boolean {
  const tokens = Object.values(usage?.value ?? {}).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return text.trim() === '' && lastMessage.trim() === '' && toolUses + permissionDenials + tokens === 0;
}

/** What a run has used up to now. */
export function usedSoFar(use: AgentUse, sessionBefore: Usage | undefined): Usage {
  return usageOf(use, sessionBefore).usage ?? {};
}

/** What the run itself used: an agent that only knows the total of its session is asked for the difference. */
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

/** A total that fell belongs to another session than the one before it. */
function difference(total: Usage, before: Usage): Usage {
  const parts = numbers.flatMap((name) => {
    const [now, then = 0] = [total[name], before[name]];
    return now === undefined ? [] : [[name, now >= then ? now - then : now] as const];
  });
  return Object.fromEntries(parts);
}
