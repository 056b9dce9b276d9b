import type { LoopStatus } from '../../app/index.ts';
import { loopNameOf, wholeSeconds } from '../../base/index.ts';
import type { StoredView } from '../../protocol/index.ts';
import { type LoopState, type StateLook, stateLooks, stateOf } from '../../views/index.ts';
import {
  cell,
  clip,
  faint,
  type Line,
  line,
  lineWidth,
  pad,
  rule,
  type Size,
  span,
  spread,
  strong,
  wrapLine,
} from '../text.ts';
import type { ScreenWords } from '../words.ts';
import { keyRow } from './keys.ts';
import { left } from './times.ts';

/** A loop in the list. */
export interface ListedLoop {
  readonly status: LoopStatus;
  readonly state: LoopState;
}

/** What the list is drawn from. */
export interface LoopsView {
  readonly loops: readonly ListedLoop[];
  /** Loops that cannot be read, and why. */
  readonly unreadable: readonly { readonly loopId: string; readonly why: string }[];
  /** The id of the chosen loop. */
  readonly chosen?: string | undefined;
  readonly folder: string;
  readonly notice?: string | undefined;
}

/** How the list is drawn. */
export interface LoopsDrawing {
  readonly size: Size;
  readonly words: ScreenWords;
  readonly nowMs: number;
}

const groups: readonly StateLook['group'][] = ['needs you', 'running', 'waiting', 'finished'];

/** Loops in the order of the list: what needs a person first, and the newest first among equals. */
export function inOrder(statuses: readonly LoopStatus[], nowMs: number): readonly ListedLoop[] {
  const rank = ({ state }: ListedLoop) => groups.indexOf(stateLooks[state].group);
  const startOf = ({ status }: ListedLoop) => Date.parse(status.view.startedAt ?? '') || 0;
  return statuses
    .map((status) => ({ status, state: stateOf(status, nowMs) }))
    .toSorted((one, other) => rank(one) - rank(other) || startOf(other) - startOf(one));
}

/** All loops of a project: exactly as many lines as there are rows. */
export function loopsScreen(view: LoopsView, drawing: LoopsDrawing): readonly Line[] {
  const { size, words, nowMs } = drawing;
  const { columns, rows } = size;
  const isTiny = columns < 60 || rows < 18;
  const clock = line(strong(words.instant(nowMs, nowMs)), ' ');
  const top = [
    spread(line(countBadge(view.loops), ' ', isTiny ? '' : countText(view)), clock, columns),
    ...summary(view, columns).map((each) => line(isTiny ? '' : ' ', each)),
    ...(isTiny ? [] : [rule(columns)]),
  ];
  const keys = keyRow(
    [
      ['enter', 'open'],
      ['↑↓', 'choose'],
      ['n', 'next that needs you'],
    ],
    columns,
  );
  const notice = view.notice === undefined ? [] : [line(' ', strong(view.notice))];
  const preview = isTiny ? [] : previewOf(view, drawing);
  const bottom = [...preview, ...notice, keys];
  const room = Math.max(0, rows - top.length - bottom.length);
  const list = scrolled(view, listRows(view, drawing, isTiny), room);
  const filling = Array.from({ length: Math.max(0, room - list.length) }, () => line());
  return [...top, ...list, ...filling, ...bottom].slice(0, rows).map((each) => clip(each, columns));
}

function countBadge(loops: readonly ListedLoop[]): Line {
  const need = loops.filter(({ state }) => stateLooks[state].group === 'needs you').length;
  if (need > 0) return line(span(` ▲ ${need} ${need === 1 ? 'NEEDS' : 'NEED'} YOU `, 'you'));
  const runs = loops.some(({ state }) => stateLooks[state].group === 'running');
  return line(span(runs ? ' ● RUNNING ' : ' ○ LOOPS ', runs ? 'move' : 'rest'));
}

function countText({ loops, folder }: LoopsView): string {
  return `${loops.length} ${loops.length === 1 ? 'loop' : 'loops'} in ${folder}`;
}

