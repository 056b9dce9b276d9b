import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configSchema, type LoopConfigInput } from '../../protocol/index.ts';
import { createPromptSource } from './prompt-source.ts';

function prepare(config: LoopConfigInput) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-prompt-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  return { folder, write, source: createPromptSource(configSchema.parse(config), folder) };
}

test('A004 A052: a prompt file is read afresh each time, as it is', async () => {
  const { source, write } = prepare({ promptPath: 'task.md' });
  write('task.md', 'first\r\n$& {{PROMPT}}\n');
  expect(await source.read()).toBe('first\r\n$& {{PROMPT}}\n');
  write('task.md', 'second');
  expect(await source.read()).toBe('second');
});

test('A004: without a name PROMPT.md is read, else prompt.md; a text comes before both', async () => {
  const { source, write } = prepare({});
  write('prompt.md', 'small');
  expect(await source.read()).toBe('small');
  write('PROMPT.md', 'large');
  expect(await source.read()).toBe('large');
  const given = prepare({ prompt: 'as text' });
  given.write('PROMPT.md', 'large');
  expect(await given.source.read()).toBe('as text');
});

test.each<[LoopConfigInput, string, string]>([
  [{ promptPath: 'missing.md' }, 'PROMPT_UNREADABLE', 'there is no such file'],
  [{ promptPath: '.' }, 'PROMPT_UNREADABLE', 'it is a folder'],
  [{ promptPath: 'blank.md' }, 'PROMPT_EMPTY', 'blank.md is empty'],
  [{}, 'PROMPT_MISSING', 'neither PROMPT.md nor prompt.md'],
])('A055: a prompt that cannot be had is refused with path and cause: %j', async (config, code, cause) => {
  const { source, write } = prepare(config);
  write('blank.md', ' \n\t');
  await expect(source.read()).rejects.toMatchObject({
    failure: { code, exitCode: 78, message: expect.stringContaining(cause) as string },
  });
});
