import { truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endLine, jsonLines } from '../support/project.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { createHostileProject, describeMeeting, expectHealthy, expectNothingLeft, resume } from './meet.ts';

test('A121 R21: an agent that fills the disk by printing loses the loop nothing, and with free space it continues', async (context) => {
  const project = createHostileProject({ agent: 'fills-disk.sh' });
  if (!mountSmallDisk(project)) context.skip('a small disk cannot be mounted here');
  const full = await project.program('run', 'x', '-n', '5', '--json');
  expect(endLine(full)).toMatchObject({ status: 'paused', reason: 'environment', exitCode: 5 });
  const types = jsonLines(full.stdout).map(({ type }) => type);
  expect(types, 'a full disk costs no iteration').not.toContain('iteration.finished');
  expect(types).toContain('iteration.interrupted');
  await expectNothingLeft(project);
  const spool = describeMeeting(project, [full]).file('stdout');
  truncateSync(spool);
  const meeting = describeMeeting(project, [full, await resume(project)]);
  await expectHealthy(meeting, Number(endLine(meeting.runs[1] ?? full)['iterations']));
});
