import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { factsOf } from '../../support/project.ts';
import { endedClean, expectEnd, onlyRun, patiently, runLoop, runUntil } from '../judgement.ts';
import { resetInSeconds } from '../model-server/reply.ts';
import type { Scenario } from '../model-server/scenarios.ts';
import type { Program } from '../programs/program.ts';
import type { Trial } from '../trial.ts';
import type { Case, Stage } from './case.ts';

/** Failures of the provider or the network, and interruptions by the user. */
export const troubleCases: readonly Case[] = [
  { row: '401', shows: 'B117', play: credentialsRefused },
  { row: '429 once, then an answer', shows: 'B117', play: limitedOnce },
  { row: '429 for good', shows: 'B117', play: limited },
  { row: '429 for half an hour', shows: 'B117', play: limitedForLong },
  { row: 'a usage limit with a reset', shows: 'B117', play: usageLimited },
  {
    row: 'a daily quota used up',
    shows: 'B117',
    exempt: ({ traits }) => (traits.hasDailyQuota ? undefined : 'has none'),
    play: quotaUsedUp,
  },
  { row: '5xx', shows: 'B117', play: (stage) => transient(stage, 'server-error') },
  { row: 'a stream that breaks off', shows: 'B117', play: (stage) => transient(stage, 'truncated') },
  { row: 'no answer at all', shows: 'B117', play: (stage) => hang(stage, 'hang') },
  { row: 'an answer that stops midway', shows: 'B117', play: (stage) => hang(stage, 'hang-midway') },
  { row: 'aborted while a shell tool runs', shows: 'B018 B117', play: abortedInTool },
];

async function credentialsRefused({ prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'auth' });
  expectEnd(await runLoop(trial), { status: 'paused', reason: 'configuration', exitCode: 78 });
  return expectFailure(trial, 'auth', 'configuration');
}

async function limitedOnce({ prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'rate-limit-once' });
  trial.write('done', '');
  // The model only says that it is done, so the claim is refused.
  expectEnd(await runLoop(trial), { reason: 'max_iterations', exitCode: 2 });
  expect(trial.asked().map(({ reply }) => reply)).toEqual(expect.arrayContaining(['refusal', 'text']));
  expect(onlyRun(trial)).toMatchObject({ outcome: 'completed', claimed: true });
  return 'completed';
}

async function limited({ prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'rate-limit' });
  expectEnd(await runLoop(trial), { status: 'paused', reason: 'provider_limit', exitCode: 75 });
  return expectFailure(trial, 'rate_limited', 'limit');
}

async function usageLimited({ program, prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'usage-limit', plan: true, settings: { iteration: hasty(program) } });
  const startedMs = Date.now();
  expectEnd(await runLoop(trial), { status: 'paused', reason: 'provider_limit', exitCode: 75 });
  const { resetAt } = onlyRun(trial);
  const seen = expectFailure(trial, 'usage_limited', 'limit');
  // Some agents report the reset only to the minute.
  const afterMs = Date.parse(resetAt ?? '') - startedMs - resetInSeconds * 1000;
  expect(afterMs).toBeGreaterThanOrEqual(-60_000);
  expect(afterMs).toBeLessThanOrEqual(Date.now() - startedMs + 60_000);
  return `${seen}, reset known`;
}

async function quotaUsedUp({ prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'daily-quota' });
  expectEnd(await runLoop(trial), { status: 'paused', reason: 'provider_limit', exitCode: 75 });
  expect(onlyRun(trial).resetAt).toBeUndefined();
  return `${expectFailure(trial, 'usage_limited', 'limit')}, reset not reported`;
}

/** Half an hour: an agent that waits it out is stopped, and the cause is still known. */
async function limitedForLong({ program, prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'long-limit', settings: { iteration: hasty(program) } });
  expectEnd(await runLoop(trial), { status: 'paused', reason: 'provider_limit', exitCode: 75 });
  return expectFailure(trial, 'rate_limited', 'limit');
}

async function transient({ prepare }: Stage, scenario: Scenario): Promise<string> {
  const trial = prepare({ scenario });
  await runUntil(trial, 'iteration.interrupted');
  return expectFailure(trial, 'transient', 'environment');
}

/** The agent would wait for minutes or forever; it is stopped when it shows no activity. */
async function hang({ program, prepare }: Stage, scenario: Scenario): Promise<string> {
  const { isRestless = false } = program.traits;
  const trial = prepare({ scenario, settings: { iteration: hasty(program) } });
  expectEnd(await runLoop(trial), { reason: 'max_iterations', exitCode: 2 });
  expect(trial.asked().length).toBeGreaterThan(0);
  const { outcome, claimed, ending } = onlyRun(trial);
  expect({ outcome, claimed, kind: ending.kind }).toEqual({ outcome: 'interrupted', claimed: false, kind: 'stopped' });
  expect(isRestless ? ['idle', 'timeout'] : ['idle']).toContain(ending.by);
  expect(factsOf(trial, 'iteration.finished')).toMatchObject([{ status: 'timed_out' }]);
  return isRestless ? 'ended by a watchdog' : 'ended by the idle watchdog';
}

/** Watchdogs that keep the test short; the last one is for agents that never look idle. */
function hasty({ traits }: Program) {
  return { idleTimeout: '4s', startTimeout: '1m', timeout: traits.isRestless ? '30s' : '3m', killGrace: '3s' };
}

async function abortedInTool({ prepare }: Stage): Promise<string> {
  const trial = prepare({ scenario: 'shell-waits' });
  const running = trial.start(['run', '--json']);
  await expect.poll(() => commandsOf(trial), patiently).toContain('tail -F /dev/null');
  expect(await trial.ralphd('abort', '--json')).toMatchObject({ code: 0 });
  expectEnd(await endedClean(trial, running), { status: 'aborted', exitCode: 1 });
  return 'aborted, no process left';
}

/** Checks the failure of the only attempt: the outcome in the agent's stream and the failure class in the loop. */
function expectFailure(trial: Trial, outcome: string, failureClass: string): string {
  expect(onlyRun(trial)).toMatchObject({ outcome, claimed: false });
  expect(factsOf(trial, 'iteration.interrupted')[0]).toMatchObject({ cause: failureClass });
  return `${outcome} (${failureClass})`;
}

function commandsOf(trial: Trial): readonly string[] {
  return trial.processes().map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    } catch {
      return '';
    }
  });
}
