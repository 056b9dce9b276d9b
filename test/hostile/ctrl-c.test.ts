import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { endLine, eventually, factsOf, type Project, type Running, stateOf } from '../support/project.ts';
import { hasNamespaces } from '../support/system.ts';
import { hasTerminal, startInTerminal } from '../support/terminal.ts';
import { createHostileProject, expectNothingLeft } from './meet.ts';

interface Interruptible extends Running {
  interrupt(): void;
}

type Way = readonly [string, (project: Project) => Interruptible, sandbox?: 'on'];

const signalled = (project: Project): Interruptible => {
  const running = project.start(['run', 'x']);
  return { ...running, interrupt: () => running.signal('SIGINT') };
};

const ways: readonly Way[] = [
  [
    'Ctrl-C in a terminal',
    (project) => {
      const running = startInTerminal(project, ['run', 'x']);
      return { ...running, interrupt: () => running.press('\u0003') };
    },
  ],
  ['SIGINT', signalled],
  ['SIGINT, with the agent in a sandbox,', signalled, 'on'],
];

function skipWhereImpossible([way, , sandbox]: Way, context: TestContext): void {
  if (!hasTerminal && way.includes('terminal')) context.skip('no terminal can be opened here');
  if (!hasNamespaces && sandbox !== undefined) context.skip('there is no sandbox here');
}

const stubborn = ([, , sandbox]: Way, settings: string): Project =>
  createHostileProject({ agent: 'counts-signals.sh', settings, ...(sandbox && { sandbox }) });

async function startWorking(project: Project, start: (project: Project) => Interruptible): Promise<Interruptible> {
  const running = start(project);
  await eventually(() => textIn(project, 'ready')).toBe('yes\n');
  await eventually(() => factsOf(project, 'agent.started')).toHaveLength(1);
  return running;
}

/** What the agent wrote into a file outside the work tree. */
function textIn(project: Project, name: string): string {
  const file = path.join(path.dirname(project.folder), name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const signalsTo = (project: Project): string => textIn(project, 'signals');

test.for(ways)('R5 A064: %s once ends a stubborn agent and its children within the grace', async (way, context) => {
  skipWhereImpossible(way, context);
  // Long enough for the agent to write down the signal on a slow machine.
  const project = stubborn(way, 'iteration: { killGrace: 4s }\n');
  const running = await startWorking(project, way[1]);
  running.interrupt();
  expect(await running.ended).toMatchObject({ code: 130, signal: null });
  // The terminal's SIGINT does not reach the agent: only ralphd asks it to end, once.
  expect(signalsTo(project)).toBe('TERM\n');
  await expectNothingLeft(project);
  expect(stateOf(project)).toMatchObject({ status: 'paused', iteration: 1, ralphd: { reason: 'interrupted' } });
  expect(factsOf(project, 'agent.finished')).toMatchObject([{ ending: { by: 'request', forced: true } }]);
  await expectResumes(project);
});

test.for(ways)('R5 A064: %s twice ends everything at once, and a resume continues', async (way, context) => {
  skipWhereImpossible(way, context);
  const project = stubborn(way, 'iteration: { killGrace: 1h }\n');
  const running = await startWorking(project, way[1]);
  running.interrupt();
  await eventually(() => signalsTo(project)).toBe('TERM\n');
  // Two signals within 300 ms count as one.
  const askedAt = performance.now();
  await eventually(() => performance.now() - askedAt).toBeGreaterThan(800);
  running.interrupt();
  expect(await running.ended).toMatchObject({ code: 130, signal: null });
  expect(signalsTo(project)).toBe('TERM\n');
  await expectNothingLeft(project);
  await expectResumes(project);
});

async function expectResumes(project: Project): Promise<void> {
  const resumed = await project.program('resume', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', verified: true, iterations: 1, exitCode: 0 });
  expect(factsOf(project, 'iteration.started')).toMatchObject([
    { iteration: 1, attempt: 1 },
    { iteration: 1, attempt: 2 },
  ]);
  await expectNothingLeft(project);
}
