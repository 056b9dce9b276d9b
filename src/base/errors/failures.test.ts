import { expect, test } from 'vitest';
import { agentFailures } from './agent-failures.ts';
import { backupFailures } from './backup-failures.ts';
import { configFailures } from './config-failures.ts';
import { documentFailures } from './document-failures.ts';
import { exitCodes } from './exit-codes.ts';
import { failures } from './failures.ts';
import { fleetFailures } from './fleet-failures.ts';
import type { Failure } from './loop-error.ts';
import { loopFailures } from './loop-failures.ts';
import { promptFailures } from './prompt-failures.ts';
import { scheduleFailures } from './schedule-failures.ts';
import { serverFailures } from './server-failures.ts';
import { sessionFailures } from './session-failures.ts';
import { storeFailures } from './store-failures.ts';
import { travelFailures } from './travel-failures.ts';
import { ultraplanFailures } from './ultraplan-failures.ts';
import { usageFailures } from './usage-failures.ts';
import { vaultFailures } from './vault-failures.ts';
import { worktreeFailures } from './worktree-failures.ts';

type Builders = Record<string, (...details: never[]) => Failure>;

function samplesOf(builders: Builders) {
  // A list of one text reads like the text, so it fits parameters of both kinds.
  const placeholders = [['<first>'], ['<second>'], ['<third>'], ['<fourth>']] as never[];
  return Object.values(builders).map((build) => build(...placeholders));
}

test('every failure of every family has a permanent code of its own and a documented exit code', () => {
  const samples = samplesOf(failures);
  const codes = samples.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes) expect(code).toMatch(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
  const known: readonly number[] = Object.values(exitCodes);
  for (const { exitCode } of samples) expect(known).toContain(exitCode);
});

test('no family hides a failure of another', () => {
  const families = [
    usageFailures,
    configFailures,
    promptFailures,
    loopFailures,
    agentFailures,
    storeFailures,
    serverFailures,
    sessionFailures,
    documentFailures,
    ultraplanFailures,
    worktreeFailures,
    vaultFailures,
    backupFailures,
    fleetFailures,
    travelFailures,
    scheduleFailures,
  ];
  expect(Object.keys(failures)).toHaveLength(families.flatMap((family) => Object.keys(family)).length);
});

test('every usage, configuration, prompt and worktree failure says in sentences what happened and what to do next', () => {
  const families = {
    ...usageFailures,
    ...configFailures,
    ...promptFailures,
    ...documentFailures,
    ...worktreeFailures,
    ...ultraplanFailures,
    ...sessionFailures,
    ...travelFailures,
    ...scheduleFailures,
  };
  for (const { message, hint } of samplesOf(families)) {
    expect(message).toMatch(/^[^a-z].*\.$/);
    expect(hint).toMatch(/^[A-Z<]/);
    expect(message + hint).not.toMatch(/undefined|\bError:/);
  }
});

test('A055: an unreadable prompt names its path and its cause', () => {
  expect(failures.promptUnreadable('task.md', 'permission denied')).toMatchObject({
    code: 'PROMPT_UNREADABLE',
    exitCode: 78,
    message: 'The prompt file task.md cannot be read: permission denied.',
  });
});

test('a typo on the command line is answered with the likely word and exit code 64', () => {
  expect(failures.unknownFlag('--jsonn', '--json')).toMatchObject({ exitCode: 64, hint: 'Did you mean --json?' });
  expect(failures.unknownFlag('--xyz').hint).toBe('Run "ralphd --help" to see all commands and options.');
});

test('the failure of a loop with nothing to verify names both solutions', () => {
  const { exitCode, hint } = failures.nothingToVerify();
  expect(exitCode).toBe(78);
  expect(hint).toContain('--verify');
  expect(hint).toContain('--trust-promise');
});