function summary({ loops }: LoopsView, columns: number): readonly Line[] {
  if (loops.length === 0) {
    return wrapLine(line('No loops here yet. Start one: ', strong('ralphd run "TASK" --verify CMD')), columns - 1);
  }
  const count = (group: StateLook['group']) => loops.filter(({ state }) => stateLooks[state].group === group).length;
  const need = count('needs you');
  const parts = [
    ...(count('running') === 0 ? [] : [`${count('running')} running`]),
    ...(count('waiting') === 0 ? [] : [`${count('waiting')} waiting or paused`]),
    ...(count('finished') === 0 ? [] : [`${count('finished')} finished`]),
  ];
  const rest = parts.length === 0 ? '' : `${capital(parts.join(', '))}.`;
  const first = need === 0 ? 'Nothing needs you.' : `${need} ${need === 1 ? 'loop needs' : 'loops need'} you.`;
  const all = line(strong(first), ` ${rest}`);
  // Where both do not fit, the badge says the first already.
  return [lineWidth(all) < columns || rest === '' ? all : line(rest), spentLine(loops, columns)];
}

/** The money of all loops; what was not reported is unknown, never 0. */
function spentLine(loops: readonly ListedLoop[], columns: number): Line {
  const total = loops.reduce((sum, { status }) => sum + status.view.spent.costUsd, 0);
  const silent = loops.filter(({ status: { view } }) => view.spent.unreportedCost > 0).length;
  const amount = `spent ${silent === 0 ? '' : '≥'}$${total.toFixed(2)} in all`;
  const note = silent === 0 ? '' : `; ${silent} ${silent === 1 ? 'loop' : 'loops'} did not report all of it`;
  return line(amount.length + note.length < columns ? `${amount}${note}` : amount);
}

interface Row {
  readonly line: Line;
  readonly loopId?: string;
}

function listRows(view: LoopsView, drawing: LoopsDrawing, isTiny: boolean): readonly Row[] {
  const { columns } = drawing.size;
  const rows = groups.flatMap((group, index) => {
    const members = view.loops.filter(({ state }) => stateLooks[state].group === group);
    const heading: readonly Row[] =
      isTiny || members.length === 0
        ? []
        : [
            ...(index === 0 || rowsBefore(view.loops, index) === 0 ? [] : [{ line: line() }]),
            { line: line(' ', faint(group)) },
          ];
    return [...heading, ...members.map((listed) => rowOf(listed, view, drawing))];
  });
  const broken = view.unreadable.map(({ loopId, why }) => ({
    line: clip(line(' ', span('!', 'bad'), ` ${loopId}  ${why}`), columns),
  }));
  return [...rows, ...broken];
}

function rowsBefore(loops: readonly ListedLoop[], index: number): number {
  return loops.filter(({ state }) => groups.indexOf(stateLooks[state].group) < index).length;
}

function rowOf({ status, state }: ListedLoop, view: LoopsView, drawing: LoopsDrawing): Row {
  const { columns } = drawing.size;
  const number = view.loops.findIndex(({ status: { view: each } }) => each.id === status.view.id) + 1;
  const names = view.loops.map((each) => loopNameOf(each.status.view.id).length);
  const nameWidth = Math.min(columns < 60 ? 15 : 30, Math.max(8, ...names));
  const cells = line(
    columns < 60 ? '' : ' ',
    cell(number <= 9 ? String(number) : '', 1),
    ' ',
    signSpan(state),
    ' ',
    cell(loopNameOf(status.view.id), nameWidth),
    columns < 60 ? '' : figures(status.view, columns),
    ' ',
    aboutText({ status, state }, drawing),
  );
  const isChosen = status.view.id === view.chosen;
  const shown = clip(cells, columns);
  const all = isChosen
    ? pad(
        shown.map(({ text }) => ({ text, tone: 'rest' as const })),
        columns,
        'rest',
      )
    : shown;
  return { line: all, loopId: status.view.id };
}

function signSpan(state: LoopState) {
  const { sign, tone } = stateLooks[state];
  if (tone === 'stop') return span(sign, 'bad');
  return span(sign, tone === 'proof' || tone === 'you' ? tone : 'plain');
}

