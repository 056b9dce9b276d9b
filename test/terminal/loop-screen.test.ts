import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoopStatus } from '../../src/app/index.ts';
import { screenWords } from '../../src/cli/screen/words.ts';
import type { AgentActivity } from '../../src/protocol/index.ts';
import { type Line, lineText, lineWidth, loopScreen, paint, type Size } from '../../src/tui/index.ts';
import { helpScreen } from '../../src/tui/screens/help-screen.ts';
import { inOrder, loopsScreen } from '../../src/tui/screens/loops-screen.ts';
import { confirmOverlay, guideOverlay, menuOverlay } from '../../src/tui/screens/overlays.ts';
import { orderEntries } from '../../src/tui/session/menu.ts';
import { renderScreen } from '../support/emulator.ts';
import { type Moment, moments, saying } from './screen-stories.ts';

const sizes: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
  { columns: 120, rows: 36 },
];
/** Independent of the time zone of this machine. */
const words = { ...screenWords, instant: (ms: number) => new Date(ms).toISOString().slice(11, 16) };
const coloured = { hasColour: true, isAscii: false };

function screenOf({ model, nowMs }: Moment, size: Size): readonly Line[] {
  return loopScreen(model, { place: '3/9' }, { size, words, nowMs });
}

/** Compares with the stored screens; `UPDATE_SCREENS=1` stores them. */
function expectStored(name: string, text: string): void {
  const file = path.join(import.meta.dirname, 'screens', 'loop', `${name}.txt`);
  if (process.env['UPDATE_SCREENS'] === '1') {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
}

test.for(sizes)('every state of a loop reads well at $columns x $rows, with and without colour', (size) => {
  const name = `${size.columns}x${size.rows}`;
  const screens = Object.entries(moments).map(([state, make]) => [state, screenOf(make(), size)] as const);
  for (const [state, lines] of screens) {
    expect(lines, state).toHaveLength(size.rows);
    expect(Math.max(...lines.map(lineWidth)), state).toBeLessThanOrEqual(size.columns);
  }
  const plain = screens.map(
    ([state, lines]) => `== ${state}\n${lines.map((each) => lineText(each).trimEnd()).join('\n')}\n`,
  );
  expectStored(name, plain.join('\n'));
  const painted = screens.map(
    ([state, lines]) =>
      `== ${state}\n${lines.map((each) => paint(each, coloured).replaceAll('\u001b', '␛')).join('\n')}\n`,
  );
  expectStored(`${name}-colour`, painted.join('\n'));
});

/** Loops in every state, as the list reads them. */
function listedLoops(): { readonly loops: readonly LoopStatus[]; readonly nowMs: number } {
  const names = [
    'needs',
    'crashed',
    'frozen',
    'running',
    'verifying',
    'waiting',
    'paused',
    'proven',
    'claimed',
    'stopped',
  ];
  const made = names.map((name) => ({ name, ...(moments[name] as () => Moment)() }));
  const nowMs = Math.max(...made.map((each) => each.nowMs));
  const loops = made.map(({ name, model: { view, shownStatus, owner } }) => {
    const status = { view: { ...view, id: `ralph-${name}-a1b2c3d4` }, shownStatus, ownerState: owner.state };
    return { ...status, owner: { pid: owner.pid } } as unknown as LoopStatus;
  });
  return { loops, nowMs };
}

test.for(sizes)('the list, the help and the menu read well at $columns x $rows, with and without colour', (size) => {
  const { loops, nowMs } = listedLoops();
  const { model, nowMs: runningMs } = (moments['running'] as () => Moment)();
  const at = { size, words, nowMs: runningMs };
  const view = { unreadable: [{ loopId: 'ralph-broken-a1b2c3d4', why: 'Its state is damaged' }], folder: '~/work' };
  const listed = inOrder(loops, nowMs);
  const menu = menuOverlay(orderEntries(model), 'streaming-importer', size.columns);
  const screens = {
    list: loopsScreen({ ...view, loops: listed, chosen: 'ralph-crashed-a1b2c3d4' }, { size, words, nowMs }),
    'no loops': loopsScreen({ unreadable: [], folder: '~/work', loops: [] }, { size, words, nowMs }),
    help: helpScreen(size, false),
    menu: loopScreen(model, { overlay: menu }, at),
    confirm: loopScreen(model, { overlay: confirmOverlay('End it permanently?', size.columns) }, at),
    guide: loopScreen(model, { overlay: guideOverlay(draft, 'Part of every prompt.', size) }, at),
  };
  for (const [name, lines] of Object.entries(screens)) {
    expect(lines, name).toHaveLength(size.rows);
    expect(Math.max(...lines.map(lineWidth)), name).toBeLessThanOrEqual(size.columns);
  }
  const stored = (show: (each: Line) => string) =>
    Object.entries(screens)
      .map(([name, lines]) => `== ${name}\n${lines.map(show).join('\n')}\n`)
      .join('\n');
  const name = `around-${size.columns}x${size.rows}`;
  expectStored(
    name,
    stored((each) => lineText(each).trimEnd()),
  );
  expectStored(
    `${name}-colour`,
    stored((each) => paint(each, coloured).replaceAll('\u001b', '␛')),
  );
});

const draft = { text: 'Quoted fields may span chunks; see RFC 4180.\nDo not touch the tests: 日本語 🚀', cursor: 60 };

test('green is used for proof and for nothing else, and yellow only where a person is needed', () => {
  for (const [state, make] of Object.entries(moments)) {
    const [badge] = screenOf(make(), { columns: 80, rows: 24 });
    const tones = (badge ?? []).map(({ tone }) => tone);
    expect(tones.includes('proof'), state).toBe(state === 'proven');
    expect(tones.includes('you'), state).toBe(['needs', 'crashed', 'frozen', 'asking'].includes(state));
  }
});

test('no size is too small or too odd: the screen has its rows, and no row is wider', () => {
  const states = Object.values(moments).map((make) => make());
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 130 }),
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom(...states),
      (columns, rows, moment) => {
        const lines = screenOf(moment, { columns, rows });
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const each of lines) expect(lineWidth(each)).toBeLessThanOrEqual(columns);
      },
    ),
    { numRuns: 150 },
  );
});

