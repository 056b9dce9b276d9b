import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, endLine, loopIds } from '../support/project.ts';

const foreignJson: readonly (readonly [string, string | Uint8Array])[] = [
  ['deep nesting', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['keys that every object has', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
  ['huge numbers', '{"version":1e999,"seq":99999999999999999999999}'],
  ['another type', '[]'],
  ['a broken end', '{"a":'],
  ['no text', Buffer.from([0xff, 0x00, 0xfe])],
];

test('a backup or a proof with unrelated JSON is refused and changes nothing', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', 'onLimit: pause\n');
  await project.ralphd(...runOf('--verify', 'false', '-n', '1'));
  const [loopId = ''] = loopIds(project);
  const before = await project.ralphd('status', '--json');
  for (const [what, content] of foreignJson) {
    writeFileSync(path.join(project.folder, 'foreign.json'), content);
    expect((await project.ralphd('restore', loopId, '--from', './foreign.json')).code, what).toBe(64);
    expect((await project.ralphd('proof', 'verify', 'foreign.json')).code, what).toBe(78);
  }
  expect(JSON.parse((await project.ralphd('status', '--json')).stdout)).toMatchObject({
    lastActivityAt: endLine(before)['lastActivityAt'],
    status: 'paused',
  });
});
