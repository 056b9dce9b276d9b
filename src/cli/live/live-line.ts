import { columnsOf, keepStart, roughDuration, shortCount, wholeSeconds } from '../../base/index.ts';
import { type AgentStep, limits, usedOf } from '../../protocol/index.ts';
import { oneLine } from '../output/plain.ts';
import { patienceText, questionText } from '../words/decisions.ts';
import type { LiveStep } from './live-step.ts';

/** The time and width to render the line for. */
export interface LineView {
  readonly nowMs: number;
  readonly columns: number;
}

/** The parts of a line: a required head, extras that are dropped if there is no room, and a tail that fills the rest. */
interface LineParts {
  readonly head: string;
  readonly extras: readonly string[];
  readonly tail: string;
}

/** A narrower tail says too little, so an extra is dropped instead. */
const minTailColumns = 20;
const indent = '  ';
const gap = '  ';

/** What the loop is doing, on one line that fits the terminal; undefined if there is nothing to show. */
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
    case 'ask':
      return { head: patienceText(step.approveAt, nowMs), extras: [questionText(step)], tail: '' };
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

/** What the agent did last: a tool and its target, or the last line of its message. */
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

function elapsed(since: string, nowMs: number): string {
  return wholeSeconds(nowMs - Date.parse(since));
}
