import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeCheck } from '../support/agents.ts';
import { createProject, type Ended, endLine, jsonLines } from '../support/project.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

test('A121 R21 R22: a full disk pauses the loop with a clear message, and with free space it continues where it was', async (context) => {
  const project = createProject();
  if (!mountSmallDisk(project)) context.skip('a small disk cannot be mounted here');
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo run >> runs',
    'if [ "$(wc -l < runs)" -eq 2 ]; then dd if=/dev/zero of=.ralph/ballast bs=4k > /dev/null 2>&1; fi',
    'if [ "$(wc -l < runs)" -ge 4 ]; then touch done; echo "<promise>DONE</promise>"; fi',
    'exit 0',
  );

  const full = await project.program(...runOf('-n', '9'));
  expect(endLine(full)).toMatchObject({ status: 'paused', reason: 'environment', exitCode: 5 });
  const status = await project.ralphd('status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({
    status: 'paused',
    message: expect.stringContaining('Free some space, then resume the loop.'),
  });

  rmSync(path.join(project.folder, '.ralph/ballast'));
  const resumed = await project.program('resume', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', verified: true, exitCode: 0 });

  const numbers = [...finishedIterations(full), ...finishedIterations(resumed)];
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

function finishedIterations(ended: Ended): readonly unknown[] {
  return jsonLines(ended.stdout).flatMap((line) => (line['type'] === 'iteration.finished' ? [line['iteration']] : []));
}
