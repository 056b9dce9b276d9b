import { clip, faint, type Line, line, lineWidth, type Size, span, spread, strong } from '../text.ts';
import { keyRow } from './keys.ts';

const watch: readonly (readonly [string, string])[] = [
  ['↑ ↓ j k', 'choose an iteration'],
  ['enter', 'open it: prompt, words, checks'],
  ['d', 'what it changed'],
  ['e', 'explain: why, and what next'],
  ['o', 'what it said, in your $PAGER'],
  ['pgup pgdn', 'scroll the lower part'],
  ['f', 'follow the newest line again'],
  ['l  1-9', 'all loops, or one by number'],
  ['n', 'the next loop that needs you'],
];

const act: readonly (readonly [string, string])[] = [
  ['g', 'give the agent guidance'],
  ['p', 'pause after this iteration'],
  ['w', 'end a wait and retry now'],
  ['r', 'resume in this terminal'],
  ['x', 'more: skip, reboot, pause now,'],
  ['', 'continue, stop, abort'],
  ['ctrl-z', 'suspend; fg comes back'],
  ['q', 'leave this screen'],
];

/** What the keys do and what the signs mean. */
export function helpScreen({ columns, rows }: Size, isOwn: boolean): readonly Line[] {
  const title = spread(line(span(' ? HELP ', 'rest')), line(faint('esc closes'), ' '), columns);
  const keys = keyRow([['esc', 'back']], columns, [['q', isOwn ? 'lines' : 'leave']]);
  const body = columns < 60 || rows < 18 ? tiny.map((entry) => keyLine(entry, 10)) : fullHelp(columns, isOwn);
  const room = Math.max(0, rows - 2);
  const filling = Array.from({ length: Math.max(0, room - body.length) }, () => line());
  return [title, ...body.slice(0, room), ...filling, keys].slice(0, rows).map((each) => clip(each, columns));
}

function fullHelp(columns: number, isOwn: boolean): readonly Line[] {
  const half = Math.max(42, Math.floor(columns / 2));
  const pairs = watch.map((entry, index) => {
    const left = keyLine(entry, 10);
    const right = act[index];
    return line(left, ' '.repeat(Math.max(1, half - lineWidth(left))), right === undefined ? '' : keyLine(right, 7));
  });
  return [
    line(),
    line(strong(' WATCH'), ' '.repeat(half - 6), strong(' ACT')),
    ...pairs,
    line(),
    line(strong(' LOOPS   '), '● runs  ◆ checks run  ○ waits  ‖ paused  ', span('▲', 'you'), ' needs you'),
    line(
      '         ',
      span('✓', 'proof'),
      ' proven  ◇ claimed or green before  ',
      span('✗', 'bad'),
      ' stopped  ■ aborted',
    ),
    line(
      strong(' SO FAR  '),
      '↑ progress  · none  ',
      span('✗', 'bad'),
      ' refused and no better  ',
      span('!', 'bad'),
      ' failed  » skipped',
    ),
    line(strong(' NUMBERS '), '≥ at least: some runs did not report it   ~ estimate   ? unknown'),
    line(strong(' WORDS   '), '│ the agent says so, which proves nothing   → it used a tool'),
    line(),
    line(' Green: ralphd proved it. Yellow: it needs you.'),
    line(
      isOwn
        ? ' q shows plain lines instead; the loop goes on. Ctrl-C pauses it.'
        : ' q and Ctrl-C leave this screen. The loop goes on.',
    ),
  ];
}

/** As many rows as a small terminal has. */
const tiny: readonly (readonly [string, string])[] = [
  ['p', 'pause after this iteration'],
  ['g', 'give the agent guidance'],
  ['w r', 'end a wait; resume here'],
  ['x', 'skip, reboot, stop, abort'],
  ['↑ ↓', 'choose an iteration'],
  ['enter d e', 'open it; diff; explain'],
  ['pgup f', 'scroll; follow again'],
  ['l n 1-9', 'loops; next that needs you'],
  ['o', 'open in your $PAGER'],
  ['q', 'leave; the loop goes on'],
];

function keyLine([key, does]: readonly [string, string], width: number): Line {
  return line(' ', strong(key.padEnd(width)), does);
}
