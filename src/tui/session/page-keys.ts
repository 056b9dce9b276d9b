import { pageRoom } from '../screens/page-screen.ts';
import type { Desk } from './desk.ts';
import { isCharacter } from './guide-input.ts';
import type { LoopFeed } from './loop-feed.ts';

/** Opens a page about a loop: one iteration, what it changed, or why the loop is in its state. */
export function openPage(desk: Desk, { loopId, model }: LoopFeed, key: 'enter' | 'd' | 'e'): void {
  const { ui, terminal, setting } = desk;
  const { columns } = terminal.size;
  const number = ui.chosenIteration;
  const name = number === undefined ? `iteration ${model.view.iteration}` : `iteration ${number}`;
  const { pages } = setting;
  const [title, reading] = {
    enter: () => [name, pages.inspect(loopId, number, columns)] as const,
    d: () => [`${name}, what it changed`, pages.diff(loopId, number, columns)] as const,
    e: () => ['why', pages.explain(loopId, columns)] as const,
  }[key]();
  ui.back = 'loop';
  const page = { title: `${model.view.id}: ${title}`, top: 0 };
  ui.page = page;
  desk.show('page');
  void reading.then(
    (lines) => {
      if (ui.page === page) ui.page = { ...page, lines };
      desk.changed();
    },
    (error: unknown) => {
      if (ui.page === page) ui.page = { ...page, lines: [messageOf(error)] };
      desk.changed();
    },
  );
}

/** Opens what the agent said and did in the chosen iteration in the person's pager, to search and copy. */
export function openWords(desk: Desk, { loopId }: LoopFeed): void {
  const { ui, terminal, setting } = desk;
  lendToPager(desk, setting.pages.words(loopId, ui.chosenIteration, terminal.size.columns));
}

function lendToPager(desk: Desk, reading: Promise<readonly string[]>): void {
  const { ui, terminal, setting } = desk;
  const say = (notice: string | undefined) => {
    ui.notice = notice;
    desk.changed();
  };
  ui.notice = 'Reading …';
  reading.then(
    (lines) => terminal.lend(async () => say(await (await import('./pager.ts')).pageLines(lines, setting))),
    (error: unknown) => say(messageOf(error)),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a key does on a page. */
export function inPage(desk: Desk, key: string): void {
  const { ui, terminal } = desk;
  const { page } = ui;
  if (page === undefined) return desk.show(ui.back);
  if (page.isSearching === true) return search(desk, key);
  const room = pageRoom(terminal.size);
  const lines = page.lines ?? [];
  const last = Math.max(0, lines.length - room);
  const moves: Readonly<Record<string, number>> = {
    up: page.top - 1,
    k: page.top - 1,
    down: page.top + 1,
    j: page.top + 1,
    pgup: page.top - room,
    pgdn: page.top + room,
    ' ': page.top + room,
    home: 0,
    end: last,
  };
  const move = moves[key];
  if (move !== undefined) ui.page = { ...page, top: Math.max(0, Math.min(last, move)) };
  else if (key === 'o' && page.lines !== undefined) lendToPager(desk, Promise.resolve(page.lines));
  else if (key === '/') ui.page = { ...page, isSearching: true, search: '' };
  else if (key === 'n') findNext(desk, page.top + 1);
  else if (key === 'esc' || key === 'enter') desk.show(ui.back);
  else if (key === 'q') desk.leave({ kind: 'left' });
}

function search(desk: Desk, key: string): void {
  const { ui } = desk;
  const { page } = ui;
  if (page === undefined) return;
  if (key === 'enter' || key === 'esc') {
    ui.page = { ...page, isSearching: false, ...(key === 'esc' ? { search: undefined } : {}) };
    if (key === 'enter') findNext(desk, page.top);
    return;
  }
  const text = page.search ?? '';
  if (key === 'backspace') ui.page = { ...page, search: text.slice(0, -1) };
  else if (isCharacter(key)) ui.page = { ...page, search: text + key };
}

/** Scrolls to the next line that contains what is searched for, from the top again after the last one. */
function findNext({ ui, terminal }: Desk, from: number): void {
  const { page } = ui;
  const wanted = page?.search?.toLowerCase() ?? '';
  if (page?.lines === undefined || wanted === '') return;
  const matches = page.lines.flatMap((text, index) => (text.toLowerCase().includes(wanted) ? [index] : []));
  const next = matches.find((index) => index >= from) ?? matches[0];
  const last = Math.max(0, page.lines.length - pageRoom(terminal.size));
  if (next !== undefined) ui.page = { ...page, top: Math.min(next, last) };
}
