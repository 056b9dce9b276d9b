import { expect, test } from 'vitest';
import { hasNamespaces } from '../support/system.ts';
import { expectHealthy, type Hostile, hasty, meet } from './meet.ts';

interface Case extends Hostile {
  readonly what: string;
  readonly ending: Record<string, unknown>;
  readonly status?: string;
}

const exited = { kind: 'exited', code: 0 };

const cases: readonly Case[] = [
  {
    what: 'ignores every signal it may ignore',
    agent: 'ignores-term.sh',
    settings: hasty,
    ending: { kind: 'stopped', by: 'timeout', forced: true },
    status: 'timed_out',
  },
  {
    what: 'hangs',
    agent: 'hangs.sh',
    settings: 'iteration: { timeout: 5s, killGrace: 1m }\n',
    ending: { kind: 'stopped', by: 'timeout', forced: false },
    status: 'timed_out',
  },
  { what: 'hides a process in another session', agent: 'hides-in-session.sh', ending: exited },
  { what: 'leaves two hundred children', agent: 'forks-many.sh', ending: exited },
  {
    what: 'dies before its first byte',
    agent: 'dies-at-once.sh',
    ending: { kind: 'signalled', signal: 'SIGKILL' },
    status: 'failed',
  },
];

test.skipIf(!hasNamespaces).each(cases)(
  'A083 A086 A098: in a sandbox, an agent that $what ends as without one and leaves nothing behind',
  async ({ ending, status = 'completed', ...hostile }) => {
    const meeting = await meet({ ...hostile, sandbox: 'on' });
    await expectHealthy(meeting, 2);
    expect(meeting.facts('agent.started')).toMatchObject([{ sandbox: 'on' }, { sandbox: 'on' }]);
    expect(meeting.facts('agent.finished')).toMatchObject([{ ending }, { ending: exited }]);
    expect(meeting.facts('iteration.finished')).toMatchObject([{ status }, { status: 'completed' }]);
  },
);
