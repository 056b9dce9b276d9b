import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd } from '../process/index.ts';
import { createContentReader } from './content.ts';
import { toRaw } from './raw-path.ts';

function fileWith(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-content-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'file');
  writeFileSync(file, text);
  return file;
}

test.for([0, 1_000, 3_000_000])('the blob id of %i bytes is the one that git computes', async (size) => {
  const file = fileWith('x'.repeat(size));
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const { output } = await runToEnd({ command: ['git', 'hash-object', file], cwd: tmpdir(), env });
  expect(await createContentReader({ algorithm: 'sha1' }).read(toRaw(file))).toBe(`100644 ${output.trim()}`);
});

test('an unchanged file is not read again, a changed one is, even if it keeps size and modification time', async () => {
  const file = fileWith('one');
  utimesSync(file, 1_000, 1_000);
  const inAnHour = { algorithm: 'sha1', now: () => Date.now() + 3_600_000 };
  const first = createContentReader(inAnHour);
  await first.read(toRaw(file));
  const planted = [...first.cache].map(([name, { stamp }]) => [name, { stamp, content: 'cached' }] as const);
  const second = createContentReader({ ...inAnHour, known: new Map(planted) });
  expect(await second.read(toRaw(file))).toBe('cached');
  const { ctimeMs } = statSync(file);
  const edit = () => {
    writeFileSync(file, 'two');
    utimesSync(file, 1_000, 1_000);
    return statSync(file).ctimeMs;
  };
  await expect.poll(edit).not.toBe(ctimeMs);
  expect(await second.read(toRaw(file))).toMatch(/^100644 /);
});

test('a file that changed a moment ago is not cached: it could change again within the same clock tick', async () => {
  const file = fileWith('one');
  const now = () => statSync(file).ctimeMs + 1_000;
  const reader = createContentReader({ algorithm: 'sha1', now });
  await reader.read(toRaw(file));
  expect(reader.cache.size).toBe(0);
});