/** How many iterations, what they cost and, where there is room, the tests. */
function figures({ stats, maxIterations, spent, tests }: StoredView, columns: number): Line {
  const count = `${stats.iterations}/${maxIterations === 0 ? '∞' : maxIterations}`;
  const isUnknown = spent.runs > 0 && spent.unreportedCost === spent.runs;
  const cost = isUnknown ? '?' : `${spent.unreportedCost > 0 ? '≥' : ''}$${spent.costUsd.toFixed(2)}`;
  const tested =
    tests === undefined
      ? 'no tests'
      : tests.failed === 0
        ? `${tests.passed} of ${tests.total} pass`
        : `${tests.failed} of ${tests.total} fail`;
  return line(cell(count, 7, 'right'), cell(cost, 9, 'right'), columns < 100 ? ' ' : line('  ', cell(tested, 16)));
}

/** What matters about a loop, in a few words. */
function aboutText({ status, state }: ListedLoop, { words, nowMs }: LoopsDrawing): string {
  const { view } = status;
  const at = (instant: string | undefined) =>
    instant === undefined ? '' : ` ${words.instant(Date.parse(instant), nowMs)}`;
  switch (state) {
    case 'starting':
    case 'running': {
      const since = view.current?.startedAt;
      return since === undefined
        ? 'between two iterations'
        : `iteration ${view.iteration}, ${wholeSeconds(nowMs - Date.parse(since))}`;
    }
    case 'verifying':
      return 'ralphd runs the checks';
    case 'hosted':
      return 'works in an interactive session';
    case 'waiting':
      return `continues at${at(view.wait?.until)}, in ${left(Date.parse(view.wait?.until ?? '') - nowMs)}`;
    case 'parked':
      return 'due, and no process runs it';
    case 'asking':
      return 'waits for your decision';
    case 'paused':
    case 'needs':
      return `paused${at(view.lastActivityAt)}: ${view.reason === undefined ? '' : words.reason(view.reason)}`;
    case 'crashed':
      return `its process died${at(view.lastActivityAt)}; nothing was lost`;
    case 'frozen':
      return `process ${status.owner?.pid ?? ''} is stopped`;
    case 'proven':
      return `proven${at(view.endedAt)}, proof: ${view.proof}`;
    case 'green':
      return `done${at(view.endedAt)}, but the checks passed before`;
    case 'claimed':
      return `done${at(view.endedAt)}, claimed only: no proof`;
    case 'stopped':
      return `stopped${at(view.endedAt)}: ${view.reason ?? ''}`;
    case 'aborted':
      return `aborted${at(view.endedAt)}`;
  }
}

/** The rows that fit, so that the chosen one is among them. */
function scrolled({ chosen }: LoopsView, rows: readonly Row[], room: number): readonly Line[] {
  if (rows.length <= room) return rows.map((row) => row.line);
  const at = Math.max(
    0,
    rows.findIndex(({ loopId }) => loopId !== undefined && loopId === chosen),
  );
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), rows.length - room));
  const shown = rows.slice(first, first + room).map((row) => row.line);
  const below = rows.length - first - room;
  return below === 0 || room < 2 ? shown : [...shown.slice(0, -1), line(faint(`   ${below + 1} more below`))];
}

/** What the chosen loop is about. */
function previewOf({ loops, chosen }: LoopsView, drawing: LoopsDrawing): readonly Line[] {
  const { columns } = drawing.size;
  const found = loops.find(({ status }) => status.view.id === chosen);
  if (found === undefined) return [];
  const { view, continuedBy } = found.status;
  const what = capital(aboutText(found, drawing));
  const command = commandFor(found);
  const lines = [
    ...wrapLine(line(`${what}.`), columns - 2).slice(0, 1),
    ...(command === undefined ? [] : wrapLine(line(strong('Do this: '), strong(command)), columns - 2)),
    ...wrapLine(line(faint('task '), view.task), columns - 2).slice(0, 2),
    ...(continuedBy === undefined ? [] : [line(`continued by ${continuedBy}`)]),
  ];
  return [rule(columns, view.id, stateLooks[found.state].word.toLowerCase()), ...lines.map((each) => line(' ', each))];
}

/** What lets a loop that needs a person continue. */
function commandFor({ status: { view, owner }, state }: ListedLoop): string | undefined {
  switch (state) {
    case 'needs':
    case 'crashed':
      return `ralphd resume ${view.id}`;
    case 'frozen':
      return `kill -CONT ${owner?.pid ?? ''}`.trim();
    case 'asking':
      return `ralphd continue ${view.id}`;
    default:
      return undefined;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