const hostile = [
  '\u001b[2J\u001b[H\u001b]0;owned\u0007',
  '\u001bP+q544e\u001b\\',
  '\u009b31m',
  'a\rb\bc',
  '\u202egnp.exe',
  '\u200b\u2066x\u2069',
  `z${'\u0301'.repeat(200)}`,
  '日本語のテスト 🚀👨‍👩‍👧 ｆｕｌｌ',
  `${'x'.repeat(5_000)}\n`.repeat(3),
];

test('hostile text from an agent cannot draw, hide or reorder anything, or leave its rows', async () => {
  const size = { columns: 80, rows: 24 };
  const recent: readonly Partial<AgentActivity>[] = hostile.flatMap((text) => [
    { kind: 'text', text },
    { kind: 'tool', text: `Bash ${text}` },
    { kind: 'retry', text },
  ]);
  const lines = screenOf(saying(recent), { columns: 80, rows: 200 });
  const painted = lines.map((each) => paint(each, coloured)).join('\n');
  // Only the colours of the screen itself are left.
  const rest = painted.replaceAll(/\u001b\[[\d;]*m/gu, '');
  expect(rest).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u);
  expect(rest).not.toMatch(/\p{Mark}{4}/u);
  const drawn = screenOf(saying(recent), size).map((each) => paint(each, coloured));
  const shown = await renderScreen(drawn.join('\r\n'), size);
  expect(shown.length).toBeLessThanOrEqual(size.rows);
  const pane = shown.slice(shown.findIndex((each) => each.startsWith('── NOW')) + 1, -1);
  for (const row of pane) expect(row).toMatch(/^ [│→!] /u);
});

test('a locale without UTF-8 gets ASCII signs of the same width', () => {
  const lines = screenOf((moments['running'] as () => Moment)(), { columns: 80, rows: 24 });
  const ascii = lines.map((each) =>
    paint(each, { hasColour: false, isAscii: true }).replaceAll(/\u001b\[[\d;]*m/gu, ''),
  );
  for (const [index, text] of ascii.entries()) {
    expect(text).toMatch(/^[\x20-\x7e]*$/u);
    expect(text.length).toBe(lineText(lines[index] ?? []).length);
  }
});

test('one long message shows its first lines, and a thousand lines of output keep the newest in view', () => {
  const long = saying([{ kind: 'text', text: Array.from({ length: 40 }, (_, row) => `row ${row}`).join('\n') }]);
  expect(textOf(long)).toContain('… 34 more lines');
  const many = Array.from({ length: 1_000 }, (_, number) => ({
    number,
    kind: 'tool' as const,
    text: `Bash step ${number}`,
  }));
  const shown = textOf(saying(many));
  expect(shown).toContain('step 999');
  expect(shown).not.toContain('step 900 ');
});

function textOf(moment: Moment): string {
  return screenOf(moment, { columns: 80, rows: 24 }).map(lineText).join('\n');
}
