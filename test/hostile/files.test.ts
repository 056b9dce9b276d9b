import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { endLine, jsonLines } from '../support/project.ts';
import { createHostileProject, describeMeeting, expectHealthy, makeRepository, meet, resume } from './meet.ts';

test.each([
  ['deletes everything in the work tree', 'deletes-tree.sh contents'],
  ['replaces .git by another repository', 'replaces-git.sh other'],
  ['replaces .git by a file that leads nowhere', 'replaces-git.sh file'],
  ['replaces .git by a link to /', 'replaces-git.sh link'],
  ['deletes .git', 'replaces-git.sh nothing'],
])('A090 R22: an agent that %s costs the loop nothing', async (_what, agent) => {
  const meeting = await meet({ agent, isInside: true, before: makeRepository });
  await expectHealthy(meeting, 2);
  expect(meeting.facts('iteration.finished')).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
});

test('R22: an agent that deletes the work tree itself costs the loop nothing', async () => {
  const meeting = await meet({ agent: 'deletes-tree.sh folder', isInside: true, before: makeRepository });
  await expectHealthy(meeting, 2);
});

test.each([
  ['forges the end of the loop in the journal', 'journal'],
  ['forges a snapshot', 'snapshot'],
  ['overwrites the lock', 'lock'],
  ['fills the inbox with rubbish', 'inbox'],
  ['forges its output', 'spool'],
  ['forges its exit', 'exit'],
  ['leaves a folder where its exit belongs', 'exit-folder'],
  ['forges its start', 'started'],
  ['deletes the folder of its attempt', 'attempt'],
  ['rewrites its prompt', 'prompt'],
])('R22: an agent that %s is judged by what it did', async (_what, harm) => {
  const meeting = await meet({ agent: `writes-state.sh ${harm}`, isInside: true });
  await expectHealthy(meeting, 2);
  expect(meeting.facts('agent.finished')).toMatchObject([
    { attempt: 1, ending: { kind: 'exited', code: 7 } },
    { attempt: 1, ending: { kind: 'exited', code: 0 }, claimed: true },
  ]);
  expect(meeting.facts('iteration.finished')).toMatchObject([{ status: 'failed' }, { status: 'completed' }]);
});

test.each([
  ['says that its next attempt has started', 'next-started'],
  ['lays links for its next attempt', 'next-link'],
])('R22: an agent that %s is not followed there', async (_what, harm) => {
  const meeting = await meet({ agent: `writes-state.sh ${harm}`, isInside: true });
  await expectHealthy(meeting, 2);
  expect(meeting.facts('agent.finished').at(-1)).toMatchObject({ iteration: 2, ending: { kind: 'exited', code: 0 } });
  expect(existsSync(path.join(meeting.home, 'victim'))).toBe(false);
});

test.each([
  ['leads its next attempt elsewhere', 'next-elsewhere'],
  ['leaves a file where its next attempt belongs', 'next-file'],
])('R22: an agent that %s pauses the loop, which says what is in the way', async (_what, harm) => {
  const project = createHostileProject({ agent: `writes-state.sh ${harm}` });
  const refused = await project.ralphd('run', 'x', '-n', '5', '--json');
  expect(endLine(refused)).toMatchObject({ status: 'paused', exitCode: 78 });
  const { loopId, home } = describeMeeting(project, [refused]);
  const inTheWay = path.join(project.folder, '.ralph/loops', loopId, 'iterations/002');
  expect(jsonLines(refused.stdout).at(-2)?.['message']).toContain(inTheWay);
  expect(existsSync(path.join(home, 'attempt-1'))).toBe(false);
  rmSync(inTheWay);
  await expectHealthy(describeMeeting(project, [refused, await resume(project)]), 2);
});
