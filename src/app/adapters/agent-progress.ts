import type { AgentEvent } from '../../agents/index.ts';
import { tailText } from '../../base/index.ts';
import {
  type AgentActivity,
  type AgentProgress,
  maxActivities,
  maxActivityLength,
  type Usage,
} from '../../protocol/index.ts';

/** Who receives the progress, and how it is shown. */
export interface ProgressOptions {
  readonly report: (progress: AgentProgress) => void;
  readonly now: () => string;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}

/** Tracks what an agent does in bounded memory. */
export interface ProgressTracker {
  started(agent: Pick<AgentProgress, 'pid' | 'isAdopted'>): void;
  /** Adds the meaning of its newest output and its usage so far. */
  take(events: readonly AgentEvent[], used: () => Usage): void;
  /** Takes the end of the output of an agent that prints no events. */
  takeOutput(output: string): void;
}

/** How much of a message is kept; more than is shown, so that redaction finds whole secrets. */
const maxMessageLength = 8 * maxActivityLength;

/** A tracker for an agent that has not done anything yet. */
export function createProgressTracker(options: ProgressOptions): ProgressTracker {
  return new AgentTracker(options);
}

class AgentTracker implements ProgressTracker {
  readonly #options: ProgressOptions;
  #known: Omit<AgentProgress, 'recent' | 'usage'> = {};
  #usage: Usage | undefined;
  #recent: readonly AgentActivity[] = [];
  /** The newest tool calls; an agent may report one call several times. */
  #tools: readonly string[] = [];
  #message: { readonly id: string; readonly text: string; readonly isGrowing: boolean } | undefined;
  #isMessageShown = false;
  /** A tool call whose detail may still follow. */
  #openTool: string | undefined;
  #count = 0;
  #unreported = 0;
  #lastLine = '';

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  started(agent: Pick<AgentProgress, 'pid' | 'isAdopted'>): void {
    this.#known = { ...this.#known, ...agent };
    this.#report();
  }

  take(events: readonly AgentEvent[], used: () => Usage): void {
    if (events.length === 0) return;
    for (const event of events) this.#event(event);
    this.#showMessage();
    const usage = used();
    this.#usage = Object.keys(usage).length === 0 ? undefined : usage;
    this.#report();
  }

  takeOutput(output: string): void {
    const line =
      this.#options
        .redact(output)
        .split('\n')
        .findLast((each) => each.trim() !== '') ?? '';
    if (line === '' || line === this.#lastLine) return;
    this.#lastLine = line;
    this.#add('text', line);
    this.#report();
  }

  #event(event: AgentEvent): void {
    switch (event.type) {
      case 'model':
        this.#known = { ...this.#known, model: event.model };
        return;
      case 'text':
        return this.#text(event);
      case 'tool_use':
        return this.#tool(event);
      case 'retry':
        return this.#add('retry', retryText(event));
      case 'result':
        return this.#closeLast();
      default:
        return;
    }
  }

  #text({ message: id, text, append }: AgentEvent & { type: 'text' }): void {
    if (this.#message?.id !== id) this.#closeLast();
    const before = append ? (this.#message?.text ?? '') : '';
    this.#message = { id, text: tailText(before + text, maxMessageLength), isGrowing: append };
  }

  #tool({ id, name, detail }: AgentEvent & { type: 'tool_use' }): void {
    const text = this.#shown(detail === undefined ? name : `${name} ${detail}`);
    const isKnown = id !== '' && this.#tools.includes(id);
    if (isKnown && (detail === undefined || this.#openTool !== id)) return;
    if (isKnown) return this.#push({ kind: 'tool', text }, true);
    this.#closeLast();
    this.#tools = [...this.#tools, id].slice(-maxActivities);
    this.#push({ kind: 'tool', text, ...(detail === undefined ? { isOpen: true } : {}) });
    this.#openTool = detail === undefined ? id : undefined;
  }

  #add(kind: AgentActivity['kind'], text: string): void {
    this.#closeLast();
    this.#push({ kind, text: this.#shown(text) });
  }

  /** Shows the unfinished message. */
  #showMessage(): void {
    if (this.#message === undefined) return;
    const { text, isGrowing } = this.#message;
    // The last word may be the start of a secret.
    const shown = this.#shown(isGrowing ? text.replace(/\S+$/u, '') : text);
    if (shown !== '') this.#push({ kind: 'text', text: shown, isOpen: true }, this.#isMessageShown);
    this.#isMessageShown ||= shown !== '';
  }

  /** Closes the current entry: the message is complete, and no more detail of a tool follows. */
  #closeLast(): void {
    const last = this.#recent.at(-1);
    const text = this.#message === undefined ? '' : this.#shown(this.#message.text);
    const wasShown = this.#isMessageShown;
    this.#message = undefined;
    this.#isMessageShown = false;
    this.#openTool = undefined;
    if (text !== '') this.#push({ kind: 'text', text }, wasShown);
    else if (last?.isOpen === true) this.#push({ kind: last.kind, text: last.text }, true);
  }

  #push(activity: Omit<AgentActivity, 'number' | 'at'>, isSame = false): void {
    if (!isSame) this.#count += 1;
    const kept = isSame ? this.#recent.slice(0, -1) : this.#recent;
    const next = { number: this.#count, at: this.#options.now(), ...activity };
    this.#recent = [...kept, next].slice(-maxActivities);
    this.#unreported += 1;
    if (this.#unreported === maxActivities) this.#report();
  }

  #shown(text: string): string {
    return tailText(this.#options.redact(text).trim(), maxActivityLength);
  }

  #report(): void {
    this.#unreported = 0;
    const usage = this.#usage === undefined ? {} : { usage: this.#usage };
    this.#options.report({ ...this.#known, ...usage, recent: this.#recent });
  }
}

function retryText({ why, attempt, delayMs }: AgentEvent & { type: 'retry' }): string {
  const number = attempt === undefined ? '' : `, retry ${attempt}`;
  const delay = delayMs === undefined ? '' : ` in ${(delayMs / 1000).toFixed(1)}s`;
  return `${why}${number}${delay}`;
}
