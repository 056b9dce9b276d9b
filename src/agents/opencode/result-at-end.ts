import type { AgentOutcome } from '../../protocol/index.ts';
import type { RunResult } from '../_shared/account.ts';
import type { AgentEvent } from '../_shared/event.ts';
import { known } from '../_shared/json.ts';
import type { FinishedRun } from '../_shared/reader.ts';
import { readOpenCodeStderr } from './stderr.ts';

/** The last event of a stream. */
export type LastEvent =
  | { readonly type: 'nothing' }
  | { readonly type: 'step' }
  | { readonly type: 'finish'; readonly reason: string }
  | { readonly type: 'error' };

/** A finished run, and the last tool that it was not allowed to use. */
export interface EndedRun extends FinishedRun {
  readonly denied: string | undefined;
  /** When the last event arrived. */
  readonly lastAt: Date | undefined;
  /** What it printed instead of events. */
  readonly answer: RunResult | undefined;
}

const ofReason: ReadonlyMap<string, AgentOutcome> = new Map(
  Object.entries<AgentOutcome>({
    stop: 'completed',
    length: 'output_limit',
    'content-filter': 'refused',
  }),
);

/** What the last event means now that nothing follows it. */
export function resultAtEnd(last: LastEvent, run: EndedRun): readonly AgentEvent[] {
  if (last.type === 'error') return [];
  const outcome = last.type === 'finish' ? ofReason.get(last.reason) : undefined;
  if (outcome !== undefined) return [{ type: 'result', outcome }];
  const error = readOpenCodeStderr(run.stderr, run.lastAt);
  if (error === undefined) return resultOf(brokenOff(last, run));
  const { resetAt, ...reported } = error;
  return [
    ...(resetAt === undefined ? [] : [{ type: 'limit', rejected: true, resetAt } as const]),
    ...resultOf(reported),
  ];
}

function brokenOff(last: LastEvent, { ending, denied, answer }: EndedRun): RunResult | undefined {
  if (last.type === 'nothing') return answer;
  if (last.type === 'step' || ending.kind !== 'exited') return { outcome: 'interrupted' };
  const message = denied === undefined ? undefined : `It stopped because it may not use the tool ${denied}.`;
  return { outcome: 'unknown', ...known({ message }) };
}

function resultOf(reported: RunResult | undefined): readonly AgentEvent[] {
  return reported === undefined ? [] : [{ type: 'result', ...reported }];
}
