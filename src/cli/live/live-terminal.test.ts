import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Surroundings } from '../surroundings.ts';
import { openLiveTerminal } from './live-terminal.ts';

/** A terminal that shows what is on it, for the few sequences that are used here. */
function createScreen(columns: number) {
  const rows: string[] = [''];
  const wrap = (text: string) => {
    const all = (rows.pop() ?? '') + text;
    rows.push(...(all.match(new RegExp(`.{1,${screen.columns}}`, 'gu')) ?? ['']));
  };
  const screen = Object.assign(new EventEmitter(), {
    columns,
    isTTY: true,
    rows: () => rows.filter((row, index) => row !== '' || index < rows.length - 1),
    write(text: string) {
      for (const part of text.split(/(\r|\n|\u001b\[\d[AJ])/u)) {
        if (part === '\n') rows.push('');
        else if (part === '\u001b[1A') rows.pop();
        else if (part === '\r' || part === '\u001b[0J') rows[rows.length - 1] = '';
        else if (part !== '') wrap(part);
      }
      return true;
    },
    /** Becomes narrower, and wraps what is on its last row. */
    narrow(to: number) {
      screen.columns = to;
      wrap('');
      screen.emit('resize');
    },
  });
  return screen;
}

function surroundingsOn(screen: ReturnType<typeof createScreen>, env: NodeJS.ProcessEnv = {}): Surroundings {
  const stream = screen as unknown as NodeJS.WriteStream;
  const streams = { stdin: {} as NodeJS.ReadStream, stdout: stream, stderr: stream };
  return { cwd: '/', env, ...streams, flush: async () => {}, program: [], argv: [], isHangupIgnored: false };
}

test('the line stays below everything that is printed, and is gone at the end', () => {
  const screen = createScreen(40);
  const terminal = openLiveTerminal(surroundingsOn(screen), true);
  let line: string | undefined = '  agent 1s';
  terminal.show(() => line);
  expect(screen.rows()).toEqual(['  agent 1s']);
  terminal.surroundings.stderr.write('iteration 1\n');
  expect(screen.rows()).toEqual(['iteration 1', '  agent 1s']);
  line = '  agent 2s';
  terminal.surroundings.stdout.write('result\n');
  expect(screen.rows()).toEqual(['iteration 1', 'result', '  agent 2s']);
  terminal[Symbol.dispose]();
  expect(screen.rows()).toEqual(['iteration 1', 'result']);
});

test('a terminal that becomes narrower keeps no remains of the line', () => {
  const screen = createScreen(40);
  using terminal = openLiveTerminal(surroundingsOn(screen), true);
  terminal.surroundings.stderr.write('iteration 1\n');
  terminal.show((columns) => 'x'.repeat(columns - 1));
  screen.narrow(10);
  expect(screen.rows()).toEqual(['iteration 1', 'x'.repeat(9)]);
});

test.each<[string, NodeJS.ProcessEnv, boolean]>([
  ['NO_COLOR', { NO_COLOR: '1' }, true],
  ['CI', { CI: 'true' }, true],
  ['a dumb terminal', { TERM: 'dumb' }, true],
  ['JSON', {}, false],
])('%s means plain lines: no line is drawn', (_what, env, isWanted) => {
  const screen = createScreen(40);
  using terminal = openLiveTerminal(surroundingsOn(screen, env), isWanted);
  terminal.show(() => 'agent');
  terminal.surroundings.stderr.write('iteration 1\n');
  expect(screen.rows()).toEqual(['iteration 1']);
});

test('without a terminal no line is drawn', () => {
  const screen = createScreen(40);
  screen.isTTY = false;
  using terminal = openLiveTerminal(surroundingsOn(screen), true);
  terminal.show(() => 'agent');
  expect(screen.rows()).toEqual([]);
});
