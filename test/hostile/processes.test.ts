import { expect, test } from 'vitest';
import { expectHealthy, type Hostile, hasty, meet } from './meet.ts';

interface Case extends Hostile {
  readonly what: string;
  readonly ending: Record<string, unknown>;
  readonly status?: string;
}

const exited = { kind: 'exited', code: 0 };
const timedOut = { kind: 'stopped', by: 'timeout' };

const cases: readonly Case[] = [
  {
    what: 'hangs',
    agent: 'hangs.sh',
    settings: 'iteration: { timeout: 5s, killGrace: 1m }\n',
    ending: { ...timedOut, forced: false },
    status: 'timed_out',
  },
  {
    what: 'ignores every signal it may ignore',
    agent: 'ignores-term.sh',
    settings: hasty,
    ending: { ...timedOut, forced: true },
    status: 'timed_out',
  },
  { what: 'stops itself', agent: 'stops-itself.sh', settings: hasty, ending: timedOut, status: 'timed_out' },
  {
    what: 'closes its output and lives on',
    agent: 'closes-output.sh',
    settings: hasty,
    ending: timedOut,
    status: 'timed_out',
  },
  {
    what: 'clears its environment and its session',
    agent: 'scrubs-environment.sh',
    settings: hasty,
    ending: timedOut,
    status: 'timed_out',
  },
  { what: 'hides a process in another session', agent: 'hides-in-session.sh', ending: exited },
  { what: 'leaves children that hold its output', agent: 'leaves-children.sh', ending: exited },
  { what: 'leaves two hundred children', agent: 'forks-many.sh', ending: exited },
  { what: 'opens thousands of files', agent: 'opens-files.sh', ending: exited },
  {
    what: 'dies before its first byte',
    agent: 'dies-at-once.sh',
    ending: { kind: 'signalled', signal: 'SIGKILL' },
    status: 'failed',
  },
];

test.each(cases)(
  'A083 A086 A098: an agent that $what leaves nothing behind, and the next iteration runs',
  async ({ ending, status = 'completed', ...hostile }) => {
    const meeting = await meet(hostile);
    await expectHealthy(meeting, 2);
    expect(meeting.facts('agent.finished')).toMatchObject([{ ending }, { ending: exited }]);
    expect(meeting.facts('iteration.finished')).toMatchObject([{ status }, { status: 'completed' }]);
  },
);
