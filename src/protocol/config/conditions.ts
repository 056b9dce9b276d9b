import * as z from 'zod';
import type { Condition } from './loop-config.ts';
import type { ConditionInput } from './loop-config-input.ts';
import { command, count, duration, group, inside, list, text } from './settings.ts';

/** The file whose existence ends a loop after the current iteration, unless configured otherwise. */
const signalFile = 'ralphd.stop';

/** What to look for: literal text or a regular expression. */
const search = {
  text: text().optional().describe('Literal text to look for.'),
  pattern: text().optional().describe('Regular expression to look for.'),
};
const oneSearch = { error: 'with either "text" or "pattern"' };

function hasOneSearch(condition: { text?: string | undefined; pattern?: string | undefined }): boolean {
  return (condition.text === undefined) !== (condition.pattern === undefined);
}

function of<const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return group({ type: z.literal(type), ...shape });
}

const leafSchemas = [
  of('max_iterations', { count: count(1) }),
  of('max_duration', { duration: duration({ min: 1, max: Number.MAX_SAFE_INTEGER }) }),
  of('test_failure_streak', { count: count(1) }),
  of('all_tests_pass', {}),
  of('specific_tests_pass', { tests: list(text()).min(1, { error: 'a list of at least one test' }) }),
  of('no_progress', { count: count(1) }),
  of('file_created', { path: inside() }),
  of('file_contains', { path: inside(), ...search }).refine(hasOneSearch, oneSearch),
  of('output_pattern', search).refine(hasOneSearch, oneSearch),
  of('on_error', { pattern: text().optional() }),
  of('custom_script', { run: command(), timeout: duration({ min: 1 }).prefault('5s') }),
  of('user_signal', { path: inside().default(signalFile) }),
  of('never', {}),
] as const;

/** A condition without nested conditions. */
export const leafSchema = z.discriminatedUnion('type', leafSchemas);

const nested = z.lazy((): z.ZodType<Condition, ConditionInput> => conditionSchema);
const several = { conditions: list(nested).min(1, { error: 'a list of at least one condition' }) };
const composites = [of('all', several), of('any', several), of('not', { condition: nested })] as const;

const kinds = [...leafSchemas, ...composites] as const;

/** Every type of condition, with the keys it has. */
export const conditionKeys: ReadonlyMap<string, readonly string[]> = new Map(
  kinds.map(({ shape }) => [shape.type.value, Object.keys(shape)]),
);

/** One condition of any kind. */
export const conditionSchema: z.ZodType<Condition, ConditionInput> = z
  .discriminatedUnion('type', kinds, {
    error: ({ code }) =>
      code === 'invalid_union' ? `one of ${[...conditionKeys.keys()].join(', ')}` : 'a mapping with a "type"',
  })
  .meta({ id: 'condition' });
