import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { exampleState } from '../../formats/testing/aiwg-example.ts';
import { createCommandLine } from '../testing/command-line.ts';

const registry = { version: '2.0.0', max_concurrent_loops: 4, active_loops: [] };

test('A176: a state document is recognised and validated; both readings of nullable are reported', async () => {
  const line = createCommandLine();
  line.write('state.json', JSON.stringify(exampleState));
  expect(await line.run(['validate', 'state.json'])).toEqual({
    code: 0,
    stdout:
      'state.json is a valid AIWG v2 state document.\n  A plain 2020-12 validator refuses null at /completed_at.\n',
    stderr: '',
  });
  expect(await line.run(['validate', 'state.json', '--pure'])).toEqual({
    code: 1,
    stdout:
      'state.json is not a valid AIWG v2 state document: 1 problem.\n  /completed_at must be a string, but is null\n',
    stderr: '',
  });
});

test('every problem is listed with its place, in text and in JSON', async () => {
  const line = createCommandLine();
  const text = JSON.stringify({ ...exampleState, status: 'idle', metrics: { total_tokens: 1.5 } });
  line.write('state.json', text);
  const { code, stdout } = await line.run(['validate', 'state.json', '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'state',
    valid: false,
    problems: [{ pointer: '/status' }, { pointer: '/metrics/total_tokens' }],
    nulls: [{ pointer: '/completed_at' }],
  });
  expect(readFileSync(path.join(line.folder, 'state.json'), 'utf8')).toBe(text);
});

test('a registry and a compressed checkpoint are recognised by their content', async () => {
  const line = createCommandLine();
  line.write('x', JSON.stringify(registry));
  expect((await line.run(['validate', 'x'])).stdout).toBe('x is a valid AIWG v2 registry document.\n');
  writeFileSync(path.join(line.folder, 'y'), gzipSync(JSON.stringify({ checkpoint_id: 'a' })));
  const checkpoint = await line.run(['validate', 'y', '--json']);
  expect(checkpoint.code).toBe(1);
  expect(JSON.parse(checkpoint.stdout)).toMatchObject({ kind: 'checkpoint', valid: false });
  expect((await line.run(['validate', 'x', '--as', 'state'])).code).toBe(1);
});

test.each([
  ['nothing', undefined, 64, 'FILE_UNREADABLE'],
  ['empty', '', 1, 'is damaged: it '],
  ['half', '{"version":"2.0', 1, 'is damaged: it '],
  ['deep', '['.repeat(5_000), 1, 'is damaged: it '],
  ['gzip', Buffer.from([0x1f, 0x8b, 0]), 1, 'is damaged: it '],
  ['other', '{"name":"x"}', 64, 'DOCUMENT_UNKNOWN'],
  ['text', '42', 64, 'DOCUMENT_UNKNOWN'],
])('the file "%s" is refused with what is wrong', async (name, content, code, failure) => {
  const line = createCommandLine();
  if (content !== undefined) writeFileSync(path.join(line.folder, name), content);
  const ended = await line.run(['validate', name, '--json']);
  expect([ended.code, ended.stderr + ended.stdout]).toEqual([code, expect.stringContaining(failure)]);
});

test('a folder and an unknown kind are refused', async () => {
  const line = createCommandLine();
  mkdirSync(path.join(line.folder, 'folder'));
  expect((await line.run(['validate', 'folder'])).code).toBe(64);
  expect((await line.run(['validate', 'agent.sh', '--as', 'loop'])).stderr).toContain('state, registry, checkpoint');
});
