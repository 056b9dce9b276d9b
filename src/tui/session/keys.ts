import type { LoopOrder } from '../../core/index.ts';
import { rowsOf, stateLooks } from '../../views/index.ts';
import { inOrder } from '../screens/loops-screen.ts';
import { pageRoom } from '../screens/page-screen.ts';
import { paneOf } from '../screens/pane.ts';
import { sceneOf } from '../screens/scene.ts';
import type { Input } from '../terminal/input.ts';
import type { Desk } from './desk.ts';
import { editDraft, emptyDraft, insert } from './guide-input.ts';
import type { LoopFeed } from './loop-feed.ts';
import { orderEntries, sendFrom, takeBackPause } from './orders.ts';

/** What a key or a paste does on the screen. */
export function pressed(desk: Desk, input: Input): void {
  const { ui, setting } = desk;
  if (ui.mode === 'guide') return typed(desk, input);
  if (input.kind === 'paste') return;
  const { key } = input;
  if (key === 'ctrl-c')
    return setting.own === undefined ? desk.leave({ kind: 'interrupted' }) : setting.own.interrupt();
  if (key === 'ctrl-z') return desk.terminal.suspend();
  if (key === 'ctrl-l') return desk.terminal.redraw();
  if (ui.mode === 'confirm') return confirmed(desk, key);
  if (ui.mode === 'menu') return chosen(desk, key);
  if (ui.view === 'page') return inPage(desk, key);
  if (key === 'q') return desk.leave({ kind: 'left' });
  if (ui.view === 'help') return desk.show(ui.back);
  ui.notice = undefined;
  if (key === '?') {
    ui.back = ui.view;
    return desk.show('help');
  }
  if (/^[1-9]$/u.test(key)) return openNumber(desk, Number(key));
  if (key === 'n') return openNeedy(desk);
  return ui.view === 'loops' ? inList(desk, key) : inLoop(desk, key);
}

/** All letters are text; only `esc` and `ctrl-c` lead out. Nothing is sent by a paste. */
function typed(desk: Desk, input: Input): void {
  const { ui, feed } = desk;
  if (feed === undefined) return;
  const draft = ui.drafts.get(feed.loopId) ?? emptyDraft;
  if (input.kind === 'paste') {
    ui.drafts.set(feed.loopId, insert(draft, input.text));
    return;
  }
  const { key } = input;
  if (key === 'esc' || key === 'ctrl-c') {
    ui.mode = 'keys';
    if (draft.text !== '') ui.notice = 'Your draft is kept; g opens it again.';
    return;
  }
  if (key === 'ctrl-z') return desk.terminal.suspend();
  if (key === 'enter') {
    ui.mode = 'keys';
    if (draft.text.trim() === '') return;
    ui.notice = 'Sending …';
    void sendGuidance(desk, feed, draft.text.trim());
    return;
  }
  const edited = editDraft(draft, key) ?? (isCharacter(key) ? insert(draft, key) : undefined);
  if (edited !== undefined) ui.drafts.set(feed.loopId, edited);
}

async function sendGuidance(desk: Desk, { loopId }: LoopFeed, text: string): Promise<void> {
  const answer = await sendFrom(desk.setting, loopId, { command: 'guide', text });
  if (answer.startsWith('Saved')) desk.ui.drafts.delete(loopId);
  desk.ui.notice = answer;
  desk.changed();
}

/** Whether a key is a character and has no name: names are longer. */
function isCharacter(key: string): boolean {
  return key.length === 1 || (key.length === 2 && (key.codePointAt(0) ?? 0) > 0xffff);
}

function inLoop(desk: Desk, key: string): void {
  const { ui, feed } = desk;
  if (feed === undefined) return;
  switch (key) {
    case 'l':
      return desk.show('loops');
    case 'up':
    case 'k':
      return chooseIteration(desk, feed, 1);
    case 'down':
    case 'j':
      return chooseIteration(desk, feed, -1);
    case 'pgup':
      return scroll(desk, feed, -5);
    case 'pgdn':
      return scroll(desk, feed, 5);
    case 'f':
    case 'end':
      ui.anchor = undefined;
      return;
    case 'esc':
      Object.assign(ui, { chosenIteration: undefined, anchor: undefined });
      return;
    case 'enter':
    case 'd':
    case 'e':
      return openPage(desk, feed, key);
    default:
      return act(desk, feed, key);
  }
}

