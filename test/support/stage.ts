import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { readScreen, renderScreen, type TerminalSize } from './emulator.ts';
import type { Project } from './project.ts';
import { launcher } from './ralphd-process.ts';
import { type InTerminal, quoted, startLineInTerminal } from './terminal.ts';

const folder = path.resolve(import.meta.dirname, '../terminal/screens');

/** Runs the commands of a story, each in a separate terminal. */
export class Stage {
  readonly #project: Project;
  readonly #size: TerminalSize;
  readonly #env: NodeJS.ProcessEnv;

  constructor(project: Project, size: TerminalSize, env: NodeJS.ProcessEnv = {}) {
    this.#project = project;
    this.#size = size;
    this.#env = env;
  }

  start(...args: readonly string[]): InTerminal {
    return this.#startLine(`exec ${quoted([process.execPath, launcher, ...args])}`);
  }

  /** Runs commands one after another in one terminal, keeps the screen of each, and returns their exit codes. */
  async playAll(commands: Readonly<Record<string, readonly string[]>>): Promise<readonly number[]> {
    const lines = Object.values(commands).map(
      (args) => `${quoted([process.execPath, launcher, ...args])}; printf '\\036%d\\036' $?`,
    );
    const { stdout } = await this.#startLine(lines.join('; ')).ended;
    const parts = stdout.split('\u001e');
    for (const [index, name] of Object.keys(commands).entries()) await this.#keep(name, parts[2 * index] ?? '');
    return Object.keys(commands).map((_name, index) => Number(parts[2 * index + 1]));
  }

  #startLine(line: string): InTerminal {
    const { columns, rows } = this.#size;
    const whole = `stty cols ${columns} rows ${rows}; ${line}`;
    return startLineInTerminal(this.#project, whole, { TZ: noonZone(), ...this.#env });
  }

  async play(name: string, ...args: readonly string[]): Promise<void> {
    const terminal = this.start(...args);
    await terminal.ended;
    await this.keep(name, terminal);
  }

  async shows(terminal: InTerminal, text: string): Promise<void> {
    await expect.poll(async () => (await this.#render(terminal)).join('\n')).toContain(text);
  }

  async leave(name: string, terminal: InTerminal): Promise<void> {
    terminal.press('\u0003');
    await terminal.ended;
    await this.keep(name, terminal);
  }

  async keep(name: string, terminal: InTerminal): Promise<void> {
    await this.#keep(name, terminal.output().stdout);
  }

  async #keep(name: string, text: string): Promise<void> {
    const { columns, rows } = this.#size;
    const file = path.join(folder, `${columns}x${rows}`, `${name}.txt`);
    const { lines, broken } = await readScreen(text, this.#size);
    expect.soft(broken, `${name} has lines that are too long`).toEqual([]);
    const screen = masked(`${lines.join('\n')}\n`);
    if (process.env['UPDATE_SCREENS'] === '1') {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, screen);
    }
    expect.soft(screen, name).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
  }

  async #render(terminal: InTerminal): Promise<readonly string[]> {
    return await renderScreen(terminal.output().stdout, this.#size);
  }
}

/** A time zone in which it is about noon, so that no story crosses midnight. */
function noonZone(): string {
  const offset = new Date().getUTCHours() - 12;
  return `Etc/GMT${offset < 0 ? '' : '+'}${offset}`;
}

/** A screen with fixed times, senders, process ids and durations, independent of this machine. */
function masked(screen: string): string {
  return (
    screen
      .replace(/\b(by|from)\s+\S+@[^)]+\)/gu, '$1 USER@HOST (process 12345)')
      .replace(/(?<=^✓ node {6})\S+/gmu, '24.0.0')
      .replace(/(?<=^[✓!] git {7})[\d.]+[^;]*/gmu, '2.50.0')
      .replace(/(?<=^✓ disk {6})\S+ [GM]iB/gmu, '9.9 GiB')
      .replace(/(?<=^✓ sandbox {3}).*(?:\n {4,}.*)*/gmu, 'bubblewrap isolates sealed checks')
      .replace(/\bprocess \d+/gu, 'process 12345')
      .replace(/\b\d\d:\d\d\b/gu, '12:00')
      .replace(/\b\d+\.\ds\b/gu, '0.1s')
      .replace(/\b\d+s\b/gu, '1s')
      .replace(/^#\d+ /gmu, '#1 ')
      // This line appears only after a pause of some length.
      .replace(/^ {2}idle +paused for .*\n/gmu, '')
  );
}
