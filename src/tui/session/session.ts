import { LoopError, loopNameOf } from '../../base/index.ts';
import { lastOutputAt, stateLooks } from '../../views/index.ts';
import { helpScreen } from '../screens/help-screen.ts';
import { loopScreen } from '../screens/loop-screen.ts';
import { inOrder, loopsScreen } from '../screens/loops-screen.ts';
import { confirmOverlay, guideOverlay, menuOverlay, type Overlay } from '../screens/overlays.ts';
import { pageScreen } from '../screens/page-screen.ts';
import { untilTick } from '../screens/times.ts';
import type { Input } from '../terminal/input.ts';
import { Terminal } from '../terminal/terminal.ts';
import type { Line } from '../text.ts';
import { themeFor } from '../theme.ts';
import type { Desk, UiState } from './desk.ts';
import { emptyDraft } from './guide-input.ts';
import { pressed } from './keys.ts';
import { followModel, type LoopFeed } from './loop-feed.ts';
import { followLoops, type LoopsFeed } from './loops-feed.ts';
import type { Leaving, ScreenSetting } from './setting.ts';

const minFrameMs = 250;
const minuteMs = 60_000;

/** A screen that a person looks at until they leave it. It only watches: leaving it never touches a loop. */
export class ScreenSession implements Desk, Disposable {
  readonly setting: ScreenSetting;
  readonly ui: UiState;
  readonly loops: LoopsFeed;
  readonly terminal: Terminal;
  readonly #left = Promise.withResolvers<Leaving>();
  #feed: LoopFeed | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #drawnMs = 0;
  #isClosed = false;

  constructor(setting: ScreenSetting) {
    this.setting = setting;
    const view = setting.loopId === undefined ? 'loops' : 'loop';
    this.ui = { view, back: view, mode: 'keys', menu: [], drafts: new Map() };
    this.loops = followLoops(setting, () => this.changed());
    if (setting.loopId !== undefined) this.openLoop(setting.loopId);
    this.#closely();
    this.terminal = new Terminal({
      input: setting.input,
      output: setting.output,
      theme: themeFor(setting.context.env),
      events: {
        input: (input) => this.#input(input),
        redraw: () => this.#draw(),
        lost: () => this.leave({ kind: 'lost' }),
      },
    });
    this.#draw();
  }

  /** Resolves when the person leaves. */
  get left(): Promise<Leaving> {
    return this.#left.promise;
  }

  /** Resolves when no other program, such as a pager, uses the terminal. */
  get returned(): Promise<void> {
    return this.terminal.lent ?? Promise.resolve();
  }

  get feed(): LoopFeed | undefined {
    return this.#feed;
  }

  /** Shows one loop. */
  openLoop(loopId: string): void {
    if (this.#feed?.loopId !== loopId) {
      this.#feed?.[Symbol.dispose]();
      this.#feed = followModel(this.setting, loopId, () => this.changed());
      Object.assign(this.ui, { chosenIteration: undefined, anchor: undefined, notice: undefined });
    }
    Object.assign(this.ui, { view: 'loop', mode: 'keys', chosenLoop: loopId });
    this.#closely();
  }

  /** The same for a loop that may be gone or unreadable by now. */
  tryOpen(loopId: string): void {
    try {
      this.openLoop(loopId);
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      this.ui.notice = error.message;
    }
  }

  show(view: UiState['view']): void {
    this.ui.view = view;
    this.#closely();
  }

  leave(leaving: Leaving): void {
    this.#left.resolve(leaving);
  }

  /** Something that happened outside: drawn soon, but at most four times a second. */
  changed(): void {
    this.#plan(Math.max(0, this.#drawnMs + minFrameMs - performance.now()));
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#feed?.[Symbol.dispose]();
    this.loops[Symbol.dispose]();
    this.terminal[Symbol.dispose]();
  }

