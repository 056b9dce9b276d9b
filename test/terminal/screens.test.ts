import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readScreen, renderScreen, type TerminalSize } from '../support/emulator.ts';
import { createProject, eventually, type Project } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';
import { hasTerminal, type InTerminal, quoted, startLineInTerminal } from '../support/terminal.ts';

const folder = path.join(import.meta.dirname, 'screens');
const sizes: readonly TerminalSize[] = [
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
];

test.for(sizes)('A063 B113: every screen of a loop reads well at $columns x $rows', async (size, context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = createProject();
  const stage = new Stage(project, size);
  writeStory(project);

  const first = stage.start(
    'run',
    'Make greet() say hello',
    ...flags,
    './check.sh',
    '--loop-id',
    'ralph-greet-a1b2c3d4',
  );
  await stage.shows(first, 'reading greet.js');
  await stage.keep('run-live', first);
  project.write('go-1', '');
  await stage.shows(first, 'fixing greet.js');
  project.write('go-2', '');
  expect((await first.ended).code).toBe(0);
  await stage.keep('run', first);

  const id = 'ralph-tests-e5f6a7b8';
  await stage.play('run-detach', 'run', task, ...flags, './tests.sh', '--detach', '--loop-id', id);
  await eventually(() => project.read('started').trim().split('\n')).toHaveLength(3);
  const logs = stage.start('logs', id, '-f');
  await stage.shows(logs, 'reading greet.js');
  await stage.leave('logs', logs);
  await stage.play('ls', 'ls');
  const watch = stage.start('watch', id);
  await stage.shows(watch, 'reading greet.js');
  await stage.keep('watch-live', watch);
  await stage.leave('watch', watch);
  await stage.play('status', 'status', id);
  await stage.play('guide', 'guide', id, 'Keep the tests fast: no network, no timers, no sleeping.');
  await stage.play('guide-once', 'guide', id, 'Start with greet.test.js', '--once');
  await stage.play('guide-list', 'guide', id, '--list');
  await stage.play('pause', 'pause', id);
  project.write('go-3', '');
  await eventually(() => project.processes()).toEqual([]);
  await stage.play('status-paused', 'status', id);
  await stage.play('explain-paused', 'explain', id);
  await stage.play('ls-paused', 'ls');
  project.write('go-4', '');
  await stage.play('resume', 'resume', id);
  await stage.play('status-ended', 'status', id);
  await stage.play('inspect', 'inspect', id);
  await stage.play('report', 'report', id);
  await stage.play('events', 'events', id, '--type', 'iteration.*');
  await stage.play('stats', 'stats');
  await stage.play('stats-loop', 'stats', id);
  await stage.play('explain', 'explain', id);
  await stage.play('error', 'pause', id);
  await stage.play('help', '--help');
  await stage.play('help-guide', 'guide', '--help');
});

const task = 'Write tests for greet(): an empty name, a name with spaces, and a name that is not a string at all';
const flags = ['--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--verify'];

/** Run N of the agent says what it does, waits for `go-N`, and is done in each second run. */
function writeStory(project: Project): void {
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo run >> started',
    'n=$(($(wc -l < started)))',
    'if [ $((n % 2)) = 1 ]; then echo "reading greet.js"; else echo "fixing greet.js"; fi',
    'until [ -e go-$n ]; do sleep 0.05; done',
    'case $n in 2) echo hello;; 4) echo tested;; *) echo "line $n";; esac >> greet.js',
    'echo "greet() says hello now, and its tests pass."',
    'echo "<promise>DONE</promise>"',
  );
  project.script('check.sh', 'grep -qs hello greet.js || { echo "error: expected hello, got undefined"; exit 1; }');
  project.script('tests.sh', 'grep -qs tested greet.js || { echo "error: greet() has no tests"; exit 1; }');
}

/** Where the commands of a story are typed, each in a terminal of its own. */
class Stage {
  readonly #project: Project;
  readonly #size: TerminalSize;

  constructor(project: Project, size: TerminalSize) {
    this.#project = project;
    this.#size = size;
  }

  start(...args: readonly string[]): InTerminal {
    const { columns, rows } = this.#size;
    const line = `stty cols ${columns} rows ${rows}; exec ${quoted([process.execPath, launcher, ...args])}`;
    return startLineInTerminal(this.#project, line, { TZ: noonZone() });
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
    const { columns, rows } = this.#size;
    const file = path.join(folder, `${columns}x${rows}`, `${name}.txt`);
    const { lines, broken } = await readScreen(terminal.output().stdout, this.#size);
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

/** A time zone in which it is about noon: no story crosses midnight. */
function noonZone(): string {
  const offset = new Date().getUTCHours() - 12;
  return `Etc/GMT${offset < 0 ? '' : '+'}${offset}`;
}

/** A screen with fixed times, senders, process ids and durations, however wide they are on this machine. */
function masked(screen: string): string {
  return (
    screen
      .replace(/\b(by|from)\s+\S+@[^)]+\)/gu, '$1 USER@HOST (process 12345)')
      .replace(/\bprocess \d+/gu, 'process 12345')
      .replace(/\b\d\d:\d\d\b/gu, '12:00')
      .replace(/\b\d+\.\ds\b/gu, '0.1s')
      .replace(/\b\d+s\b/gu, '1s')
      .replace(/^#\d+ /gmu, '#1 ')
      // Only a pause of some length is worth this line.
      .replace(/^ {2}idle +paused for .*\n/gmu, '')
  );
}
