import { expect, test } from 'vitest';
import { outcomeOfResult } from './outcome.ts';

const apiError = { type: 'result', subtype: 'success', is_error: true, terminal_reason: 'api_error' };

test.each([
  ['a refusal', { stop_reason: 'refusal', result: 'API Error: unable to respond' }, 'refused'],
  ['an empty purse', { api_error_status: 400, result: 'Credit balance is too low' }, 'billing'],
  ['a missing key', { api_error_status: null, result: 'Not logged in · Please run /login' }, 'auth'],
  ['a forbidden model', { api_error_status: 403, api_error_type: 'permission_error' }, 'auth'],
  ['a server in trouble', { api_error_status: 503, result: 'API Error: 503 rate limit service' }, 'transient'],
  ['a request that is too large', { api_error_status: 413, api_error_type: 'request_too_large' }, 'context_overflow'],
  ['a bad request', { api_error_status: 400, result: 'API Error: 400 connection header missing' }, 'configuration'],
  ['an error of the provider nobody knows', { result: 'Something else' }, 'transient'],
  ['an error nobody knows', { terminal_reason: 'new_reason', result: 'Something else' }, 'unknown'],
  ['a budget', { subtype: 'error_max_budget_usd', errors: ['Reached maximum budget ($1)'] }, 'budget_limit'],
  [
    'a missing session',
    {
      subtype: 'error_during_execution',
      terminal_reason: undefined,
      errors: ['No conversation found with session ID: x'],
    },
    'configuration',
  ],
  ['an abort', { subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' }, 'interrupted'],
  ['codes that are names of built-ins', { api_error: 'constructor', terminal_reason: 'toString' }, 'unknown'],
])('A083: the result of %s is recognized', (_what, fields, outcome) => {
  expect(outcomeOfResult({ ...apiError, ...fields }, {})).toBe(outcome);
});
