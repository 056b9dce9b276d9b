import { boundText, tailText } from '../../base/index.ts';
import type { AgentOutcome } from '../../protocol/index.ts';
import type { AgentEvent, Tokens } from './event.ts';
import { type ToolKind, toolKind } from './tool-kind.ts';
import { createTotal, type Total } from './total.ts';

/** Why a run ended the way it did. */
export interface RunResult {
  readonly outcome: AgentOutcome;
  readonly message?: string;
  /** The answer, where it was printed without any event. */
  readonly text?: string;
  /** When the limit resets, if no event reported it. */
  readonly resetAt?: string;
}

/** The totals of a run's events. What the agent did not report is missing, never 0. */
export interface Account {
  readonly sessionId?: string;
  readonly model?: string;
  /** All of the assistant's text, or the end of it. */
  readonly text: string;
  /** The assistant's last message, which alone may carry a claim. */
  readonly lastMessage: string;
  readonly usage?: Total<Tokens>;
  readonly costUsd?: Total<number>;
  readonly context: { readonly used?: number; readonly size?: number };
  /** When the limit that ended the run resets. */
  readonly resetAt?: string;
  /** How often it used a tool. */
  readonly toolUses: number;
  /** How many of them only looked, and how many may have changed something; calls that plan count as neither. */
  readonly exploration: { readonly reads: number; readonly acts: number };
  readonly permissionDenials: number;
  /** What was denied, each once: `Write`, or `Bash(npm test)` for a command. */
  readonly deniedTools: readonly string[];
  readonly retries: number;
  /** Background work that was still running. */
  readonly backgroundLeft: number;
  readonly events: number;
  readonly unrecognised: number;
}

/** Adds up events as they come. */
export interface Accountant {
  add(event: AgentEvent): void;
  /** Adds what is known only when the run has ended, even after its result. */
  addAtEnd(event: AgentEvent): void;
  addUnrecognised(): void;
  /** The agent's own result, otherwise the error that ended it. */
  readonly reported: RunResult | undefined;
  /** Whether the agent has reported its result. */
  readonly isOver: boolean;
  /** How often a tool was used, subagents' uses included. */
  readonly toolUses: number;
  /** How many requests to the model were reported. */
  readonly requests: number;
  /** What was used up to now, as far as it was reported. */
  used(): Pick<Account, 'usage' | 'costUsd'>;
  account(): Account;
}

const maxTextLength = 256 * 1024;
/** How many ids are remembered; what is reported again after that counts twice. */
const maxIds = 10_000;
/** How many denied tools are named, and how much of each. */
const maxDeniedTools = 10;
const maxDeniedLength = 200;

/** Adds up a run. The first result ends it: what an agent does after its own result belongs to no iteration. */
export function createAccountant(): Accountant {
  return new RunAccountant();
}

class RunAccountant implements Accountant {
  readonly #usage = createTotal<Tokens>(addTokens);
  readonly #cost = createTotal<number>((one, other) => one + other);
  readonly #background = new Set<string>();
  readonly #tools = createIdCount();
  readonly #requests = createIdCount();
  readonly #deniedTools = new Set<string>();
  #known: Pick<Account, 'sessionId' | 'model' | 'resetAt'> = {};
  #context: Account['context'] = {};
  #earlier = '';
  #last = '';
  #message: string | undefined;
  #error: RunResult | undefined;
  #result: RunResult | undefined;
  #reads = 0;
  #acts = 0;
  #permissionDenials = 0;
  #retries = 0;
  #events = 0;
  #unrecognised = 0;

  get reported(): RunResult | undefined {
    return this.#result ?? this.#error;
  }

  get isOver(): boolean {
    return this.#result !== undefined;
  }

  get toolUses(): number {
    return this.#tools.count();
  }

  get requests(): number {
    return this.#requests.count();
  }

