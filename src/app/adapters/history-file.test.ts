import { expect, test } from 'vitest';
import type { IterationRecord } from '../../core/index.ts';
import { createMemoryFiles } from '../../files/testing/memory-files.ts';
import { openDocumentFile } from '../document-file.ts';
import { addToHistoryFile } from './history-file.ts';

function recordOf(number: number, more: Partial<IterationRecord> = {}): IterationRecord {
  const [startedAt, endedAt] = ['2026-11-18T08:00:00.000Z', '2026-11-18T08:01:00.000Z'];
  return { number, attempt: 1, startedAt, endedAt, status: 'completed', metadata: {}, ...more };
}

function historyFile() {
  const file = openDocumentFile('/project/history.json', createMemoryFiles());
  return {
    file,
    add: (loopId: string, ...records: readonly IterationRecord[]) =>
      addToHistoryFile(file.path, loopId, { records, file }),
    stored: () =>
      (JSON.parse(file.read() ?? '[]') as { number: number; status: string; metadata: Record<string, string> }[]).map(
        ({ number, status, metadata }) => `${metadata['loop_id']} ${number} ${status}`,
      ),
  };
}

test('A091 A096: the history file keeps the iterations of every loop that uses it, each once', () => {
  const { add, stored } = historyFile();
  add('one', recordOf(1), recordOf(2, { status: 'failed' }));
  add('one', recordOf(2), recordOf(3, { status: 'skipped' }));
  add('two', recordOf(1, { status: 'timed_out' }));
  expect(stored()).toEqual(['one 1 completed', 'one 2 completed', 'one 3 skipped', 'two 1 timed_out']);
});

test('A091 A103: a history file that cannot be read is refused and left alone', () => {
  const { add, file } = historyFile();
  file.write('[{"number": 1}');
  expect(() => add('one', recordOf(1))).toThrow(/history\.json is damaged: it is not JSON\. It was left untouched\./);
  expect(file.read()).toBe('[{"number": 1}');
});
