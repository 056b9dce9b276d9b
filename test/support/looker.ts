import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { renderScreen, type TerminalSize } from './emulator.ts';
import type { Project } from './project.ts';
import { launcher } from './ralphd-process.ts';
import { type InTerminal, quoted, startLineInTerminal } from './terminal.ts';

const usual: TerminalSize = { columns: 80, rows: 24 };
const patience = { timeout: 15_000 };

/** How the terminal looks, and what ralphd finds in its environment. */
export interface LookerOptions {
  readonly size?: TerminalSize;
  readonly env?: NodeJS.ProcessEnv;
}

/** A terminal in which ralphd runs, whose size can change. */
export class Looker {
  readonly terminal: InTerminal;
  readonly #project: Project;
  #size: TerminalSize;

  constructor(project: Project, args: readonly string[], { size = usual, env = {} }: LookerOptions = {}) {
    this.#project = project;
    this.#size = size;
    const line = `stty cols ${size.columns} rows ${size.rows}; tty > tty-name; ${quoted([process.execPath, launcher, ...args])}; code=$?; stty -a > stty-after; exit $code`;
    this.terminal = startLineInTerminal(project, line, env);
  }

  async screen(): Promise<string> {
    return (await renderScreen(this.terminal.output().stdout, this.#size)).join('\n');
  }

  async shows(text: string | RegExp): Promise<void> {
    await expect.poll(async () => await this.screen(), patience).toMatch(text);
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    const name = this.#project.read('tty-name').trim();
    execFileSync('stty', ['-F', name, 'cols', String(size.columns), 'rows', String(size.rows)]);
  }

  /** The terminal is as it was before: the other screen, cursor, paste and echo. */
  async expectRestored(): Promise<void> {
    const { stdout } = await this.terminal.ended;
    for (const [on, off] of [
      ['\u001b[?1049h', '\u001b[?1049l'],
      ['\u001b[?25l', '\u001b[?25h'],
      ['\u001b[?2004h', '\u001b[?2004l'],
      ['\u001b[?7l', '\u001b[?7h'],
    ] as const) {
      expect(stdout.lastIndexOf(off)).toBeGreaterThanOrEqual(stdout.lastIndexOf(on));
    }
    expect(this.#project.read('stty-after')).toMatch(/ icanon .* echo /su);
  }
}
