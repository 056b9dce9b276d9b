import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { identityOf, isAlive } from '../../src/process/index.ts';
import { endLine } from '../support/project.ts';
import { createHostileProject, describeMeeting, expectHealthy, hasty, meet, resume } from './meet.ts';

test.each([
  ['whose keeper is killed', 'kills-keeper.sh'],
  ['that kills its parent', 'kills-parent.sh'],
])('A086: an agent %s is ended with all it started, and its iteration is tried again', async (_what, agent) => {
  const meeting = await meet({ agent });
  await expectHealthy(meeting, 1);
  const finished = meeting.facts('agent.finished');
  expect(finished).toMatchObject([
    { iteration: 1, attempt: 1, ending: { kind: 'lost' }, claimed: false },
    { iteration: 1, attempt: 2, ending: { kind: 'exited', code: 0 } },
  ]);
});

test('A086 A098: an agent that stops its keeper is ended at its timeout', async () => {
  const meeting = await meet({ agent: 'stops-keeper.sh', settings: hasty });
  await expectHealthy(meeting, 2);
  expect(meeting.facts('agent.finished')).toMatchObject([{ ending: { kind: 'stopped', by: 'timeout' } }, {}]);
});

test.each([
  ['kills', 'KILL'],
  ['stops', 'STOP'],
])('A083: an agent that %s what carries its output loses output, and nothing else', async (_what, signal) => {
  const meeting = await meet({ agent: `turns-on-pumps.sh ${signal}` });
  await expectHealthy(meeting, 2);
  expect(meeting.facts('agent.finished')).toMatchObject([{ ending: { kind: 'exited', code: 0 } }, {}]);
});

test('R3: an agent that names a stranger as its keeper does the stranger no harm', async () => {
  const stranger = spawn('sleep', ['100000'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void stranger.kill('SIGKILL'));
  const identity = identityOf(stranger.pid ?? 0);
  if (identity === undefined) throw new Error('The stranger did not start.');
  const project = createHostileProject({
    agent: 'forges-keeper.sh',
    settings: hasty,
    before: ({ folder }) => writeFileSync(path.join(folder, '../bystander'), `${identity.pid} ${identity.startTime}\n`),
  });
  const killed = await project.program('run', 'x', '--json');
  expect(killed).toMatchObject({ code: null, signal: 'SIGKILL' });
  const meeting = describeMeeting(project, [killed, await resume(project)]);
  await expectHealthy(meeting, Number(endLine(meeting.runs.at(-1) ?? killed)['iterations']));
  expect(isAlive(identity)).toBe(true);
  expect(meeting.facts('agent.finished').at(0)).toMatchObject({ claimed: false });
});
