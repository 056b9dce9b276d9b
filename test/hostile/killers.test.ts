import { expect, test } from 'vitest';
import { endLine, eventually } from '../support/project.ts';
import {
  createHostileProject,
  describeMeeting,
  expectHealthy,
  expectNothingLeft,
  hasty,
  meet,
  resume,
} from './meet.ts';

test('A064 R5: an agent that signals ralphd and every process in between is ended, and a resume continues', async () => {
  const meeting = await meet({ agent: 'kills-ralphd.sh term', settings: hasty });
  const [first] = meeting.runs;
  expect(first).toMatchObject({ code: 143, signal: null });
  expect(first && endLine(first)).toMatchObject({ status: 'paused', reason: 'interrupted', exitCode: 143 });
  await expectHealthy(meeting, 1);
});

test('R3 A141: an agent that kills ralphd is not lost with it: the next one takes its result', async () => {
  const project = createHostileProject({ agent: 'kills-ralphd.sh kill' });
  const running = project.start(['run', 'x', '-n', '5', '--json']);
  const killed = await running.ended;
  expect(killed).toMatchObject({ code: null, signal: 'SIGKILL' });
  const status = await project.ralphd('status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ status: 'crashed', iteration: 1, attempt: 1 });
  const meeting = describeMeeting(project, [killed, await resume(project)]);
  await expectHealthy(meeting, 1);
  expect(meeting.facts('agent.finished')).toMatchObject([
    { iteration: 1, attempt: 1, ending: { kind: 'exited', code: 0 }, claimed: true },
  ]);
  expect(meeting.facts('iteration.started')).toHaveLength(1);
});

test('R3: an agent that kills ralphd and forges its exit is believed only when it has really ended', async () => {
  const project = createHostileProject({ agent: 'kills-ralphd.sh forge-exit 7' });
  const killed = await project.program('run', 'x', '-n', '5', '--json');
  expect(killed).toMatchObject({ code: null, signal: 'SIGKILL' });
  const running = project.start(['resume', '--json']);
  await eventually(() => running.output().stdout).toContain('"loop.recovered"');
  project.write('go', '');
  const meeting = describeMeeting(project, [killed, await running.ended]);
  await expectHealthy(meeting, 2);
  expect(meeting.facts('agent.finished')).toMatchObject([
    { iteration: 1, attempt: 1, ending: { kind: 'exited', code: 7 } },
    { iteration: 2, attempt: 1, ending: { kind: 'exited', code: 0 } },
  ]);
});

test.each([
  ['keeps its exit from being recorded', 'block-exit 7'],
  ['deletes its attempt', 'delete-attempt'],
  ['deletes all of the state', 'delete-state'],
])('R3 R22: an agent that kills ralphd and %s neither stops the loop nor works on beside it', async (_what, harm) => {
  const project = createHostileProject({ agent: `kills-ralphd.sh ${harm}` });
  const killed = await project.program('run', 'x', '-n', '5', '--json');
  expect(killed).toMatchObject({ code: null, signal: 'SIGKILL' });
  const { loopId } = describeMeeting(project, [killed]);
  const meeting = describeMeeting(project, [killed, await resume(project, loopId)]);
  await expectHealthy(meeting, Number(endLine(meeting.runs.at(-1) ?? killed)['iterations']));
});

test('A086: an agent that outlives ralphd and its own timeout is ended although no process watches it', async () => {
  const project = createHostileProject({
    agent: 'ignores-term.sh',
    settings: 'iteration: { timeout: 1s, killGrace: 100ms }\n',
  });
  const running = project.start(['run', 'x', '--json']);
  await eventually(() => running.output().stdout).toContain('"agent.started"');
  running.signal('SIGKILL');
  await running.ended;
  await expectNothingLeft(project);
});
