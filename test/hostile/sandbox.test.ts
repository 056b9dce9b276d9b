import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hasNamespaces } from '../support/system.ts';
import { expectHealthy, type Hostile, hasty, makeRepository, meet } from './meet.ts';

const exited = (code: number) => ({ kind: 'exited', code });
const timedOut = (forced: boolean) => ({ kind: 'stopped', by: 'timeout', forced });

const stateHarms = (
  'journal snapshot lock inbox spool exit exit-folder started attempt prompt ' +
  'next-started next-link next-elsewhere next-file'
).split(' ');

/** What each agent does, and how its run ends; left out, it does not matter how. */
const parade: readonly (readonly [line: string, ending?: Record<string, unknown>])[] = [
  ['hides-in-session.sh', exited(0)],
  ['leaves-children.sh', exited(0)],
  ['forks-many.sh', exited(0)],
  ['opens-files.sh', exited(0)],
  ['dies-at-once.sh', { kind: 'signalled', signal: 'SIGKILL' }],
  ['scrubs-environment.sh'],
  ['prints-much.sh', exited(0)],
  ['prints-one-line.sh', exited(0)],
  ['prints-garbage.sh 3', exited(3)],
  ['writes-device.sh', exited(0)],
  ['kills-keeper.sh'],
  ['kills-parent.sh'],
  ['stops-keeper.sh'],
  ['forges-keeper.sh'],
  ['turns-on-pumps.sh KILL', exited(0)],
  ['turns-on-pumps.sh STOP', exited(0)],
  ...['kill', 'term', 'forge-exit', 'block-exit', 'delete-attempt', 'delete-state'].map(
    (harm) => [`kills-ralphd.sh ${harm} 7`] as const,
  ),
  ...stateHarms.map((harm) => [`writes-state.sh ${harm}`, exited(7)] as const),
  ...['other', 'file', 'link', 'nothing'].map((what) => [`replaces-git.sh ${what}`] as const),
  ['deletes-tree.sh contents'],
  ['deletes-tree.sh folder'],
];

test.skipIf(!hasNamespaces)(
  'A083 A086 A098 R3 R22: one hostile agent after the other costs a loop in a sandbox nothing and leaves nothing behind',
  async () => {
    const lingers = /^(?:hides|leaves|forks)/;
    const meeting = await meet({
      agent: 'parade.sh',
      runs: parade.length,
      sandbox: 'on',
      env: { HOSTILE_BYTES: '4000000' },
      settings:
        'stopConditions: { maxNoProgressIterations: 0, maxIterationFailureStreak: 0, maxSameErrorStreak: 0 }\niteration: { timeout: 60s, killGrace: 300ms }\n',
      before: (project) => {
        makeRepository(project);
        project.write('go', '');
        // Without anybody to attack, those that would wait for their own end are done.
        const lines = parade.map(([line]) => `${lingers.test(line) ? 100_000 : 0} ${line}`);
        writeFileSync(path.join(path.dirname(project.folder), 'parade'), `${lines.join('\n')}\n`);
      },
    });
    await expectHealthy(meeting, parade.length + 1);
    expect(meeting.facts('agent.started').every(({ sandbox }) => sandbox === 'on')).toBe(true);
    const finished = meeting.facts('agent.finished');
    for (const [number, [line, ending]] of parade.entries()) {
      if (ending !== undefined) expect(finished[number], line).toMatchObject({ ending });
    }
  },
);

const hanging: readonly (Hostile & { readonly ending: Record<string, unknown> })[] = [
  { agent: 'ignores-term.sh', settings: hasty, ending: timedOut(true) },
  { agent: 'hangs.sh', settings: 'iteration: { timeout: 5s, killGrace: 1m }\n', ending: timedOut(false) },
  { agent: 'stops-itself.sh', settings: hasty, ending: { kind: 'stopped', by: 'timeout' } },
  { agent: 'closes-output.sh', settings: hasty, ending: { kind: 'stopped', by: 'timeout' } },
];

test.skipIf(!hasNamespaces)(
  'A083 A086 A098: in a sandbox, agents that do not end are ended at their timeout, with all they started',
  async () => {
    const meetings = hanging.map(async ({ ending, ...hostile }) => {
      const meeting = await meet({ ...hostile, sandbox: 'on' });
      await expectHealthy(meeting, 2);
      expect(meeting.facts('agent.finished'), hostile.agent).toMatchObject([{ ending }, { ending: exited(0) }]);
      expect(meeting.facts('iteration.finished')).toMatchObject([{ status: 'timed_out' }, { status: 'completed' }]);
    });
    await Promise.all(meetings);
  },
);
