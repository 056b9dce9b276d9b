import { LoopError, tailText } from '../base/index.ts';
import type { AttemptKey } from '../runner/index.ts';
import type { AppContext } from './agent-programs.ts';
import { type LogEntry, openLogs } from './read-logs.ts';
import type { LoopPlace } from './stores.ts';

/** What an agent wrote and did in one attempt. */
export interface AgentActivity {
  /** The end of its newest message. */
  readonly lastWords: string;
  /** Whether the agent reports its tool calls. */
  readonly reportsTools: boolean;
  readonly toolCalls: number;
  readonly failedCalls: number;
  readonly deniedCalls: number;
  /** The number of calls of each tool, most frequent first. */
  readonly tools: readonly { readonly name: string; readonly calls: number }[];
  /** The newest calls, oldest first; the last may have no result yet. */
  readonly newestCalls: readonly ToolCall[];
  /** Its newest errors and retries. */
  readonly troubles: readonly string[];
}

/** One tool call. */
export interface ToolCall {
  readonly name: string;
  readonly detail?: string;
  readonly ok: boolean | null;
}

const maxWords = 4_000;
const maxCalls = 12;
const maxTroubles = 5;
const maxTools = 50;
/** Some agents never report the result of a call. */
const maxOpen = 1_000;

/** Reads the agent's output of an attempt in bounded memory; null if it was removed. */
export async function readActivity(
  place: LoopPlace,
  loopId: string,
  { key, context }: { readonly key: AttemptKey; readonly context: AppContext },
): Promise<AgentActivity | null> {
  try {
    const logs = openLogs(place, loopId, context);
    const activity = createActivity(logs.hasTools);
    for await (const entry of logs.transcript({ ...key, stream: 'stdout', follow: false })) activity.take(entry);
    return activity.read();
  } catch (error) {
    if (error instanceof LoopError) return null;
    throw error;
  }
}

/** Summarises what an agent did, entry by entry. */
export function createActivity(reportsTools: boolean) {
  const tools = new Map<string, number>();
  const open = new Map<string, ToolCall>();
  let lastWords = '';
  let calls: ToolCall[] = [];
  let troubles: string[] = [];
  let [toolCalls, failedCalls, deniedCalls] = [0, 0, 0];
  const addTrouble = (text: string) => {
    troubles = [...troubles, text].slice(-maxTroubles);
  };
  const replace = (id: string, ok: boolean) => {
    const call = open.get(id);
    open.delete(id);
    calls = calls.map((each) => (each === call ? { ...each, ok } : each));
  };
  return {
    take(entry: LogEntry): void {
      switch (entry.type) {
        case 'attempt':
          return;
        case 'text':
          lastWords = tailText((entry.startsMessage ? '' : lastWords) + entry.text, maxWords);
          return;
        case 'tool_use': {
          const { name, detail } = entry;
          const call = { name, ...(detail === undefined ? {} : { detail }), ok: null };
          // An agent may name a call again, with more detail.
          const known = open.get(entry.id);
          calls = [...calls.filter((each) => each !== known), call].slice(-maxCalls);
          open.set(entry.id, call);
          const [oldest] = open.size > maxOpen ? open.keys() : [];
          if (oldest !== undefined) open.delete(oldest);
          if (known !== undefined) return;
          toolCalls += 1;
          if (tools.has(name) || tools.size < maxTools) tools.set(name, (tools.get(name) ?? 0) + 1);
          return;
        }
        case 'tool_result':
          if (!entry.ok) failedCalls += 1;
          replace(entry.id, entry.ok);
          return;
        case 'permission_denied':
          deniedCalls += 1;
          return;
        case 'retry':
          addTrouble(`retries: ${entry.why}`);
          return;
        case 'error':
          addTrouble(entry.message);
      }
    },
    read: (): AgentActivity => ({
      lastWords,
      reportsTools,
      toolCalls,
      failedCalls,
      deniedCalls,
      tools: [...tools]
        .map(([name, count]) => ({ name, calls: count }))
        .toSorted((one, other) => other.calls - one.calls),
      newestCalls: calls,
      troubles,
    }),
  };
}
