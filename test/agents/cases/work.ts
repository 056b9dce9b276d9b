import { expect } from 'vitest';
import { factsOf } from '../../support/project.ts';
import { expectEnd, onlyRun, runLoop, runsOf } from '../judgement.ts';
import { spent } from '../model-server/reply.ts';
import type { Case, Stage } from './case.ts';

const verified = { status: 'completed', reason: 'completed', verified: true, exitCode: 0 };
const outOfIterations = { reason: 'max_iterations', exitCode: 2 };

/** Runs without a failure from outside. */
export const workCases: readonly Case[] = [
  { row: 'an answer to the prompt on stdin', shows: 'A052 A083 B017', play: answer },
  { row: 'a file written', shows: 'A083', play: fileWritten },
  { row: 'a tool denied', shows: 'A082', play: toolDenied },
  {
    row: "the agent's own turn limit",
    shows: 'B117',
    exempt: ({ traits }) => (traits.limitsTurns ? undefined : 'has none'),
    play: turnLimit,
  },
  { row: 'a prompt of 300 kB', shows: 'A082', play: (stage) => promptArrives(stage, longTask) },
  { row: 'a prompt that begins with a dash', shows: 'A082', play: (stage) => promptArrives(stage, dashedTask) },
  { row: 'a continued session', shows: 'B135', play: continuedSession },
  { row: 'a loop of three iterations', shows: 'A014 A052 B135', play: threeIterations },
];

/** The model only says that it is done. The check would pass, but nothing was changed. */
async function answer({ program, prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'text' });
  trial.write('done', '');
  expectEnd(await runLoop(trial), outOfIterations);
  expect(factsOf(trial, 'gate.finished').map(({ verdict }) => verdict)).toEqual(['unchanged']);
  const run = onlyRun(trial);
  expect(run).toMatchObject({ outcome: 'completed', claimed: true });
  expect(run.sessionId).toMatch(/^\S{8,}$/u);
  expect(run.usage).toMatchObject(tokensOf(1));
  expect(run.usage?.['costUsd'] !== undefined, 'cost').toBe(program.adapter.reports.cost);
  expect(run.usage?.['context'] !== undefined, 'context').toBe(program.adapter.reports.context);
  return `${run.outcome}, claim refused: nothing changed`;
}

async function fileWritten({ prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'write' });
  expectEnd(await runLoop(trial), verified);
  expect(trial.read('done')).toBe('It is done.\n');
  expect(onlyRun(trial).usage).toMatchObject(tokensOf(2));
  return 'completed, verified';
}

/** The agent may not write, the model claims completion anyway, and the gate rejects it. */
async function toolDenied({ program, prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'write', settings: { permissions: 'ask' } });
  expectEnd(await runLoop(trial), outOfIterations);
  const { stopsWhenDenied = false } = program.traits;
  const claimed = runsOf(trial).some((run) => run.claimed);
  expect(claimed).toBe(!stopsWhenDenied);
  // A run that just stops reports no outcome.
  expect(runsOf(trial)[0]?.outcome).toBe(stopsWhenDenied ? 'unknown' : 'completed');
  expect(trial.has('done')).toBe(false);
  expect(factsOf(trial, 'gate.finished').map(({ verdict }) => verdict)).toEqual(claimed ? ['failed'] : []);
  return `nothing written, ${claimed ? 'claim refused by the gate' : 'no claim'}`;
}

async function turnLimit({ prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'many-turns', turns: 3 });
  expectEnd(await runLoop(trial), outOfIterations);
  const { outcome, claimed } = onlyRun(trial);
  expect({ outcome, claimed }).toEqual({ outcome: 'turn_limit', claimed: false });
  expect(factsOf(trial, 'iteration.finished')).toMatchObject([{ status: 'completed' }]);
  return outcome;
}

const longTask = Array.from(
  { length: 6000 },
  (_, line) => `Line ${String(line).padStart(4, '0')} of a very long task, with an ä.`,
).join('\n');
const dashedTask = '- [ ] Make the file "done".\n--help\n- [ ] Say so.';

async function promptArrives({ prepare }: Stage, task: string): Promise<string> {
  const trial = prepare({ scenario: 'write', task });
  expectEnd(await runLoop(trial), verified);
  expect(trial.asked()[0]?.conversation.history.includes(task), 'the whole task').toBe(true);
  return 'arrived whole';
}

async function continuedSession({ prepare }: Stage): Promise<string> {
  const settings = { maxIterations: 2, session: { strategy: 'continue' } } as const;
  const trial = prepare({ scenario: 'third-time', settings });
  expectEnd(await runLoop(trial), outOfIterations);
  const [first, second] = runsOf(trial);
  expect(second?.sessionId).toBe(first?.sessionId);
  expect(factsOf(trial, 'iteration.started').map(({ session }) => session)).toEqual(['fresh', 'continue']);
  expect(trial.asked().at(-1)?.conversation.history).toContain('the rest is still open');
  // Some agents report the usage of the whole session: the second run must not include the first.
  expect(first?.usage).toMatchObject(tokensOf(2));
  expect(second?.usage).toMatchObject(tokensOf(1));
  return 'same session, usage counted once';
}

async function threeIterations({ prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'third-time', settings: { maxIterations: 5 } });
  expectEnd(await runLoop(trial), { ...verified, iterations: 3 });
  expect(runsOf(trial).map(({ claimed }) => claimed)).toEqual([false, true, true]);
  expect(factsOf(trial, 'gate.finished').map(({ verdict }) => verdict)).toEqual(['failed', 'passed']);
  expect(new Set(runsOf(trial).map(({ sessionId }) => sessionId)).size, 'sessions').toBe(3);
  return 'verified in the third, exit 0';
}

/** The tokens used by this many answers of the model. */
function tokensOf(answers: number) {
  return {
    inputTokens: answers * spent.input,
    outputTokens: answers * spent.output,
    cacheReadTokens: answers * spent.cacheRead,
  };
}
