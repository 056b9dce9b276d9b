import { expect, test } from 'vitest';
import { outcomeOfError } from './error-outcome.ts';
import { readProviderError, resetOf } from './provider-error.ts';

test('A083: the innermost of nested errors is read', () => {
  const inner = JSON.stringify({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Too much.' } });
  const text = `Something failed: ${JSON.stringify({ error: { type: 'Error', message: inner } })} (sorry)`;
  expect(readProviderError(text)).toEqual({
    message: 'Too much.',
    codes: ['Error', 'RESOURCE_EXHAUSTED'],
    status: 429,
  });
});

test('B117: the name of a quota distinguishes a daily limit from a limit per minute', () => {
  const limited = (quotaId: string) => {
    const details = [{ violations: [{ quotaId }] }, { '@type': 'RetryInfo', retryDelay: '1s' }];
    return readProviderError(
      JSON.stringify({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x', details } }),
    );
  };
  expect(outcomeOfError(limited('GenerateRequestsPerDayPerProjectPerModel'))).toBe('usage_limited');
  expect(limited('x').retryAfterMs).toBe(1000);
  expect(outcomeOfError(limited('GenerateRequestsPerMinutePerProjectPerModel'))).toBe('rate_limited');
});

test('B117: a number is a status only where it is called one', () => {
  expect(readProviderError('unexpected status 503 Service Unavailable').status).toBe(503);
  expect(readProviderError('see http://127.0.0.1:401/s/429/v1 on line 500').status).toBeUndefined();
});

test('B117: a wait of zero, or of more than a month, is ignored', () => {
  expect(readProviderError('retry in 0s').retryAfterMs).toBeUndefined();
  expect(readProviderError('try again in 400 days').retryAfterMs).toBeUndefined();
  expect(readProviderError('{"error":{"resets_in_seconds":1e12}}').retryAfterMs).toBeUndefined();
  expect(readProviderError('try again in 3 hours and 5 minutes').retryAfterMs).toBe(11_100_000);
});

test('B117: a wait ends at an instant only if it is known when it began', () => {
  const error = readProviderError('Please retry in 90s');
  expect(resetOf(error, new Date('2026-11-15T22:00:00Z'))).toBe('2026-11-15T22:01:30.000Z');
  expect(resetOf(error, undefined)).toBeUndefined();
});

test('A083: any value may appear where an error is expected', () => {
  for (const text of ['', '{', '}{', '[API Error: {"error":7}]', '{"error":{"message":{},"details":{},"code":[]}}']) {
    expect(outcomeOfError(readProviderError(text))).toBeUndefined();
  }
});
