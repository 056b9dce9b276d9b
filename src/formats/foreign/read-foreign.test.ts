import { expect, test } from 'vitest';
import { exampleState } from '../testing/aiwg-example.ts';
import { foreignFixtures } from '../testing/foreign-fixtures.ts';
import { readForeignLoop } from './read-foreign.ts';

const read = (text: string) => readForeignLoop({ name: 'file', text });
const code = (failure: string) => expect.objectContaining({ code: failure }) as Error;

test.each(foreignFixtures)('a running loop in $file is recognised as $name by its content', (fixture) => {
  const { maxIterations, ...position } = fixture.becomes;
  const loop = read(fixture.running);
  expect(loop).toMatchObject({
    from: fixture.name,
    becomes: 'paused',
    ...position,
    startedAt: '2026-02-02T21:00:00.000Z',
  });
  if (fixture.name !== 'tachikoma') expect(loop.settings.maxIterations).toBe(maxIterations);
  expect(loop.task).toBe(fixture.name === 'tachikoma' ? 'PLAN.md' : 'fix all TypeScript errors');
});

test.each(foreignFixtures)('a finished loop in $file keeps its end: $endsAs', ({ finished, endsAs }) => {
  expect(read(finished)).toMatchObject({ becomes: endsAs, reason: expect.any(String) });
});

test.each(foreignFixtures)('a damaged document in $file is refused', ({ damaged }) => {
  expect(() => read(damaged)).toThrow(code('DOCUMENT_DAMAGED'));
});

test.each(foreignFixtures)('a document in $file that is cut off anywhere is refused, never misread', ({ running }) => {
  for (const length of [0, 1, Math.floor(running.length / 2), running.trimEnd().length - 1]) {
    const cut = running.slice(0, length);
    // A Markdown file that lacks its last letters is still a whole file.
    if (cut.startsWith('---') && cut.includes('\n---\n')) continue;
    expect(() => read(cut), String(length)).toThrow(code('DOCUMENT_DAMAGED'));
  }
});

test('A150: fields that are null and fields that are missing mean the same', () => {
  const nulls = { completed_at: null, pid: null, last_checkpoint: null, error_context: null };
  const progress = { completion_checks: [], last_completion_check: null, estimated_completion: null };
  const bare = { version: '2.1.0', loop_id: 'ralph-x-a1b2c3d4', status: 'paused', iteration: 0 };
  const [one, other] = [read(JSON.stringify({ ...bare, ...nulls, progress })), read(JSON.stringify(bare))];
  const { document: _one, mapped: _mapped, ...short } = one;
  const { document: _other, mapped: _alsoMapped, ...long } = other;
  expect(short).toEqual(long);
  expect(other.settings.maxIterations).toBe(200);
});

test('A156: an interactive loop of AIWG asks a person here too', () => {
  const withInteractive = (interactive: boolean) =>
    read(JSON.stringify({ ...exampleState, configuration: { ...exampleState.configuration, interactive } }));
  expect(withInteractive(true).settings).toMatchObject({ attended: true });
  expect(withInteractive(false).settings).toMatchObject({ attended: false });
});

test.each([
  'ralph-fix-m3x9k2ab',
  '7f3a2b1c-0000-4000-8000-000000000000',
  'my-test-fix',
  'ralph--a1b2c3d4',
  'ralph-fix-tests-a1b2c3gh',
])('A146: the invalid id %j does not keep a loop from being read', (loop_id) => {
  expect(read(JSON.stringify({ ...exampleState, loop_id })).id).toBe(loop_id);
});

test.each([
  [{ ...exampleState, version: '3.0.0' }, 'DOCUMENT_NEWER_VERSION'],
  [{ version: 2, core: {} }, 'DOCUMENT_NEWER_VERSION'],
  [{ version: '2.0.0', objective: 'x' }, 'DOCUMENT_NEWER_VERSION'],
  [{ name: 'package' }, 'DOCUMENT_UNKNOWN'],
  [{ ...exampleState, ralphd: {} }, 'DOCUMENT_UNKNOWN'],
  [[], 'DOCUMENT_DAMAGED'],
])('%j is refused as %s', (document, failure) => {
  expect(() => read(JSON.stringify(document))).toThrow(code(failure));
});

test('a system that is named must be the one that wrote the document; "aiwg" stands for all its dialects', () => {
  for (const { name, running } of foreignFixtures) {
    const file = { name: 'file', text: running };
    expect(readForeignLoop(file, name as 'aiwg').from).toBe(name);
    if (name.startsWith('aiwg')) expect(readForeignLoop(file, 'aiwg').from).toBe(name);
    const other = name === 'ultraplan' ? 'tachikoma' : 'ultraplan';
    expect(() => readForeignLoop(file, other)).toThrow(code('DOCUMENT_UNKNOWN'));
  }
});

test('every field is either mapped or kept', () => {
  for (const { running, name } of foreignFixtures) {
    const { mapped, kept, document } = read(running);
    const used = new Set([
      ...mapped.map(({ from }) => from.split('.')[0]),
      ...kept.map((field) => field.split('.')[0]),
    ]);
    const lost = Object.entries(document).filter(
      ([field, value]) => value !== null && field !== 'body' && !used.has(field),
    );
    expect(lost, name).toEqual([]);
  }
});

test('the plugin: a promise of null asks for a check, 0 iterations mean no limit, quotes are taken off', () => {
  const text = '---\nactive: true\niteration: 1\nmax_iterations: 0\ncompletion_promise: null\n---\nDo it.\n';
  expect(read(text).settings).toEqual({ maxIterations: 0, promise: null });
  const [wiggum] = foreignFixtures.filter(({ name }) => name === 'ralph-wiggum');
  expect(read(wiggum?.running ?? '').settings.promise).toBe('ALL "GREEN"');
});

test('ultraplan: the process of the mode marker counts only if a loop set it', () => {
  const text = JSON.stringify({ active: true, iteration: 1, completionPromise: 'DONE', prompt: 'x' });
  const withMarker = (marker: unknown) => readForeignLoop({ name: 'file', text, marker }).pid;
  expect(withMarker({ pid: 42, metadata: { mode: 'ralph-loop' } })).toBe(42);
  expect(withMarker({ pid: 42, metadata: { mode: 'other' } })).toBeUndefined();
  expect(withMarker(undefined)).toBeUndefined();
});