  #closely(): void {
    this.loops.watchClosely(this.ui.view === 'loops');
  }

  /** What a person does is drawn at once: they wait for it. */
  #input(input: Input): void {
    pressed(this, input);
    if (!this.#isClosed) this.terminal.acceptPaste(this.ui.mode === 'guide');
    this.#plan(0);
  }

  #plan(inMs: number): void {
    const dueMs = performance.now() + inMs;
    if (this.#isClosed || dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#draw(), inMs);
  }

  #draw(): void {
    this.#dueMs = Number.POSITIVE_INFINITY;
    if (this.#isClosed) return;
    this.#drawnMs = performance.now();
    const nowMs = Date.now();
    if (this.terminal.isReady) this.terminal.draw(this.#lines(nowMs));
    this.#plan(this.#tickIn(nowMs));
  }

  #lines(nowMs: number): readonly Line[] {
    const { ui, terminal, setting, loops } = this;
    const { words, own } = setting;
    const { size } = terminal;
    if (ui.view === 'help') return helpScreen(size, own !== undefined);
    if (ui.view === 'page' && ui.page !== undefined) return pageScreen(ui.page, size);
    const feed = this.#feed;
    if (ui.view === 'loop' && feed !== undefined) {
      const loopUi = {
        chosen: ui.chosenIteration,
        anchor: ui.anchor,
        notice: ui.notice ?? feed.trouble,
        place: this.#place(feed.loopId, nowMs),
        overlay: this.#overlay(),
        isOwn: own?.loopId === feed.loopId,
      };
      return loopScreen(feed.model, loopUi, { size, words, nowMs });
    }
    const listed = inOrder(loops.loops, nowMs);
    ui.chosenLoop ??= listed[0]?.status.view.id;
    const { unreadable } = loops;
    const view = { loops: listed, unreadable, chosen: ui.chosenLoop, folder: setting.folder, notice: ui.notice };
    return loopsScreen(view, { size, words, nowMs });
  }

  /** Such as `3/9`; nothing where there is only one loop. */
  #place(loopId: string, nowMs: number): string | undefined {
    const { loops } = this.loops;
    if (loops.length < 2) return undefined;
    const at = inOrder(loops, nowMs).findIndex(({ status }) => status.view.id === loopId);
    return at === -1 ? undefined : `${at + 1}/${loops.length}`;
  }

  #overlay(): Overlay | undefined {
    const { ui, terminal } = this;
    const { columns, rows } = terminal.size;
    const feed = this.#feed;
    if (feed === undefined) return undefined;
    const { view } = feed.model;
    switch (ui.mode) {
      case 'keys':
        return undefined;
      case 'menu':
        return menuOverlay(ui.menu, loopNameOf(feed.loopId), columns);
      case 'confirm':
        return confirmOverlay(ui.confirming?.question ?? '', columns);
      case 'guide': {
        const from = view.current === undefined ? 'the next iteration' : `iteration ${view.iteration + 1}`;
        const note = `Part of every prompt from ${from} on, until you drop it.`;
        return guideOverlay(ui.drafts.get(feed.loopId) ?? emptyDraft, note, { columns, rows });
      }
    }
  }

  /** In how many milliseconds something on the screen looks different although nothing has happened. */
  #tickIn(nowMs: number): number {
    const { ui } = this;
    const toMinute = minuteMs - (nowMs % minuteMs);
    if (ui.view === 'page' || ui.view === 'help') return toMinute;
    if (ui.view === 'loops') {
      const runs = inOrder(this.loops.loops, nowMs).some(({ state }) => stateLooks[state].group !== 'finished');
      return runs ? 1_000 : toMinute;
    }
    const model = this.#feed?.model;
    if (model === undefined || model.shownStatus !== 'running') return toMinute;
    const { view, live } = model;
    const instants = [view.current?.startedAt, lastOutputAt(model), live.checks.at(-1)?.since, view.wait?.until];
    const ticks = instants.flatMap((at) => (at === undefined ? [] : [untilTick(Date.parse(at), nowMs)]));
    return Math.max(minFrameMs, Math.min(toMinute, ...ticks));
  }
}
