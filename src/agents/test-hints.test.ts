import { expect, test } from 'vitest';
import { createPlainReader } from './_shared/plain-text.ts';
import type { AgentReading, StreamDialect } from './_shared/reader.ts';
import { createReader } from './_shared/reader.ts';
import { createTestHintReader } from './_shared/test-hints.ts';
import { createClaudeDialect } from './claude/dialect.ts';
import { createCodexDialect } from './codex/dialect.ts';
import { createGeminiDialect } from './gemini/dialect.ts';
import { createOpenCodeDialect } from './opencode/dialect.ts';

const report = '========= 1 failed, 4 passed, 2 skipped in 0.12s =========\n';
const hints = { framework: 'pytest', total: 7, passed: 4, failed: 1, skipped: 2 };
const encoder = new TextEncoder();

function readingOf(dialect: StreamDialect, values: readonly unknown[]): AgentReading {
  const reader = createReader(dialect);
  reader.push(encoder.encode(values.map((value) => `${JSON.stringify(value)}\n`).join('')));
  return reader.finish({ stderr: '', ending: { kind: 'exited', code: 0 } });
}

/** What each agent prints about one call of a tool: a shell command, or another tool that only shows text. */
const calls: readonly (readonly [string, () => StreamDialect, (tool: 'shell' | 'read') => readonly unknown[]])[] = [
  [
    'claude',
    () => createClaudeDialect({ now: () => new Date() }),
    (tool) => {
      const call = { type: 'tool_use', id: 't1', name: tool === 'shell' ? 'Bash' : 'Read' };
      const input = tool === 'shell' ? { command: 'pytest' } : { file_path: 'log' };
      const result = { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: report }] };
      return [
        { type: 'assistant', message: { id: 'm', content: [{ ...call, input }] } },
        { type: 'user', message: { role: 'user', content: [result] } },
      ];
    },
  ],
  [
    'codex',
    createCodexDialect,
    (tool) => {
      const item = { id: 'i', type: tool === 'shell' ? 'command_execution' : 'mcp_tool_call', status: 'completed' };
      return [{ type: 'item.completed', item: { ...item, aggregated_output: report } }];
    },
  ],
  [
    'gemini',
    createGeminiDialect,
    (tool) => {
      const parameters = tool === 'shell' ? { command: 'pytest' } : { path: 'log' };
      return [
        { type: 'tool_use', tool_id: 't', tool_name: tool === 'shell' ? 'run_shell_command' : 'read_file', parameters },
        { type: 'tool_result', tool_id: 't', status: 'success', output: report },
      ];
    },
  ],
  [
    'opencode',
    createOpenCodeDialect,
    (tool) => {
      const state = { status: 'completed', input: {}, output: report };
      return [{ type: 'tool_use', sessionID: 's', part: { tool: tool === 'shell' ? 'bash' : 'read', state } }];
    },
  ],
];

test.each(calls)(
  'A080: the tests that a command of %s ran are a hint; a file that it reads is none',
  (_name, createDialect, print) => {
    expect(readingOf(createDialect(), print('shell')).testHints).toEqual(hints);
    expect(readingOf(createDialect(), print('read')).testHints).toBeUndefined();
  },
);

test('A080: of a program without a stream, everything that it prints may be a hint', () => {
  const reader = createPlainReader();
  reader.push(encoder.encode(`I run the tests.\n${report}One is left.\n`));
  expect(reader.finish({ stderr: '', ending: { kind: 'exited', code: 0 } }).testHints).toEqual(hints);
});

test('A080: the newest test run counts, and output without one changes nothing', () => {
  const reader = createTestHintReader();
  for (const output of ['Tests: 3 failed, 3 total\n', report, 'ok\n', 'test.txt: 12 lines\n']) reader.take(output);
  expect(reader.hints()).toEqual(hints);
});

test('A080: however much the commands print, only the end of the latest outputs is kept and read', () => {
  const reader = createTestHintReader();
  const noise = 'test 1 passed, so they say\n'.repeat(2_000);
  reader.take(`${report}${noise}`);
  expect(reader.hints()).toBeUndefined();
  reader.take(`${noise}${report}`);
  for (let count = 0; count < 7; count += 1) reader.take(noise);
  expect(reader.hints()).toEqual(hints);
  reader.take(noise);
  expect(reader.hints()).toBeUndefined();
});

test.each(['99999999999999999999 passed in 1s', '9007199254740991 passed, 9007199254740991 failed in 1s'])(
  'A080: numbers that no test run can have are no hint: %s',
  (line) => {
    const reader = createTestHintReader();
    reader.take(`=== ${line} ===\n`);
    expect(reader.hints()).toBeUndefined();
  },
);