function act(desk: Desk, feed: LoopFeed, key: string): void {
  const { ui } = desk;
  const { view, shownStatus } = feed.model;
  switch (key) {
    case 'g':
      ui.mode = 'guide';
      return;
    case 'x':
      ui.menu = orderEntries(feed.model);
      if (ui.menu.length === 0) ui.notice = 'A loop that has ended accepts no command.';
      else ui.mode = 'menu';
      return;
    case 'p':
      if (view.requested.includes('pause')) return perform(desk, takeBackPause(desk.setting, feed.loopId));
      if (shownStatus === 'paused') ui.notice = 'It is paused: r resumes it in this terminal.';
      else order(desk, feed, { command: 'pause' });
      return;
    case 'w':
      return order(desk, feed, { command: 'retry' });
    case 'r':
      if (desk.setting.own !== undefined) ui.notice = 'This terminal already runs it.';
      else if (['paused', 'crashed'].includes(shownStatus) || feed.model.owner.state === 'none') {
        desk.leave({ kind: 'resume', loopId: feed.loopId });
      } else ui.notice = `Process ${feed.model.owner.pid ?? ''} runs it; pause it first.`;
      return;
    default:
      return;
  }
}

function order(desk: Desk, { loopId }: LoopFeed, given: LoopOrder): void {
  perform(desk, sendFrom(desk.setting, loopId, given));
}

function perform(desk: Desk, answer: Promise<string>): void {
  desk.ui.notice = 'Sending …';
  void answer.then((text) => {
    desk.ui.notice = text;
    desk.changed();
  });
}

function chosen(desk: Desk, key: string): void {
  const { ui, feed } = desk;
  ui.mode = 'keys';
  const entry = ui.menu.find((each) => each.key === key);
  if (entry === undefined || feed === undefined) return;
  if (entry.question === undefined) return order(desk, feed, entry.order);
  Object.assign(ui, { mode: 'confirm', confirming: entry });
}

function confirmed(desk: Desk, key: string): void {
  const { ui, feed } = desk;
  ui.mode = 'keys';
  if (key === 'y' && feed !== undefined && ui.confirming !== undefined) order(desk, feed, ui.confirming.order);
  else ui.notice = 'Nothing was done.';
}

function chooseIteration({ ui }: Desk, { model }: LoopFeed, step: 1 | -1): void {
  const numbers = rowsOf(model.history).map(({ iteration }) => iteration);
  const at = ui.chosenIteration === undefined ? numbers.length : numbers.indexOf(ui.chosenIteration);
  // The newest is on top, so up means a higher number.
  const next = ui.chosenIteration === undefined ? numbers.length - 1 : at + step;
  if (next >= numbers.length) ui.chosenIteration = undefined;
  else ui.chosenIteration = numbers[Math.max(0, next)];
}

function scroll(desk: Desk, { model }: LoopFeed, by: number): void {
  const { ui, terminal, setting } = desk;
  const drawing = { size: terminal.size, words: setting.words, nowMs: Date.now() };
  const { lines, follows } = paneOf({ ...sceneOf(model, {}, drawing), isWhole: true });
  const from = ui.anchor ?? (follows ? lines.length : Math.min(lines.length, Math.floor(terminal.size.rows / 4)));
  const next = Math.max(1, from + by);
  ui.anchor = follows && next >= lines.length ? undefined : Math.min(next, lines.length);
}

function inList(desk: Desk, key: string): void {
  const { ui, loops } = desk;
  const ids = inOrder(loops.loops, Date.now()).map(({ status }) => status.view.id);
  const at = Math.max(0, ids.indexOf(ui.chosenLoop ?? ''));
  switch (key) {
    case 'up':
    case 'k':
      ui.chosenLoop = ids[Math.max(0, at - 1)];
      return;
    case 'down':
    case 'j':
      ui.chosenLoop = ids[Math.min(ids.length - 1, at + 1)];
      return;
    case 'enter':
      if (ui.chosenLoop !== undefined) desk.tryOpen(ui.chosenLoop);
      return;
    case 'esc':
    case 'l':
      if (desk.feed !== undefined) desk.show('loop');
      return;
    default:
      return;
  }
}

function openNumber(desk: Desk, number: number): void {
  const found = inOrder(desk.loops.loops, Date.now())[number - 1];
  if (found !== undefined) desk.tryOpen(found.status.view.id);
}

function openNeedy(desk: Desk): void {
  const needy = inOrder(desk.loops.loops, Date.now()).filter(({ state }) => stateLooks[state].group === 'needs you');
  const ids = needy.map(({ status }) => status.view.id);
  const next = ids[(ids.indexOf(desk.feed?.loopId ?? '') + 1) % Math.max(1, ids.length)];
  if (next === undefined) desk.ui.notice = 'Nothing needs you.';
  else desk.tryOpen(next);
}

function openPage(desk: Desk, { loopId, model }: LoopFeed, key: 'enter' | 'd' | 'e'): void {
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
      if (ui.page === page) ui.page = { ...page, lines: [error instanceof Error ? error.message : String(error)] };
      desk.changed();
    },
  );
}

function inPage(desk: Desk, key: string): void {
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
