import type { AgentActivity } from '../../protocol/index.ts';
import type { LoopModel, LoopState } from '../../views/index.ts';
import { clip, faint, type Line, line, type Span, span, strong, wrap } from '../text.ts';
import type { ExplainedLoop, Suggestion } from '../words.ts';
import { age } from './times.ts';

/** The lower part of the screen: its title, a remark, and all of its lines. */
export interface Pane {
  readonly title: string;
  readonly remark: string;
  readonly lines: readonly Line[];
  /** The newest lines are at the end, and those are shown. */
  readonly follows: boolean;
}

/** What a pane is about, and how wide it is. */
export interface PaneView {
  readonly model: LoopModel;
  readonly state: LoopState;
  readonly explained: ExplainedLoop;
  readonly columns: number;
  readonly nowMs: number;
  /** Whether lines are needed that have scrolled away. */
  readonly isWhole?: boolean;
}

/** What the agent is doing, how the checks go, or why the loop rests and what to do. */
export function paneOf(view: PaneView): Pane {
  const { model, state } = view;
  if (state === 'verifying')
    return { title: 'CHECKS', remark: lastTime(model), lines: checkLines(view), follows: false };
  if (state === 'running' || state === 'starting') {
    return { title: 'NOW', remark: usedText(model), lines: activityLines(view), follows: true };
  }
  if (state === 'frozen') {
    return { title: 'WHY', remark: '', lines: frozenLines(model, view.columns), follows: false };
  }
  const title = titles[state] ?? 'WHY';
  return { title, remark: '', lines: explanationLines(view), follows: false };
}

const titles: Readonly<Partial<Record<LoopState, string>>> = {
  proven: 'WHAT YOU GOT',
  green: 'WHAT YOU GOT',
  claimed: 'WHAT YOU GOT',
  stopped: 'NEXT',
  aborted: 'NEXT',
};

/** The model and what this run has used. */
function usedText({ live: { pulse } }: LoopModel): string {
  if (pulse?.step !== 'agent') return '';
  const { usage } = pulse;
  const calls = usage?.toolCalls ?? 0;
  const parts = [
    ...(calls === 0 ? [] : [`${calls} tool ${calls === 1 ? 'call' : 'calls'}`]),
    ...(usage?.costUsd === undefined ? [] : [`$${usage.costUsd.toFixed(2)}`]),
  ];
  return parts.join(', ');
}

function lastTime({ loop: { verification } }: LoopModel): string {
  const latest = verification.latest;
  return latest === undefined ? '' : `took ${age(latest.result.durationMs)} after iteration ${latest.iteration}`;
}

const maxMessageLines = 6;

/** The agent's words and tool calls, oldest first; each line begins with a mark, so that none can look like ours. */
/** More than any screen has rows: while the newest are followed, older ones need no layout. */
const newest = 100;

function activityLines({ model: { live }, columns, isWhole = false }: PaneView): readonly Line[] {
  return (isWhole ? live.activities : live.activities.slice(-newest)).flatMap((activity) =>
    entryLines(activity, columns),
  );
}

function entryLines({ kind, text }: AgentActivity, columns: number): readonly Line[] {
  if (kind === 'retry') return [clip(line(' ', span('!', 'bad'), ` retries: ${text}`), columns)];
  if (kind === 'tool') {
    const [name = '', ...rest] = text.split(' ');
    return [clip(line(' ', faint('→'), ` ${name}  ${rest.join(' ')}`), columns)];
  }
  const all = text
    .split('\n')
    .filter((each) => each.trim() !== '')
    .flatMap((each) => wrap(each, columns - 4));
  const shown = all.slice(0, maxMessageLines).map((each) => line(' ', faint('│'), ` ${each}`));
  const more = all.length - maxMessageLines;
  return more <= 0 ? shown : [...shown, line(' ', faint('│'), faint(` … ${more} more lines; enter shows them`))];
}

function checkLines({ model: { live, loop }, columns, nowMs }: PaneView): readonly Line[] {
  const rows = live.checks.map(({ command, verdict, since }) => {
    const result = verdict === undefined ? `running, ${age(nowMs - Date.parse(since))}` : verdict.replaceAll('_', ' ');
    return clip(line(' ', checkSign(verdict), ` ${command}`, '   ', strong(result)), columns);
  });
  const rest = Math.max(0, live.count - live.checks.length);
  const failing = loop.verification.latest?.result.tests?.failing ?? [];
  return [
    ...rows,
    ...(rest === 0 ? [] : [line(faint(`   ${rest} more ${rest === 1 ? 'check' : 'checks'} to run`))]),
    ...(failing.length === 0 ? [] : [line(faint('   failing when they last ran:'))]),
    ...failing.slice(0, 20).map((name) => clip(line('   ', span('✗', 'bad'), ` ${name}`), columns)),
  ];
}

function checkSign(verdict: string | undefined): Span {
  if (verdict === undefined) return span('◆');
  return verdict === 'passed' ? span('✓', 'proof') : span('✗', 'bad');
}

/** What to look at, why, what to do next, and what was seen. */
function explanationLines({ model, explained, columns, state }: PaneView): readonly Line[] {
  const { because, evidence, doubts, next } = explained;
  const isDone = state === 'proven' || state === 'green' || state === 'claimed';
  const causes = state === 'waiting' ? because.slice(0, 1) : because;
  return [
    ...(isDone ? quoted(model, columns) : []),
    ...doubts.flatMap(({ message }) => labelled(line(span('▲', 'you'), ' look at '), message, columns)),
    ...causes.flatMap((text) => labelled(line('  because '), text, columns)),
    ...(isDone ? labelled(line('  got     '), filesText(model), columns) : []),
    ...next.slice(0, 1).flatMap((each) => nextLines(each, columns)),
    ...(state === 'waiting' ? [] : evidence.slice(0, 6)).flatMap((text) => labelled(line('  seen    '), text, columns)),
    ...next.slice(1, 3).flatMap((each) => nextLines(each, columns)),
  ];
}

function filesText({ loop: { totals, verification } }: LoopModel): string {
  const files = verification.latest?.result.changedFiles ?? totals.changed.files.length + totals.changed.unlisted;
  return `${files} ${files === 1 ? 'file' : 'files'} changed in all`;
}

function nextLines({ command, does }: Suggestion, columns: number): readonly Line[] {
  const why = wrap(does, columns - 14).map((text) => line(faint(`             ${text}`)));
  return [line('   next    ', strong(command)), ...why];
}

function frozenLines({ owner }: LoopModel, columns: number): readonly Line[] {
  const why = 'it got a signal that stops a process, as Ctrl-Z sends, and still owns the loop; its agent may go on';
  const command = `kill -CONT ${owner.pid ?? ''}`.trim();
  return [
    ...labelled(line('  because '), why, columns),
    ...nextLines({ command, does: 'let it continue; in its own terminal, fg does the same' }, columns),
  ];
}

/** The beginning of the agent's last answer. */
function quoted(model: LoopModel, columns: number): readonly Line[] {
  const said = lastWords(model);
  if (said === undefined) return [];
  return wrap(said, columns - 4)
    .slice(0, 2)
    .map((each) => line(' ', faint('│'), ` ${each}`));
}

function lastWords({ history: { fold } }: LoopModel): string | undefined {
  return fold.open?.attempts
    .at(-1)
    ?.run?.summary?.split('\n')
    .find((each) => each.trim() !== '');
}

function labelled(head: Line, text: string, columns: number): readonly Line[] {
  const [first = '', ...rest] = wrap(text, columns - 12);
  return [line(' ', head, first), ...rest.slice(0, 2).map((each) => line(`           ${each}`))];
}
