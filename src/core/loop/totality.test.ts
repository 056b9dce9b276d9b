import fc from 'fast-check';
import { expect, test } from 'vitest';
import type * as z from 'zod';
import {
  configSchema,
  encodeConfig,
  factCatalogue,
  factTypes,
  type RecordedFact,
  readFact,
} from '../../protocol/index.ts';
import { explain } from '../explain/explain.ts';
import { maxGuidance, maxServedCommands } from '../state/commands.ts';
import { edit } from '../state/edits.ts';
import { guidanceOf } from '../state/guidance.ts';
import { idleLoop, type Loop } from '../state/loop.ts';
import { maxSessions } from '../state/session.ts';
import { maxCompletionChecks } from '../state/verification.ts';
import { expectExplained } from '../testing/explained.ts';
import { configOf } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { accept, type LoopCommand } from './accept.ts';
import { advance } from './advance.ts';
import { contextOf } from './context.ts';
import { evolve, replay } from './evolve.ts';
import { historyOf } from './history.ts';
import { isTerminal } from './status.ts';

/** The parts of a schema's internals that are read here; the schemas themselves decide which facts are tried. */
interface Inside {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly innerType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly format?: string;
}

const instants = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') });
const configs = fc.constantFrom(
  { nonsense: true },
  {},
  ...[
    { iterationDelay: '0', baseline: false, completionPromise: null },
    { maxIterations: 2, onLimit: 'pause', session: { strategy: 'continue' } },
    { trustPromise: true, onProviderLimit: 'stop', maxTokens: 10 },
    { hooks: [{ name: 'both', at: ['pre_iteration', 'post_iteration'], run: 'x' }] },
    {
      stopConditions: {
        stop: [{ type: 'not', condition: { type: 'file_created', path: 'x' } }],
        success: [{ type: 'all', conditions: [{ type: 'all_tests_pass' }, { type: 'user_signal' }] }],
        failure: [{ type: 'on_error', pattern: 'ä' }],
      },
    } as const,
  ].map((config) => encodeConfig(configSchema.parse(config))),
);

function arbitrary(schema: z.ZodType): fc.Arbitrary<unknown> {
  const { def } = schema as unknown as { readonly def: Inside };
  switch (def.type) {
    case 'object': {
      const shape = Object.entries(def.shape ?? {});
      const required = shape.filter(([, field]) => !field.safeParse(undefined).success).map(([key]) => key);
      const fields = Object.fromEntries(shape.map(([key, field]) => [key, arbitrary(field)]));
      return fc.record(fields, { requiredKeys: required });
    }
    case 'string':
      return def.format === 'datetime'
        ? instants.map((date) => date.toISOString())
        : fc.constantFrom('', 'a', 'b', 'ä\n');
    case 'number':
      return numbers(schema as z.ZodNumber);
    case 'boolean':
      return fc.boolean();
    case 'record':
      // Records of anything are configurations.
      return def.valueType?.type === 'string' ? fc.dictionary(fc.constantFrom('a', 'b'), fc.string()) : configs;
    case 'array':
      return fc.array(arbitrary(inner(def.element)), { minLength: 1, maxLength: 3 });
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries ?? {}));
    case 'literal':
      return fc.constantFrom(...(def.values ?? []));
    case 'union':
      return fc.oneof(...(def.options ?? []).map(arbitrary));
    case 'nullable':
      return fc.option(arbitrary(inner(def.innerType)));
    case 'optional':
      return arbitrary(inner(def.innerType));
    default:
      throw new Error(`facts of this test know no schema of type ${def.type}`);
  }
}

/** Mostly small, so that facts are about the same few iterations. */
function numbers({ minValue, maxValue }: z.ZodNumber): fc.Arbitrary<number> {
  const min = Math.max(0, minValue ?? 0);
  if (maxValue === 1) return fc.double({ min, max: 1, noNaN: true });
  const few = fc.integer({ min, max: 3 });
  return fc.oneof({ weight: 9, arbitrary: few }, { weight: 1, arbitrary: fc.integer({ min, max: 2 ** 40 }) });
}

function inner(schema: z.ZodType | undefined): z.ZodType {
  if (schema === undefined) throw new Error('a schema without its inner schema');
  return schema;
}

const entries = fc.oneof(
  ...factTypes.map((type) => ({
    weight: /^(iteration\.started|agent|gate|hooks|conditions)/.test(type) ? 8 : 1,
    arbitrary: fc.record({
      type: fc.constant(type),
      data: arbitrary(factCatalogue[type].data),
      at: instants,
      epoch: fc.nat(3),
    }),
  })),
);

const recorded: fc.Arbitrary<RecordedFact> = entries.map(({ type, data, at, epoch }) => {
  const reading = readFact({ seq: 1, type, data, at: at.toISOString(), epoch });
  if (!reading.ok) throw new Error(reading.problem);
  return reading.fact;
});

const startOf = startedStory({ config: { completionPromise: null } }).facts;

/** Facts in any order; most of those about an attempt are about the one under way, so that journals reach deep states. */
const journals = fc
  .array(fc.record({ fact: recorded, fits: fc.nat(4).map((dice) => dice > 0) }), { maxLength: 60, size: 'max' })
  .map((steps) => {
    let loop = replay(startOf);
    return steps.map(({ fact, fits }) => {
      const next = fits ? aimed(loop, fact) : fact;
      loop = evolve(loop, next);
      return next;
    });
  });

