import { expect, test } from 'vitest';
import { trustCases } from '../testing/trust-cases.ts';
import { trustsRepository } from './trusted-repository.ts';

test.for(trustCases)('a worker that trusts %j is asked for %s: %s', ([trusted, repository, is]) => {
  expect(trustsRepository(trusted, repository)).toBe(is);
});
