import {
  type AgentReader,
  type AgentReading,
  createAcpDialect,
  createCopilotDialect,
  createReader,
  streamingAgents,
} from '../agents/index.ts';
import { failures, LoopError, nearest } from '../base/index.ts';
import { classify } from '../core/index.ts';
import { type AgentOutcome, type CountedUse, countedUses, type Ending, type FailureClass } from '../protocol/index.ts';

/** What ralphd reads from one run of an agent; `null` means not reported. */
export interface ParsedRun extends Readonly<Record<CountedUse, number | null>> {
  readonly outcome: AgentOutcome;
  /** The failure class of a failed run. */
  readonly failureClass: FailureClass | null;
  readonly message: string | null;
  readonly resetAt: string | null;
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly text: string;
  readonly claimText: string;
  readonly usage: {
    readonly inputTokens: number | null;
    readonly outputTokens: number | null;
    readonly cacheReadTokens: number | null;
    readonly cacheWriteTokens: number | null;
  };
  readonly costUsd: number | null;
  readonly context: { readonly used: number | null; readonly size: number | null };
  readonly permissionDenials: number;
  readonly deniedTools: readonly string[];
  readonly events: number;
  readonly unrecognised: number;
}

/** A recorded run. */
export interface RecordedRun {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: string;
  readonly ending: Ending;
}

/** Reads a recorded run the way a loop reads a live one. */
export async function parseAgentRun(agent: string, { stdout, stderr, ending }: RecordedRun): Promise<ParsedRun> {
  const reader = readerOf(agent);
  for await (const chunk of stdout) reader.push(chunk);
  const reading = reader.finish({ stderr, ending });
  const { outcome, message, resetAt, sessionId, model, text, lastMessage, usage, costUsd, context } = reading;
  return {
    outcome,
    failureClass: classify(outcome, ending) ?? null,
    message: message ?? null,
    resetAt: resetAt ?? null,
    sessionId: sessionId ?? null,
    model: model ?? null,
    text,
    claimText: lastMessage,
    usage: {
      inputTokens: usage?.value.inputTokens ?? null,
      outputTokens: usage?.value.outputTokens ?? null,
      cacheReadTokens: usage?.value.cacheReadTokens ?? null,
      cacheWriteTokens: usage?.value.cacheWriteTokens ?? null,
    },
    costUsd: costUsd?.value ?? null,
    ...countsOf(reading),
    context: { used: context.used ?? null, size: context.size ?? null },
    permissionDenials: reading.permissionDenials,
    deniedTools: reading.deniedTools,
    events: reading.events,
    unrecognised: reading.unrecognised,
  };
}

function countsOf({ counted }: AgentReading): Readonly<Record<CountedUse, number | null>> {
  const counts = countedUses.map((name) => [name, counted?.[name] ?? null]);
  return Object.fromEntries(counts) as Record<CountedUse, number | null>;
}

/** Streams that ralphd can read, although it does not run the programs that print them. */
const onlyRead: ReadonlyMap<string, () => AgentReader> = new Map([
  ['copilot', () => createReader(createCopilotDialect())],
  ['acp', () => createReader(createAcpDialect())],
]);

function readerOf(agent: string): AgentReader {
  const adapter = streamingAgents.find(({ name }) => name === agent);
  const reader = adapter?.createReader({}) ?? onlyRead.get(agent)?.();
  if (reader !== undefined) return reader;
  const known = [...streamingAgents.map(({ name }) => name), ...onlyRead.keys()];
  throw new LoopError(failures.agentUnknown(agent, known.join(', '), nearest(agent, known)));
}
