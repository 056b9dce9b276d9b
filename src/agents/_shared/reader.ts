import type { AgentOutcome, CountedUse, Ending, TestHints } from '../../protocol/index.ts';
import { type Account, type Accountant, createAccountant, type RunResult } from './account.ts';
import { createDocuments } from './documents.ts';
import type { AgentEvent } from './event.ts';
import { createLineSplitter } from './lines.ts';
import { createTestHintReader } from './test-hints.ts';

/** What is known about one agent's stream: how to read its lines, and its stderr when they give no result. */
export interface StreamDialect {
  /** Whether each request to the model shows in the stream; otherwise their number is unknown. */
  readonly showsRequests?: true;
  /** The events of one JSON value of the stream; `undefined` for an unknown one. May keep state. */
  read(value: unknown): readonly AgentEvent[] | undefined;
  /** What commands that the agent ran have printed, as far as a value of the stream shows it; called before `read`. */
  commandOutput?(value: unknown): readonly string[];
  /** The events of a line that is not JSON, such as an error in plain text; `undefined` for anything else. */
  readText?(line: string): readonly AgentEvent[] | undefined;
  /** What stderr reveals about a run whose stream gave neither result nor error. */
  readErrors?(stderr: string, ending: Ending): RunResult | undefined;
  /**
   * What is only known once the run has ended: that its last event was its result, or what it printed on stderr
   * alone. Comes before `readErrors`; a result counts only where the stream gave none.
   */
  atEnd?(run: FinishedRun): readonly AgentEvent[];
}

/** Reads one run of an agent as it happens. */
export interface AgentReader {
  /** Takes what the agent printed; returns what it means. */
  push(chunk: Uint8Array): readonly AgentEvent[];
  /** What the run has used up to now, as far as it was reported. */
  used(): AgentUse;
  /** The result of the run once it has ended. */
  finish(run: FinishedRun): AgentReading;
  /** Whether the agent has reported its result. */
  readonly isOver: boolean;
  /** Whether its last event is a notice that it retries. */
  readonly isRetrying: boolean;
  /** Set while it retries what cannot succeed, such as requests with a wrong key. */
  readonly rejection: Rejection | undefined;
}

/** Why an agent's requests are rejected permanently, and how often in a row it announced a retry. */
export interface Rejection {
  readonly outcome: AgentOutcome;
  readonly why: string;
  readonly notices: number;
}

/** How a run ended, and its stderr output. */
export interface FinishedRun {
  readonly stderr: string;
  readonly ending: Ending;
}

/** What a run used; what the agent did not report is missing, never 0. */
export interface AgentUse extends Pick<Account, 'usage' | 'costUsd'> {
  /** What was counted from its events; uses of tools include those of subagents. */
  readonly counted?: { readonly [Use in CountedUse]?: number };
}

/** A whole run. */
export interface AgentReading extends Account, AgentUse {
  readonly outcome: AgentOutcome;
  /** Why it failed, in the agent's words. */
  readonly message?: string;
  /** Test counts that the output of its own commands shows. */
  readonly testHints?: TestHints;
}

/** Reads a stream of JSON lines; lines that cannot be read are counted and never stop the reading. */
export function createReader(dialect: StreamDialect): AgentReader {
  const accountant = createAccountant();
  const tests = createTestHintReader();
  let fresh: AgentEvent[] = [];
  let last: AgentEvent | undefined;
  let rejection: Rejection | undefined;
  let values = 0;
  const take = (events: readonly AgentEvent[] | undefined) => {
    if (events === undefined) return accountant.addUnrecognised();
    for (const event of events) {
      accountant.add(event);
      fresh.push(event);
      last = event;
      rejection = rejectionAfter(rejection, event);
    }
  };
  const documents = createDocuments({
    value: (json) => {
      for (const output of dialect.commandOutput?.(json) ?? []) tests.take(output);
      const events = dialect.read(json);
      if (events !== undefined) {
        values += 1;
        take(events);
      }
      return events !== undefined;
    },
    text: (line) => take(dialect.readText?.(line)),
    broken: () => accountant.addUnrecognised(),
  });
  const lines = createLineSplitter({
    line: (text) => documents.line(text.endsWith('\r') ? text.slice(0, -1) : text),
    tooLong: () => accountant.addUnrecognised(),
  });
  // A single document, such as a bare result, reports neither tools nor requests.
  const counted = () => {
    const { toolUses: toolCalls, requests: apiCalls } = accountant;
    if (values <= 1 && toolCalls + apiCalls === 0) return {};
    return { counted: { toolCalls, ...(dialect.showsRequests === true ? { apiCalls } : {}) } };
  };
  return {
    used: () => ({ ...accountant.used(), ...counted() }),
    push(chunk) {
      fresh = [];
      lines.push(chunk);
      return fresh;
    },
    finish(finished) {
      lines.end();
      documents.end();
      const run = { ...finished, stderr: finished.stderr.replaceAll('\r\n', '\n') };
      for (const event of dialect.atEnd?.(run) ?? []) accountant.addAtEnd(event);
      const wasRejected = run.ending.kind === 'stopped' && run.ending.by === 'rejected' && rejection;
      const reading = wasRejected ? rejected(accountant, wasRejected) : judge(accountant, dialect, run);
      const testHints = tests.hints();
      return { ...reading, ...counted(), ...(testHints === undefined ? {} : { testHints }) };
    },
    get isOver() {
      return accountant.isOver;
    },
    get isRetrying() {
      return last?.type === 'retry';
    },
    get rejection() {
      return rejection;
    },
  };
}

/** Failures that no retry changes: only a person can fix the key, the account or the name of the model. */
const hopeless: readonly (AgentOutcome | undefined)[] = ['auth', 'billing', 'configuration'];

function rejectionAfter(before: Rejection | undefined, event: AgentEvent): Rejection | undefined {
  switch (event.type) {
    case 'retry': {
      const { outcome, why } = event;
      if (outcome === undefined || !hopeless.includes(outcome)) return undefined;
      return { outcome, why, notices: (before?.notices ?? 0) + 1 };
    }
    case 'text':
    case 'tool_use':
    case 'tool_result':
    case 'result':
      return undefined;
    default:
      return before;
  }
}

/** The run was ended because of this, whatever it printed then. */
function rejected(accountant: Accountant, { outcome, why }: Rejection): AgentReading {
  return { ...accountant.account(), outcome, message: `The provider rejects every request: ${why}` };
}

/**
 * The agent's own result first, then the error that ended it, then its stderr. The exit code alone proves
 * nothing: a run without a result was interrupted, or its outcome is unknown.
 */
function judge(accountant: Accountant, dialect: StreamDialect, { stderr, ending }: FinishedRun): AgentReading {
  const account = accountant.account();
  const reported = accountant.reported ?? dialect.readErrors?.(stderr, ending);
  if (reported === undefined) return { ...account, outcome: wasCutOff(ending) ? 'interrupted' : 'unknown' };
  const { resetAt, ...reading } = { ...account, ...reported, lastMessage: reported.text ?? account.lastMessage };
  // A limit that the agent overcame by itself is not what ended the run.
  return isLimited(reported.outcome) && resetAt !== undefined ? { ...reading, resetAt } : reading;
}

function isLimited(outcome: AgentOutcome): boolean {
  return outcome === 'usage_limited' || outcome === 'rate_limited';
}

function wasCutOff({ kind }: Ending): boolean {
  return kind === 'signalled' || kind === 'stopped' || kind === 'lost';
}