  add(event: AgentEvent): void {
    this.#events += 1;
    if (this.#result === undefined) this.#take(event);
  }

  addAtEnd(event: AgentEvent): void {
    this.#events += 1;
    if (event.type !== 'result' || this.#result === undefined) this.#take(event);
  }

  addUnrecognised(): void {
    this.#unrecognised += 1;
  }

  used(): Pick<Account, 'usage' | 'costUsd'> {
    const usage = this.#usage.total();
    const costUsd = this.#cost.total();
    return { ...(usage === undefined ? {} : { usage }), ...(costUsd === undefined ? {} : { costUsd }) };
  }

  account(): Account {
    return {
      ...this.#known,
      text: tailText(this.#earlier + this.#last, maxTextLength),
      lastMessage: tailText(this.#last, maxTextLength),
      ...this.used(),
      context: this.#context,
      toolUses: this.#tools.count(),
      exploration: { reads: this.#reads, acts: this.#acts },
      permissionDenials: this.#permissionDenials,
      deniedTools: [...this.#deniedTools],
      retries: this.#retries,
      backgroundLeft: this.#background.size,
      events: this.#events,
      unrecognised: this.#unrecognised,
    };
  }

  #take(event: AgentEvent): void {
    switch (event.type) {
      case 'session':
        this.#known = { ...this.#known, sessionId: event.id };
        return;
      case 'model':
        this.#known = { ...this.#known, model: event.model };
        return;
      case 'text':
        return this.#takeText(event.message, event.append ? undefined : '', event.text);
      case 'usage':
        return this.#usage.add(event.usage, event.scope);
      case 'cost':
        return this.#cost.add(event.usd, event.scope);
      case 'context': {
        const { type: _type, ...context } = event;
        this.#context = { ...this.#context, ...context };
        return;
      }
      case 'retry':
        this.#retries += 1;
        return;
      case 'limit':
        if (event.rejected && event.resetAt !== undefined) this.#known = { ...this.#known, resetAt: event.resetAt };
        return;
      case 'permission_denied':
        this.#permissionDenials += 1;
        return this.#takeDenied(event.tool, event.command);
      case 'background':
        if (event.running) this.#background.add(event.id);
        else this.#background.delete(event.id);
        return;
      case 'error':
        if (event.fatal) this.#error = { outcome: event.outcome, message: event.message };
        return;
      case 'result': {
        // The answer that comes with the result is the whole of the last message.
        if (event.text !== undefined && event.text !== '') this.#takeText(this.#message ?? '', '', event.text);
        this.#result = { outcome: event.outcome, ...(event.message === undefined ? {} : { message: event.message }) };
        return;
      }
      case 'tool_use':
        return this.#takeTool(event.id, toolKind(event.name));
      case 'request':
        this.#requests.add(event.id);
        return;
      case 'tool_result':
        return;
    }
  }

  #takeDenied(tool: string, command: string | undefined): void {
    if (tool === '' || this.#deniedTools.size >= maxDeniedTools) return;
    this.#deniedTools.add(boundText(command === undefined ? tool : `${tool}(${command})`, maxDeniedLength));
  }

  #takeTool(id: string, kind: ToolKind): void {
    if (!this.#tools.add(id)) return;
    if (kind === 'read') this.#reads += 1;
    if (kind === 'act') this.#acts += 1;
  }

  #takeText(message: string, start: string | undefined, text: string): void {
    if (message !== this.#message) {
      this.#earlier = shortened(this.#last === '' ? this.#earlier : `${this.#earlier}${this.#last}\n`);
      this.#last = '';
      this.#message = message;
    }
    this.#last = shortened((start ?? this.#last) + text);
  }
}

/** Counts what may be reported again with the same id; what has no id is always new. */
function createIdCount() {
  const ids = new Set<string>();
  let count = 0;
  return {
    count: () => count,
    /** Whether it is new. */
    add(id: string): boolean {
      if (id !== '' && ids.has(id)) return false;
      count += 1;
      ids.add(id);
      const [oldest] = ids.size > maxIds ? ids : [];
      if (oldest !== undefined) ids.delete(oldest);
      return true;
    },
  };
}

/** Cuts only now and then: cutting at every word would copy everything each time. */
function shortened(text: string): string {
  return text.length > 2 * maxTextLength ? text.slice(-maxTextLength) : text;
}

function addTokens(one: Tokens, other: Tokens): Tokens {
  const names = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const parts = [one[name], other[name]].filter((part) => part !== undefined);
      return parts.length === 0 ? [] : [[name, parts.reduce((sum, part) => sum + part, 0)]];
    }),
  );
}
