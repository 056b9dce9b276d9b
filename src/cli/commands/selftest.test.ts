import { expect, test } from 'vitest';
import { createCommandLine } from '../testing/command-line.ts';

test('a self-test without a temporary folder is refused, and the error says what to set', async () => {
  const line = createCommandLine();
  const { code, stdout, stderr } = await line.run(['selftest', '--only', 'sync'], { TMPDIR: 'agent.sh' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('The self-test could not use its temporary folder: ENOTDIR');
  expect(stderr).toContain('next: Set TMPDIR to a folder that you can write to');
  expect(stderr).toContain('code: SELFTEST_NOT_SET_UP');
});
