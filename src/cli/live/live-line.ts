import { roughDuration } from '../../base/index.ts';
import { type AgentStep, limits, usedOf } from '../../protocol/index.ts';
import { oneLine } from '../output/plain.ts';
import { columnsOf, keepStart } from '../output/width.ts';
import type { LiveStep } from './live-step.ts';

/** When and how wide a line is shown. */
export interface LineView {
  readonly nowMs: number;
  readonly columns: number;
}

/** The parts of a line: what must be there, what may be left out where there is no room, and what fills the rest. */
interface LineParts {
  readonly head: string;
  readonly extras: readonly string[];
  readonly tail: string;
}

/** A tail that is narrower than this reveals too little: rather leave out an extra. */
const minTailColumns = 20;
const indent = '  ';
const gap = '  ';

/** What a loop is doing, on one line that is never wider than the terminal; undefined when there is nothing to show. */
export function liveLine(step: LiveStep | undefined, view: LineView): string | undefined {
  const parts = step && partsOf(step, view.nowMs);
  // The last column stays free: a terminal may wrap a line that fills it.
  return parts && keepStart(fit(parts, view.columns - 1), Math.max(0, view.columns - 1));
}

function fit({ head, extras, tail }: LineParts, columns: number): string {
  const wanted = Math.min(columnsOf(tail), minTailColumns);
  const room = (shown: readonly string[]) => columns - columnsOf(join(head, shown)) - gap.length;
  const fitting = extras.reduce<readonly string[]>(
    (shown, extra) => (room([...shown, extra]) >= wanted ? [...shown, extra] : shown),
    [],
  );
  const line = join(head, fitting);
  return tail === '' ? line : `${line}${gap}${keepStart(tail, Math.max(1, room(fitting)))}`;
}

function join(head: string, extras: readonly string[]): string {
  return indent + [head, ...extras].join(gap);
}

function partsOf(step: LiveStep, nowMs: number): LineParts | undefined {
  switch (step.step) {
    case 'agent':
      return { head: `agent ${elapsed(step.since, nowMs)}`, extras: usedBy(step), tail: activityText(step) };
    case 'check':
      return {
        head: `check ${step.index} of ${step.count}`,
        extras: [elapsed(step.since, nowMs)],
        tail: oneLine(step.command, Number.POSITIVE_INFINITY),
      };
    case 'agent_started':
      return { head: `agent ${elapsed(step.since, nowMs)}`, extras: [], tail: '' };
    case 'gate':
      return { head: `checks ${elapsed(step.since, nowMs)}`, extras: [], tail: '' };
    case 'hooks':
      return { head: `hooks ${elapsed(step.since, nowMs)}`, extras: [], tail: '' };
    case 'wait': {
      const leftMs = Date.parse(step.until) - nowMs;
      if (leftMs <= 0) return undefined;
      return {
        head: `waiting ${roughDuration(leftMs)}`,
        extras: [],
        tail: oneLine(step.message, Number.POSITIVE_INFINITY),
      };
    }
  }
}

/** What an agent did last: a tool with what it is used on, or the last line of its message. */
export function activityText({ recent }: Pick<AgentStep, 'recent'>): string {
  const last = recent.at(-1);
  if (last === undefined) return '';
  const line = last.text.split('\n').findLast((each) => each.trim() !== '') ?? '';
  const text = oneLine(last.kind === 'text' ? line : last.text, Number.POSITIVE_INFINITY);
  return last.kind === 'retry' ? `retrying: ${text}` : text;
}

const tokenLimit = limits.find(({ setting }) => setting === 'maxTokens');

/** Tokens, cost and tool calls so far, as far as the agent reports them. */
export function usedBy({ usage }: AgentStep): readonly string[] {
  const tokens = tokenLimit && usedOf(tokenLimit, usage);
  const calls = usage?.toolCalls ?? 0;
  return [
    ...(tokens === undefined ? [] : [`${shortCount(tokens)} tokens`]),
    ...(usage?.costUsd === undefined ? [] : [`$${usage.costUsd.toFixed(2)}`]),
    ...(calls === 0 ? [] : [`${calls} tool ${calls === 1 ? 'call' : 'calls'}`]),
  ];
}

/** A number of tokens in at most five columns. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return count < 9_950 ? `${(count / 1_000).toFixed(1)}k` : `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

function elapsed(since: string, nowMs: number): string {
  return wholeSeconds(nowMs - Date.parse(since));
}

/** A time that passes, in whole seconds: `5s`, `1m 5s`, `2h 3m`. */
export function wholeSeconds(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000)) || 0;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}
