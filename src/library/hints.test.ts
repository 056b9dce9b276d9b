import { expect, test } from 'vitest';
import { type Failure, failures, LoopError } from '../base/index.ts';
import { libraryHints } from './hints.ts';
import { forPrograms, inLibrary } from './library-error.ts';

type Builder = (...details: never[]) => Failure;

/** Only the command line, its server and the fleet can raise these. */
const ofTheCommandLine = new Set([
  'ADDRESS_IN_USE',
  'ADDRESS_NOT_LOCAL',
  'ADDRESS_UNUSABLE',
  'ATTENDED_NEEDS_TERMINAL',
  'BACKGROUND_FAILED',
  'BACKGROUND_NEEDS_STATE',
  'BAD_VALUE',
  'CONFIG_EXISTS',
  'CONFIG_NOT_WRITTEN',
  'CONFLICTING_OPTIONS',
  'CONTROL_NOT_ALLOWED',
  'DEMO_NOT_SET_UP',
  'FILE_EXISTS',
  'FILE_UNREADABLE',
  'FLEET_ADDRESS_INVALID',
  'FLEET_LEASE_LOST',
  'FLEET_LOGIN_REFUSED',
  'FLEET_MIGRATION_FAILED',
  'FLEET_NEWER',
  'FLEET_NOT_PREPARED',
  'FLEET_NOT_THERE',
  'FLEET_OLDER',
  'FLEET_TLS',
  'FLEET_UNANSWERED',
  'FLEET_UNREACHABLE',
  'GIT_FOLDER',
  'HOOK_AGENT_UNKNOWN',
  'HOOK_INPUT_INVALID',
  'HOOK_SETTINGS_UNSAFE',
  'HOST_NOT_ALLOWED',
  'ITERATION_NOT_FOUND',
  'LINK_EXPIRED',
  'MISSING_ARGUMENT',
  'MISSING_VALUE',
  'NOTHING_TO_IMPORT',
  'NOT_IN_SESSION',
  'NO_COUNTERPART',
  'OPTION_NEEDS_OPTION',
  'ORIGIN_NOT_ALLOWED',
  'OUTPUT_MISSING',
  'OUTPUT_NOT_WRITTEN',
  'PLUGIN_LOOP_INVALID',
  'REQUEST_TOO_LARGE',
  'RESTART_TAKEN',
  'RESTART_UNSUPPORTED',
  'REVERT_NOT_POSSIBLE',
  'ROLLBACK_UNCONFIRMED',
  'SCHEDULE_EXISTS',
  'SELFTEST_NOT_SET_UP',
  'SERVER_FAILED',
  'SESSION_MISSING',
  'SESSION_TAKEN',
  'SETTINGS_NOT_EDITED',
  'START_ELSEWHERE',
  'SUBMIT_NEEDS_REPOSITORY',
  'TLS_UNUSABLE',
  'TOO_MANY_ARGUMENTS',
  'UNKNOWN_COMMAND',
  'UNKNOWN_FLAG',
  'UNKNOWN_SUBCOMMAND',
  'WORKER_DISTRUSTS',
  'WORKER_RUNNING',
  'WORKER_TRUSTS_NOBODY',
]);

function samples(): readonly Failure[] {
  // A list of one text reads like the text, so it fits parameters of both kinds.
  const details = [['<first>'], ['<second>'], ['<third>'], ['<fourth>']] as never[];
  return Object.values(failures as Record<string, Builder>).map((build) => build(...details));
}

test('no hint that a program gets names a flag or a command of the command line', () => {
  const phrased = samples()
    .filter(({ code }) => !ofTheCommandLine.has(code))
    .map((failure) => forPrograms(new LoopError(failure)) as LoopError);
  expect(phrased.length).toBeGreaterThan(50);
  const wrong = phrased.filter(({ hint }) => /--[a-z]|\bralphd [a-z]/.test(hint));
  expect(wrong.map(({ code, hint }) => `${code}: ${hint}`)).toEqual([]);
});

test('every hint for programs belongs to a failure that exists', () => {
  const codes = new Set(samples().map(({ code }) => code));
  expect(Object.keys(libraryHints).filter((code) => !codes.has(code))).toEqual([]);
});

test('an error keeps its code, message, cause and stack, and only its hint changes', async () => {
  const cause = new Error('why');
  const error = new LoopError(failures.diskFull('/state'), { cause });
  const seen: unknown = await inLibrary(() => Promise.reject(error)).catch((caught: unknown) => caught);
  expect(seen).toMatchObject({
    name: 'LoopError',
    code: 'DISK_FULL',
    exitCode: 5,
    message: error.message,
    hint: 'Free some space, then continue with resumeLoop().',
    retry: 'backoff',
    cause,
    stack: error.stack,
  });
});

test('an error of another kind reaches the program unchanged', async () => {
  const reason = new DOMException('enough', 'AbortError');
  await expect(inLibrary(() => Promise.reject(reason))).rejects.toBe(reason);
});
