import type { LoopOrder } from '../../core/index.ts';
import { rowsOf, stateLooks } from '../../views/index.ts';
import { inOrder } from '../screens/loops-screen.ts';
import { paneOf } from '../screens/pane.ts';
import { sceneOf } from '../screens/scene.ts';
import type { Input } from '../terminal/input.ts';
import type { Desk } from './desk.ts';
import { editDraft, emptyDraft, insert, isCharacter } from './guide-input.ts';
import type { LoopFeed } from './loop-feed.ts';
import { orderEntries } from './menu.ts';
import { inPage, openPage, openWords } from './page-keys.ts';

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
  const { sendFrom } = await loadOrders();
  const answer = await sendFrom(desk.setting, loopId, { command: 'guide', text });
  if (answer.startsWith('Saved')) desk.ui.drafts.delete(loopId);
  desk.ui.notice = answer;
  desk.changed();
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
    case 'o':
      return openWords(desk, feed);
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
      if (view.requested.includes('pause')) return takeBack(desk, feed);
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
  perform(desk, async () => await (await loadOrders()).sendFrom(desk.setting, loopId, given));
}

function takeBack(desk: Desk, { loopId }: LoopFeed): void {
  perform(desk, async () => await (await loadOrders()).takeBackPause(desk.setting, loopId));
}

/** Whoever only watches needs nothing of what acts on a loop. */
async function loadOrders() {
  return await import('./orders.ts');
}

function perform(desk: Desk, send: () => Promise<string>): void {
  desk.ui.notice = 'Sending …';
  void send().then((text) => {
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
