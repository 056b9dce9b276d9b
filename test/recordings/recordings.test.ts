import { describe, expect, test } from 'vitest';
import type { AgentReading } from '../../src/agents/_shared/reader.ts';
import { recordedAgents } from './agents.ts';
import { type Expectation, loadRecording, readRecording, recordedCases } from './recording.ts';

describe.each(recordedAgents)('the recordings of $name', ({ name: agent, expectations, createDialect }) => {
  const expected = Object.entries(expectations).flatMap(([version, cases]) =>
    Object.entries(cases).map(
      ([name, wanted]) => [version, name, typeof wanted === 'string' ? { outcome: wanted } : wanted] as const,
    ),
  );

  test('are all expected to mean something, and nothing else is expected', () => {
    const names = expected.map(([version, name]) => `${version}/${name}`);
    expect(names.toSorted()).toEqual(
      recordedCases(agent)
        .map(([version, name]) => `${version}/${name}`)
        .toSorted(),
    );
  });

  test.each(expected)('A083: version %s, %s: mean what their scenario calls for', (version, name, wanted) => {
    const reading = readRecording(createDialect(), loadRecording(agent, version, name));
    expect(inTermsOf(wanted, reading)).toEqual(wanted);
  });
});

/** The part of a reading that an expectation speaks of. Costs are compared to a hundredth of a cent. */
function inTermsOf(wanted: Expectation, reading: AgentReading): Expectation {
  const { usage, costUsd, ...rest } = reading;
  const cost = costUsd === undefined ? undefined : Math.round(costUsd.value * 100_000) / 100_000;
  const flat: Readonly<Record<string, unknown>> = { ...rest, usage: usage?.value, costUsd: cost };
  const fields = Object.keys(wanted).map((field) => [field, flat[field]]);
  return Object.fromEntries(fields) as Expectation;
}
