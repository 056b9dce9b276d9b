import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { readScreen, renderScreen, type TerminalSize } from './emulator.ts';
import { runInsideTerminal } from './inside.ts';
import type { Project } from './project.ts';
import { launcher } from './ralphd-process.ts';
import { type InTerminal, quoted, startLineInTerminal } from './terminal.ts';

const folder = path.resolve(import.meta.dirname, '../terminal/screens');

/**
 * Runs the commands of a story, each in a separate terminal: a real one for commands that are followed or interrupted, and
 * for the others a stream that answers like one, which saves the start of a process.
 */
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
    const { columns, rows } = this.#size;
    const line = `stty cols ${columns} rows ${rows}; exec ${quoted([process.execPath, launcher, ...args])}`;
    return startLineInTerminal(this.#project, line, { TZ: noonZone(), ...this.#env });
  }

  /** Runs a command to its end, keeps its screen, and returns its exit code. */
  async play(name: string, ...args: readonly string[]): Promise<number> {
    const { folder: cwd, env } = this.#project;
    const place = { cwd, env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh', TZ: noonZone(), ...this.#env } };
    using _ = inZone(noonZone());
    const { code, text } = await runInsideTerminal(args, place, this.#size);
    await this.#keep(name, text);
    return code;
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
    expect.soft(screen, name).toBe(existsSync(file) ? masked(readFileSync(file, 'utf8')) : '');
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

/** Sets the time zone of this process, which is read from its own environment only. */
function inZone(zone: string): Disposable {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  return {
    [Symbol.dispose]: () => {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    },
  };
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
      .replace(/\b(?:\d+m )?\d+(?:\.\d)?s\b/gu, '1s')
      .replace(/^#\d+ /gmu, '#1 ')
      // This line appears only after a pause of some length.
      .replace(/^ {2}idle +paused for .*\n/gmu, '')
  );
}
