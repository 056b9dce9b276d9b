import { findLoop, type LoopPlace, type LoopView, watchLoop } from '../../app/index.ts';
import { exitCodes } from '../../base/index.ts';
import { isTerminal, type Loop } from '../../core/index.ts';
import type { RecordedFact } from '../../protocol/index.ts';
import type { SeenOwner } from '../../views/index.ts';
import type { Display } from '../display.ts';
import { closingLines } from '../output/closing.ts';
import { row } from '../output/fact-lines.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import { reportEnd } from '../report-end.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { type LiveTerminal, openLiveTerminal } from './live-terminal.ts';
import { createLoopPrinter, type LoopPrinter } from './loop-printer.ts';

/** How many past facts are shown first. */
const pastFacts = 20;

/** What is watched, and how it is shown. */
export interface WatchedLines {
  readonly place: LoopPlace;
  /** Which loop; the only one there is, or the newest, if missing. */
  readonly query: string | undefined;
  readonly display: Display;
  readonly exitsWhenPaused: boolean;
}

/** Watches a loop as plain lines, whichever process runs it. */
export async function watchAsLines(watched: WatchedLines, surroundings: Surroundings): Promise<number> {
  const { place, query, display, exitsWhenPaused } = watched;
  const view = findLoop(place, query, { orNewest: true });
  if (isTerminal(view.loop.status)) return reportEnd(view.loop, surroundings, display);
  using terminal = openLiveTerminal(surroundings, !display.asJson);
  const watch = new LoopWatch(view, { place, terminal, display });
  return await watch.run(exitsWhenPaused);
}

interface Setting {
  readonly place: LoopPlace;
  readonly terminal: LiveTerminal;
  readonly display: Display;
}

/** Why the watch ends before the loop does. */
type Leaving = { readonly kind: 'signal'; readonly signal: NodeJS.Signals } | { readonly kind: 'rests' };

class LoopWatch {
  readonly #view: LoopView;
  readonly #setting: Setting;
  readonly #printer: LoopPrinter;
  readonly #paint: Paint;
  readonly #stop = new AbortController();
  readonly #past: RecordedFact[] = [];
  #leaving: Leaving | undefined;
  #exitsWhenPaused = false;
  #owner: SeenOwner | undefined;

  constructor(view: LoopView, setting: Setting) {
    const { surroundings } = setting.terminal;
    this.#view = view;
    this.#setting = setting;
    this.#paint = paintFor(surroundings.stderr);
    this.#printer = createLoopPrinter(view.loop.id, surroundings, {
      ...setting.display,
      pulsesAsJson: true,
      agentName: view.loop.origin.agent,
    });
  }

  async run(exitsWhenPaused: boolean): Promise<number> {
    const { loop } = this.#view;
    const { place, terminal } = this.#setting;
    this.#exitsWhenPaused = exitsWhenPaused;
    using _signals = onSignals((signal) => this.#leave({ kind: 'signal', signal }));
    this.#print(this.#opening());
    terminal.show(this.#printer.live);
    const followed = { loopId: loop.id, root: place.root, context: appContext(terminal.surroundings) };
    const watcher = {
      fact: (fact: RecordedFact) => this.#fact(fact),
      pulse: this.#printer.pulse,
      owner: (owner: SeenOwner) => this.#noteOwner(owner),
    };
    const afterSeq = Math.max(0, loop.journal.seq - pastFacts);
    await watchLoop(followed, watcher, { afterSeq, signal: this.#stop.signal });
    terminal[Symbol.dispose]();
    return this.#end();
  }

  #print(lines: readonly string[]): void {
    const { asJson, verbosity } = this.#setting.display;
    if (!asJson && verbosity !== 'quiet') this.#printer.print(lines);
  }

  #opening(): readonly string[] {
    const { loop } = this.#view;
    return [
      `${this.#paint.bold('ralphd')} ${this.#paint.note(loop.id)} ${this.#paint.dim('(Ctrl-C stops watching, not the loop)')}`,
      `  ${this.#paint.dim('task'.padEnd(8))} ${oneLine(loop.origin.task, 100)}`,
    ];
  }

  /** Facts recorded before the watch began are printed together, as a short summary. */
  #fact(fact: RecordedFact): void {
    const { seq } = this.#view.loop.journal;
    if (fact.seq <= seq) this.#past.push(fact);
    if (fact.seq === seq) {
      this.#printer.past(this.#past);
      if (this.#view.loop.status === 'paused') this.#rest(this.#view.loop);
    }
    if (fact.seq <= seq) return;
    this.#printer.fact(fact);
    if (fact.type === 'loop.paused') this.#rest(this.#read());
  }

  /** A paused loop can be resumed from anywhere, so the watch continues unless --exit-when-paused is given. */
  #rest(loop: Loop): void {
    if (this.#exitsWhenPaused) return this.#leave({ kind: 'rests' });
    this.#print(['', ...closingLines(loop, this.#paint), this.#paint.dim('  still watching; Ctrl-C to stop')]);
  }

  #noteOwner(owner: SeenOwner): void {
    const before = this.#owner;
    this.#owner = owner;
    const text = ownerText(owner, before, this.#view.loop.id);
    if (text !== undefined) this.#print([row('process', owner.state === 'working' ? text : this.#paint.warn(text))]);
    if (owner.state === 'dead' && this.#exitsWhenPaused) this.#leave({ kind: 'rests' });
  }

  #leave(leaving: Leaving): void {
    this.#leaving ??= leaving;
    this.#stop.abort();
  }

  #end(): number {
    const { display, terminal } = this.#setting;
    const { id } = this.#view.loop;
    if (this.#leaving?.kind !== 'signal') return reportEnd(this.#read(), terminal.surroundings, display);
    const state = this.#owner?.state === 'working' ? `${id} continues` : `${id} is unchanged`;
    this.#print(['', `Stopped watching; ${state}. Watch it again: ralphd watch ${id}`]);
    return this.#leaving.signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }

  #read(): Loop {
    return findLoop(this.#setting.place, this.#view.loop.id).loop;
  }
}

/** A line about a change of the process that runs the loop; undefined if there is nothing to report. */
function ownerText({ state, pid }: SeenOwner, before: SeenOwner | undefined, id: string): string | undefined {
  const name = `process ${pid ?? 'unknown'}`;
  switch (state) {
    case 'working':
      if (before === undefined) return undefined;
      return before.state === 'stopped' && before.pid === pid ? `${name} continues` : `${name} runs the loop now`;
    case 'stopped':
      return `${name} is stopped; continue it with: kill -CONT ${pid ?? ''}`;
    case 'dead':
      return `${name}, which ran the loop, died; nothing was lost. Resume: ralphd resume ${id}`;
    case 'unknown':
      return `${name} is on another machine; this machine cannot see whether it still runs`;
    case 'none':
      return undefined;
  }
}

function onSignals(receive: (signal: NodeJS.Signals) => void): Disposable {
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, receive);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, receive);
    },
  };
}