function aimed(loop: Loop, fact: RecordedFact): RecordedFact {
  if (!('attempt' in fact.data)) return fact;
  const next = {
    iteration: loop.position.finished + 1,
    attempt: loop.position.iteration > loop.position.finished ? loop.position.attempt + 1 : 1,
  };
  const { iteration, attempt } = loop.position.current ?? next;
  return { ...fact, data: { ...fact.data, iteration, attempt } } as RecordedFact;
}

function expectSound(loop: Loop): void {
  expect(loop.position.iteration).toBeLessThanOrEqual(loop.position.finished + 1);
  expect(loop.position.iteration).toBeGreaterThanOrEqual(loop.position.finished);
  expect(loop.verification.completionChecks.length).toBeLessThanOrEqual(maxCompletionChecks);
  expect(loop.session.history.length).toBeLessThanOrEqual(maxSessions);
  expect(loop.commands.guidance.length).toBeLessThanOrEqual(maxGuidance);
  const numbers = guidanceOf(loop).map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(loop.commands.served.length).toBeLessThanOrEqual(maxServedCommands);
  expect(JSON.parse(JSON.stringify(loop))).toEqual(loop);
}

test('whatever facts come in whatever order from whatever owners, replaying them never throws and stays sound', () => {
  fc.assert(
    fc.property(fc.boolean(), journals, (started, facts) => {
      let loop = started ? replay(startOf) : idleLoop(configOf());
      for (const fact of facts) {
        const before = loop;
        loop = evolve(loop, fact);
        expectSound(loop);
        if (isTerminal(before.status)) {
          const { seq, epoch, owner } = loop.journal;
          expect(loop).toEqual(edit(before, { journal: { seq, epoch, owner } }));
        }
        expect(loop.position.finished).toBeGreaterThanOrEqual(before.position.finished);
        expect(loop.totals.runningMs).toBeGreaterThanOrEqual(before.totals.runningMs);
      }
    }),
    { numRuns: 120 },
  );
});

test('whatever state a journal leads to, what comes next can be decided, recorded and read back', () => {
  const moments = fc.record({ nowMs: instants.map((date) => date.getTime()), elapsedMs: fc.nat(1_000_000) });
  fc.assert(
    fc.property(journals, moments, (facts, moment) => {
      const loop = replay([...startOf, ...facts]);
      const step = advance(loop, moment);
      const at = new Date(moment.nowMs).toISOString();
      const after = step.facts.reduce((before, fact) => {
        const reading = readFact({ ...fact, seq: before.journal.seq + 1, at, epoch: before.journal.epoch });
        if (!reading.ok) throw new Error(reading.problem);
        return evolve(before, reading.fact);
      }, loop);
      expectSound(after);
      expect(advance(after, { ...moment, elapsedMs: 0 })).toEqual({ facts: [], action: step.action });
      expect(contextOf(after).id).toBe(loop.id);
      expectExplained(explain(after, { nowMs: moment.nowMs }));
      expect(historyOf(facts).records.length).toBeLessThanOrEqual(100);
    }),
    { numRuns: 120 },
  );
});

test('A048: whatever state a loop is in, a command is accepted or refused, never thrown', () => {
  const id = fc.constantFrom('a', 'x', 'y');
  const plain = (['resume', 'stop', 'abort', 'skip', 'reboot', 'retry'] as const).map((command) =>
    fc.record({ id, command: fc.constant(command) }),
  );
  const commands: fc.Arbitrary<LoopCommand> = fc.oneof(
    ...plain,
    fc.record({ id, command: fc.constant('pause' as const), now: fc.boolean() }),
    fc.record({ id, command: fc.constant('guide' as const), text: fc.string(), once: fc.boolean() }),
    fc.record({ id, command: fc.constant('drop' as const), number: fc.nat(5) }),
    fc.record({ id, command: fc.constant('interrupt' as const), signal: fc.constant('SIGINT') }),
  );
  fc.assert(
    fc.property(journals, commands, (facts, command) => {
      const loop = replay([...startOf, ...facts]);
      const types = accept(loop, command).map(({ type }) => type);
      if (loop.commands.served.some((served) => served.id === command.id)) expect(types).toEqual([]);
      else expect(types[0]).toMatch(/^command\.(accepted|refused)$/);
      if (isTerminal(loop.status)) expect(types).not.toContain('command.accepted');
    }),
    { numRuns: 80 },
  );
});

test('the journals above lead into every status and into every stage of an attempt', () => {
  const reached = new Set<string>();
  for (const facts of fc.sample(journals, { numRuns: 300, seed: 1 })) {
    let loop = replay(startOf);
    for (const fact of facts) {
      loop = evolve(loop, fact);
      reached.add(loop.status).add(loop.position.current?.stage ?? 'boundary');
    }
  }
  expect([...reached].toSorted()).toEqual([
    'aborted',
    'begun',
    'boundary',
    'completed',
    'completing',
    'crashed',
    'executed',
    'executing',
    'failed',
    'paused',
    'running',
    'verified',
    'verifying',
  ]);
});
