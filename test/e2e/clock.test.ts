import { expect, test } from 'vitest';
import { runOf, runsOf, writeCheck, writeSteppedAgent } from '../support/agents.ts';
import { readJson } from '../support/loop-files.ts';
import {
  createProject,
  type Ended,
  endLine,
  eventually,
  factsOf,
  journalOf,
  jsonLines,
  type Project,
} from '../support/project.ts';
import { createSetClock, fakeTime } from '../support/set-clock.ts';

function steppedProject(): Project {
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  return project;
}

/** Every duration and number of milliseconds in an object, however deep. */
function durationsIn(value: unknown, name = ''): readonly number[] {
  if (typeof value === 'number') return name.endsWith('Ms') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => durationsIn(each, key));
}

/** What people and programs are shown of a loop has no time that is below zero. */
async function expectSaneViews(
  ask: (...args: readonly string[]) => Promise<Ended>,
  ...more: readonly string[]
): Promise<void> {
  for (const command of ['status', 'ls', ...more]) {
    const shown = await ask(command);
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout, command).not.toMatch(/-\d+(?:\.\d+)?(?:ms|s|m|h|d)\b|NaN|Infinity/);
    const data = jsonLines((await ask(command, '--json')).stdout);
    expect(
      durationsIn(data).filter((ms) => ms < 0),
      command,
    ).toEqual([]);
  }
}

test.skipIf(fakeTime === undefined)(
  'a clock that is set back by an hour costs a loop no limit, no lease and no fact, over a pause and a crash',
  async () => {
    const project = steppedProject();
    const clock = createSetClock(project);
    const start = (...args: readonly string[]) => project.start(args, clock.env);
    const ask = async (...args: readonly string[]) => await start(...args).ended;
    const first = start(...runOf('-n', '9', '--max-time', '30m', '--no-baseline'));
    await eventually(() => runsOf(project)).toBe(1);
    clock.set('-1h');
    await expectSaneViews(ask);
    project.write('go-1', '');
    await eventually(() => runsOf(project)).toBe(2);
    expect((await ask('pause')).code).toBe(0);
    project.write('go-2', '');
    expect(endLine(await first.ended)).toMatchObject({ status: 'paused', reason: 'user_pause', iterations: 2 });

    const second = start('resume', '--json');
    await eventually(() => runsOf(project)).toBe(3);
    clock.set('-2h');
    process.kill(Number(readJson(project, 'owner.json')['pid']), 'SIGKILL');
    await second.ended;
    await expectSaneViews(ask);
    project.write('finish', '');
    project.write('go-3', '');
    expect(endLine(await ask('resume', '--json'))).toMatchObject({
      status: 'completed',
      iterations: 3,
      verified: true,
    });

    await expectSaneViews(ask, 'explain', 'report', 'stats');
    const facts = journalOf(project);
    expect(facts.map(({ seq }) => seq)).toEqual(facts.map((_, index) => index + 1));
    expect(durationsIn(facts.map(({ data }) => data)).filter((ms) => ms < 0)).toEqual([]);
    const [status] = jsonLines((await ask('status', '--json')).stdout);
    expect(status?.['runningMs']).toBeLessThan(600_000);
    await eventually(() => project.processes()).toEqual([]);
  },
);

test.skipIf(fakeTime === undefined)(
  'a clock that is eight hours ahead after a sleep ends no loop by its time, and no agent by its timeout',
  async () => {
    const project = steppedProject();
    const clock = createSetClock(project);
    const start = (...args: readonly string[]) => project.start(args, clock.env);
    const ask = async (...args: readonly string[]) => await start(...args).ended;
    const running = start(...runOf('-n', '9', '--max-time', '1h', '--iteration-timeout', '10m', '--no-baseline'));
    await eventually(() => runsOf(project)).toBe(1);
    clock.set('+8h');
    await expectSaneViews(ask);
    project.write('go-1', '');
    await eventually(() => runsOf(project)).toBe(2);
    process.kill(Number(readJson(project, 'owner.json')['pid']), 'SIGKILL');
    await running.ended;
    clock.set('+16h');
    project.write('finish', '');
    project.write('go-2', '');
    expect(endLine(await ask('resume', '--json'))).toMatchObject({ status: 'completed', iterations: 2 });
    expect(factsOf(project, 'agent.finished')).toMatchObject([
      { ending: { kind: 'exited' } },
      { ending: { kind: 'exited', code: 0 } },
    ]);
  },
);

test.skipIf(fakeTime === undefined)('a wait ends on time although the clock is set back by an hour', async () => {
  const project = steppedProject();
  const clock = createSetClock(project);
  for (const name of ['go-1', 'go-2']) project.write(name, '');
  const args = runOf('-n', '2', '--no-baseline').map((arg, index, all) => (all[index - 1] === '--delay' ? '1s' : arg));
  const running = project.start(args, clock.env);
  await eventually(() => running.output().stdout).toContain('"wait.scheduled"');
  clock.set('-1h');
  expect(endLine(await running.ended)).toMatchObject({ reason: 'max_iterations', iterations: 2 });
});
