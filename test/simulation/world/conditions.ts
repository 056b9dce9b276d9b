import type {
  Condition,
  ConditionInput,
  ConditionResult,
  LoopConfig,
  LoopConfigInput,
} from '../../../src/protocol/index.ts';
import { createRandom, mix, type Random } from '../random.ts';
import type { World } from './world.ts';

type Drawn = Pick<NonNullable<LoopConfigInput['stopConditions']>, 'stop' | 'success' | 'failure' | 'customScripts'>;

/** A condition with its place in the settings. */
export interface Placed {
  readonly set: 'stop' | 'success' | 'failure';
  readonly key: string;
  readonly condition: Condition;
}

/** Draws conditions of all kinds for some loops; the other loops must be able to end without them. */
export function drawConditions(random: Random, comparable: boolean): Drawn {
  if (random.chance(0.45)) return {};
  const several = () =>
    Array.from({ length: random.pick([0, 1, 1, 2]) }, () => drawCondition(random, { comparable, depth: 0 }));
  return {
    stop: several(),
    success: several(),
    failure: several(),
    customScripts: random.chance(0.15) ? ['./enough.sh'] : [],
  };
}

interface Bounds {
  readonly comparable: boolean;
  readonly depth: number;
}

function drawCondition(random: Random, { comparable, depth }: Bounds): ConditionInput {
  const inner = () => drawCondition(random, { comparable, depth: depth + 1 });
  const composite = depth < 3 && random.chance(0.3);
  if (composite) {
    const type = random.pick(['all', 'any', 'not', 'not']);
    // The negation of an unknown result is the easiest to get wrong.
    if (type === 'not') return { type, condition: random.chance(0.5) ? { type: 'user_signal' } : inner() };
    return { type, conditions: Array.from({ length: random.int(1, 3) }, inner) };
  }
  const leaf = leaves[random.int(0, leaves.length - 1)];
  // Durations depend on how often the owner died.
  if (leaf === undefined || (comparable && leaf.type === 'max_duration')) return { type: 'never' };
  return leaf;
}

const leaves: readonly ConditionInput[] = [
  { type: 'max_duration', duration: '3m' },
  // Listed several times, because few loops get that far.
  { type: 'max_iterations', count: 3 },
  { type: 'max_iterations', count: 2 },
  { type: 'test_failure_streak', count: 1 },
  { type: 'test_failure_streak', count: 1 },
  { type: 'test_failure_streak', count: 1 },
  { type: 'all_tests_pass' },
  { type: 'specific_tests_pass', tests: ['test 1', 'test 2'] },
  { type: 'specific_tests_pass', tests: ['test 8'] },
  { type: 'no_progress', count: 2 },
  { type: 'no_progress', count: 1 },
  { type: 'file_created', path: 'there' },
  { type: 'file_contains', path: 'there', text: 'it' },
  { type: 'output_pattern', pattern: 'stuck' },
  { type: 'output_pattern', pattern: 'stuck' },
  { type: 'output_pattern', pattern: 'stuck' },
  { type: 'on_error' },
  { type: 'on_error', pattern: 'no space|tool' },
  { type: 'custom_script', run: './ask.sh' },
  { type: 'user_signal' },
  { type: 'never' },
];

/** The conditions of a set in their order in the settings; `stop` includes plain scripts. */
export function conditionsOf({ stopConditions }: LoopConfig, set: Placed['set']): readonly Placed[] {
  const written = stopConditions[set].map((condition, index) => ({ set, key: `${set}.${index}`, condition }));
  if (set !== 'stop') return written;
  const scripts = stopConditions.customScripts.map((run, index): Placed => {
    return { set, key: `customScripts.${index}`, condition: { type: 'custom_script', run, timeout: 1 } };
  });
  return [...written, ...scripts];
}

/** A condition and all conditions nested in it. */
export function everyCondition({ set, key, condition }: Placed): readonly Placed[] {
  const self = { set, key, condition };
  if (condition.type === 'not') {
    return [self, ...everyCondition({ set, key: `${key}.condition`, condition: condition.condition })];
  }
  if (condition.type !== 'all' && condition.type !== 'any') return [self];
  const inside = condition.conditions.map((inner, at) => ({ set, key: `${key}.conditions.${at}`, condition: inner }));
  return [self, ...inside.flatMap(everyCondition)];
}

/** All conditions of all sets, nested ones included. */
export function everyPlaced(config: LoopConfig): readonly Placed[] {
  const sets = ['failure', 'success', 'stop'] as const;
  return sets.flatMap((set) => conditionsOf(config, set)).flatMap(everyCondition);
}

/** All conditions of these types, nested ones included. */
export function conditionsOfType(config: LoopConfig, types: readonly Condition['type'][]): readonly Placed[] {
  return everyPlaced(config).filter(({ condition }) => types.includes(condition.type));
}

/** Conditions that need an observation of the world. */
export const observed = ['file_created', 'file_contains', 'custom_script', 'user_signal'] as const;

/** The result of an observation; the same for every observer. */
export function lookAt({ seed, finishedRuns }: World, iteration: number, place: string): ConditionResult {
  const random = createRandom(mix(seed, 21, iteration, finishedRuns.get(iteration) ?? 0, hashOf(place)));
  return { key: place, met: random.chance(0.2) ? null : random.chance(0.25) };
}

/** Whether the agent prints the text that a condition waits for. */
export function isStuck({ seed, setting }: World, iteration: number, finishedRuns: number): boolean {
  const isAwaited = conditionsOfType(setting.config, ['output_pattern']).length > 0;
  return isAwaited && createRandom(mix(seed, 22, iteration, finishedRuns)).chance(0.25);
}

function hashOf(text: string): number {
  return mix(...Array.from(text, (character) => character.codePointAt(0) ?? 0));
}
