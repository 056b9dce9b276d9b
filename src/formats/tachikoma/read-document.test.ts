import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { startedStory } from '../../core/testing/story.ts';
import { type TachikomaDocument, tachikomaStatuses, toTachikomaDocument } from './document.ts';
import { readTachikomaDocument } from './read-document.ts';

const savedAt = '2026-11-18T08:00:00.000Z';
const written = toTachikomaDocument(startedStory().run({ sessionId: 'one' }).loop, savedAt);

const instant = fc
  .date({ noInvalidDate: true, min: new Date('1990-01-01'), max: new Date('2200-01-01') })
  .map((date) => date.toISOString());
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const texts = fc.array(fc.string(), { maxLength: 4 });
const whole = fc.nat();

/** Any section with fields that the format does not define. */
function section(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc
    .tuple(fc.record(fields), fc.dictionary(fc.stringMatching(/^x_[a-z]{1,5}$/), fc.jsonValue(), { maxKeys: 2 }))
    .map(([known, unknown]) => ({ ...unknown, ...known }));
}

const anyDocument = section({
  version: fc.constant(1),
  loop_id: fc.uuid(),
  saved_at: instant,
  core: section({
    status: fc.constantFrom(...tachikomaStatuses),
    iteration: whole,
    started_at: optional(instant),
    last_activity: optional(instant),
    working_dir: fc.string(),
    prompt_path: optional(fc.string()),
    config_hash: fc.string(),
  }),
  session: section({
    current_session_id: optional(fc.string()),
    session_started_at: optional(instant),
    session_iterations: whole,
    context_usage: fc.integer({ min: 0, max: 100 }),
    session_history: fc.array(
      section({
        session_id: fc.string(),
        started_at: instant,
        ended_at: instant,
        iterations: whole,
        end_reason: fc.string(),
      }),
      { maxLength: 2 },
    ),
  }),
  progress: section({
    iterations_since_progress: whole,
    last_progress_iteration: optional(whole),
    recent_scores: fc.array(fc.double({ min: 0, max: 1, noNaN: true }).map((score) => score + 0)),
    modified_files: texts,
    completed_objectives: texts,
    pending_objectives: texts,
  }),
  tests: section({
    failure_streak: whole,
    passing_tests: texts,
    failing_tests: texts,
    flaky_tests: texts,
    recently_fixed: texts,
  }),
  stop_conditions: section({
    condition_progress: fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.constantFrom(0, 0.25, 1)),
    last_evaluation: optional(fc.string()),
  }),
  metrics: section({
    total_iterations: whole,
    successful_iterations: whole,
    failed_iterations: whole,
    total_reboots: whole,
    total_execution_ms: whole,
  }),
  custom: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue()),
}) as fc.Arbitrary<TachikomaDocument>;

test('A105 A129 A135: whatever a document holds, unknown fields included, it is read back exactly as it was written', () => {
  fc.assert(
    fc.property(anyDocument, (document) => {
      const stored = JSON.parse(JSON.stringify(document)) as unknown;
      expect(readTachikomaDocument(JSON.stringify(document, undefined, 2))).toEqual({ ok: true, document: stored });
    }),
    { numRuns: 60 },
  );
});

test('A105: what ralphd exports is read back unchanged', () => {
  expect(readTachikomaDocument(JSON.stringify(written))).toEqual({ ok: true, document: written });
});

test('A105: names that mean something to JavaScript are values like any other', () => {
  const text = JSON.stringify(written).replace(/"custom":\{.*\}\}$/, '"custom":{"__proto__":{"x":1}}}');
  const reading = readTachikomaDocument(text);
  expect(reading.ok && JSON.stringify(reading.document)).toBe(text);
});

test('A105: optional fields may be missing and become null', () => {
  const { started_at: _1, last_activity: _2, prompt_path: _3, ...core } = written.core;
  const { current_session_id: _4, session_started_at: _5, ...session } = written.session;
  const { last_progress_iteration: _6, ...progress } = written.progress;
  const { last_evaluation: _7, ...conditions } = written.stop_conditions;
  const short = { ...written, core, session, progress, stop_conditions: conditions };
  expect(readTachikomaDocument(JSON.stringify(short))).toMatchObject({
    ok: true,
    document: {
      core: { started_at: null, last_activity: null, prompt_path: null },
      session: { current_session_id: null, session_started_at: null },
      progress: { last_progress_iteration: null },
      stop_conditions: { last_evaluation: null },
    },
  });
});

test('A119 A137: a document of version 2 is refused with both versions, whatever else it holds', () => {
  for (const document of [{ ...written, version: 2 }, { version: 2 }]) {
    expect(readTachikomaDocument(JSON.stringify(document), 'state.json')).toMatchObject({
      ok: false,
      newerVersion: 2,
      failure: {
        code: 'DOCUMENT_NEWER_VERSION',
        message: 'state.json has format version 2; this version of ralphd reads version 1. It was left untouched.',
      },
    });
  }
});

test.each([
  ['', 'it is empty'],
  ['{"version": 1, "loop', 'it is not JSON'],
  ['[]', 'it is not a mapping'],
  ['{}', '"version" must be a whole number'],
  ['{"version": "1"}', '"version" must be a whole number'],
  ['{"version": 0}', '"version" must be a version from 1'],
  [{ saved_at: 'yesterday' }, '"saved_at" must be an instant such as 2026-11-18T08:00:00Z'],
  [{ core: undefined }, '"core" must be of the type object'],
  [
    { core: { ...written.core, status: 'idle' } },
    '"core.status" must be one of running, paused, rebooting, stopped, completed, error',
  ],
  [{ core: { ...written.core, iteration: -1 } }, '"core.iteration" must be a whole number from 0'],
  [{ tests: { ...written.tests, flaky_tests: 'none' } }, '"tests.flaky_tests" must be a list of texts'],
  [{ custom: [] }, '"custom" must be of the type record'],
])('A132: the damaged document %j is refused with what is wrong', (damage, why) => {
  const text = typeof damage === 'string' ? damage : JSON.stringify({ ...written, ...damage });
  expect(readTachikomaDocument(text)).toMatchObject({
    ok: false,
    failure: {
      code: 'DOCUMENT_DAMAGED',
      message: `The document is damaged: ${why}. It was left untouched.`,
    },
  });
});

test('A132: a document that is cut off anywhere is refused', () => {
  const text = JSON.stringify(written);
  for (let length = 0; length < text.length; length += 1) {
    expect(readTachikomaDocument(text.slice(0, length)).ok).toBe(false);
  }
});
