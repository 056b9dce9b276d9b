import type { Line, Size } from '../text.ts';
import type { Theme } from '../theme.ts';
import { createFrameWriter, type FrameWriter } from './frame.ts';
import { createInputReader, type Input } from './input.ts';

const escape = '\u001b';
/** The other screen, no cursor, and no wrapping: a row that is wider than expected cannot move the others. */
const takeOver = `${escape}[?1049h${escape}[?25l${escape}[?7l`;
const giveBack = `${escape}[0m${escape}[?2004l${escape}[?7h${escape}[?25h${escape}[?1049l`;
const pasteOn = `${escape}[?2004h`;
const pasteOff = `${escape}[?2004l`;

/** How long a lone escape may be the beginning of a sequence. */
const escapeMs = 50;
const resizeQuietMs = 50;
const defaultSize: Size = { columns: 80, rows: 24 };

/** What happens at the terminal. */
export interface TerminalEvents {
  readonly input: (input: Input) => void;
  /** The size has changed, or the terminal was taken over again: everything has to be drawn. */
  readonly redraw: () => void;
  /** There is no terminal any more. */
  readonly lost: () => void;
}

/** The streams of a terminal and what it can show. */
export interface TerminalSetting {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly theme: Theme;
  readonly events: TerminalEvents;
}

/**
 * A terminal that belongs to the screen until it is given back, however the process ends. Nothing waits for it: while it
 * does not take what was written, nothing more is drawn, so that a frozen connection cannot hold up a loop.
 */
export class Terminal implements Disposable {
  readonly #setting: TerminalSetting;
  readonly #frames: FrameWriter;
  readonly #reader = createInputReader();
  #isOurs = false;
  #isPasteOn = false;
  #lent: Promise<void> | undefined;
  #escapeTimer: NodeJS.Timeout | undefined;
  #resizeTimer: NodeJS.Timeout | undefined;

  constructor(setting: TerminalSetting) {
    this.#setting = setting;
    this.#frames = createFrameWriter(setting.theme);
    this.#takeOver();
    const { input, output } = setting;
    input.on('data', this.#read).on('end', this.#lose).on('error', this.#lose);
    output.on('resize', this.#resize).on('error', this.#lose);
    process.on('exit', this.#giveBack);
    process.on('uncaughtExceptionMonitor', this.#giveBack);
    process.on('SIGCONT', this.#comeBack);
    process.on('SIGTSTP', this.#stop);
  }

  get size(): Size {
    const { columns, rows } = this.#setting.output;
    return { columns: columns || defaultSize.columns, rows: rows || defaultSize.rows };
  }

  /** Whether a frame that is drawn now would be shown. */
  get isReady(): boolean {
    return this.#isOurs && this.#setting.output.writableLength === 0;
  }

  draw(lines: readonly Line[]): void {
    const frame = this.#frames.next(lines, this.size);
    if (frame !== '') this.#write(frame);
  }

  /** Draws everything again, for a screen that something else has written to. */
  redraw(): void {
    this.#frames.forget();
    this.#setting.events.redraw();
  }

  /** Asks the terminal to mark what is pasted, only while a text is typed. */
  acceptPaste(isOn: boolean): void {
    if (isOn === this.#isPasteOn) return;
    this.#isPasteOn = isOn;
    this.#write(isOn ? pasteOn : pasteOff);
  }

  /** Whoever uses the terminal meanwhile, until they give it back; undefined while the screen has it. */
  get lent(): Promise<void> | undefined {
    return this.#lent;
  }

  /** Lends the terminal to a program, such as a pager, until that ends. */
  lend(use: () => Promise<void>): void {
    this.#giveBack();
    this.#setting.input.pause();
    this.#lent = use().finally(() => {
      this.#lent = undefined;
      this.#comeBack();
    });
  }

  /** Stops the process, as Ctrl-Z does, after giving the terminal back. */
  suspend(): void {
    this.#giveBack();
    process.off('SIGTSTP', this.#stop);
    // To the whole group, as the terminal does: a launcher waits for this process.
    process.kill(0, 'SIGTSTP');
  }

  [Symbol.dispose](): void {
    this.#giveBack();
    const { input, output } = this.#setting;
    input.off('data', this.#read).off('end', this.#lose).off('error', this.#lose).pause();
    output.off('resize', this.#resize).off('error', this.#lose);
    process.off('exit', this.#giveBack);
    process.off('uncaughtExceptionMonitor', this.#giveBack);
    process.off('SIGCONT', this.#comeBack);
    process.off('SIGTSTP', this.#stop);
    clearTimeout(this.#escapeTimer);
    clearTimeout(this.#resizeTimer);
  }

  #takeOver(): void {
    if (this.#isOurs || this.#lent !== undefined) return;
    this.#isOurs = true;
    this.#frames.forget();
    this.#setRaw(true);
    setBlocking(this.#setting.output, false);
    this.#write(takeOver + (this.#isPasteOn ? pasteOn : ''));
    this.#setting.input.resume();
  }

  readonly #giveBack = (): void => {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    setBlocking(this.#setting.output, true);
    this.#write(giveBack);
    this.#setRaw(false);
  };

  readonly #comeBack = (): void => {
    process.off('SIGTSTP', this.#stop).on('SIGTSTP', this.#stop);
    // The shell may have changed the terminal although nothing was given back, as after SIGSTOP.
    this.#isOurs = false;
    this.#takeOver();
    this.#setting.events.redraw();
  };

  readonly #stop = (): void => {
    this.#giveBack();
    process.off('SIGTSTP', this.#stop);
    process.kill(process.pid, 'SIGTSTP');
  };

  readonly #read = (chunk: Uint8Array): void => {
    clearTimeout(this.#escapeTimer);
    for (const input of this.#reader.push(chunk)) this.#setting.events.input(input);
    if (!this.#reader.isPending) return;
    this.#escapeTimer = setTimeout(() => {
      for (const input of this.#reader.flush()) this.#setting.events.input(input);
    }, escapeMs);
    this.#escapeTimer.unref();
  };

  readonly #resize = (): void => {
    clearTimeout(this.#resizeTimer);
    this.#resizeTimer = setTimeout(() => {
      this.#frames.forget();
      this.#setting.events.redraw();
    }, resizeQuietMs);
    this.#resizeTimer.unref();
  };

  readonly #lose = (): void => this.#setting.events.lost();

  #write(text: string): void {
    try {
      this.#setting.output.write(text);
    } catch {
      // The terminal is gone; whoever runs a loop learns that from SIGHUP.
    }
  }

  #setRaw(isRaw: boolean): void {
    try {
      this.#setting.input.setRawMode(isRaw);
    } catch {
      // The terminal is gone.
    }
  }
}

/** Node writes to a terminal until it has taken everything; a screen can rather skip a frame. */
function setBlocking(stream: NodeJS.WriteStream, isBlocking: boolean): void {
  const { _handle: handle } = stream as { _handle?: { setBlocking?: (isBlocking: boolean) => unknown } };
  handle?.setBlocking?.(isBlocking);
}
