import {
  type Condition,
  type ConditionSet,
  conditionSets,
  conditionsIn,
  type LeafCondition,
  type LoopConfig,
} from '../../../protocol/index.ts';

/** A condition and the place in the settings by which it is known: `stop.0`, `stop.0.conditions.1`. */
export interface PlacedCondition<Kind extends Condition = Condition> {
  readonly key: string;
  readonly condition: Kind;
}

/** A user-defined condition, in its set. */
export interface ConditionEntry extends PlacedCondition {
  readonly set: ConditionSet;
}

/** A condition that can only be decided by checking files or running a script. */
export type ObservableCondition = Extract<
  LeafCondition,
  { readonly type: 'file_created' | 'file_contains' | 'custom_script' | 'user_signal' }
>;

type OutputCondition = Extract<LeafCondition, { readonly type: 'output_pattern' }>;
type ErrorCondition = Extract<LeafCondition, { readonly type: 'on_error' }>;

/** The conditions of one set, most urgent first. A script of the plain list is a condition to stop. */
export function entriesOf({ stopConditions }: LoopConfig, set: ConditionSet): readonly ConditionEntry[] {
  const written = stopConditions[set].map((condition, index) => ({ set, key: `${set}.${index}`, condition }));
  const all = set === 'stop' ? [...written, ...scripts(stopConditions)] : written;
  return all.toSorted((one, other) => priorities[other.condition.type] - priorities[one.condition.type]);
}

function scripts({ customScripts, scriptTimeout }: LoopConfig['stopConditions']): readonly ConditionEntry[] {
  return customScripts.map((run, index) => ({
    set: 'stop',
    key: `customScripts.${index}`,
    condition: { type: 'custom_script', run, timeout: scriptTimeout },
  }));
}

/** How urgent a condition is: of several that are met, the most urgent one is named. */
export const priorities: Readonly<Record<Condition['type'], number>> = {
  on_error: 100,
  user_signal: 90,
  max_iterations: 80,
  max_duration: 80,
  test_failure_streak: 70,
  no_progress: 70,
  all_tests_pass: 60,
  specific_tests_pass: 60,
  output_pattern: 50,
  file_created: 40,
  file_contains: 40,
  custom_script: 30,
  all: 20,
  any: 20,
  not: 10,
  never: 0,
};

/** The conditions directly inside another, each at its place. */
export function placedIn({ key, condition }: PlacedCondition): readonly PlacedCondition[] {
  const within = conditionsIn(condition);
  return condition.type === 'not'
    ? within.map((inner) => ({ key: `${key}.condition`, condition: inner }))
    : within.map((inner, index) => ({ key: `${key}.conditions.${index}`, condition: inner }));
}

/** A condition and all conditions inside it, at any depth. */
export function unfold(placed: PlacedCondition): readonly PlacedCondition[] {
  return [placed, ...placedIn(placed).flatMap(unfold)];
}

/** Every condition that can only be decided by checking files or running a script. */
export function observableConditions(config: LoopConfig): readonly PlacedCondition<ObservableCondition>[] {
  return allConditions(config).flatMap(({ key, condition }) => (isObservable(condition) ? [{ key, condition }] : []));
}

/** Every condition on the agent's output. */
export function outputConditions(config: LoopConfig): readonly PlacedCondition<OutputCondition>[] {
  return allConditions(config).flatMap(({ key, condition }) =>
    condition.type === 'output_pattern' ? [{ key, condition }] : [],
  );
}

/** Every condition on how an iteration fails. */
export function errorConditions(config: LoopConfig): readonly PlacedCondition<ErrorCondition>[] {
  return allConditions(config).flatMap(({ key, condition }) =>
    condition.type === 'on_error' ? [{ key, condition }] : [],
  );
}

/** Every regular expression that conditions use, each with the place of its condition. */
export function patternsIn(config: LoopConfig): readonly { readonly key: string; readonly pattern: string }[] {
  return allConditions(config).flatMap(({ key, condition }) =>
    'pattern' in condition && condition.pattern !== undefined ? [{ key, pattern: condition.pattern }] : [],
  );
}

/** Every amount of running time that may end the loop, in milliseconds. */
export function durationsIn(config: LoopConfig): readonly number[] {
  const ending = [...entriesOf(config, 'failure'), ...entriesOf(config, 'stop')];
  return ending
    .flatMap(unfold)
    .flatMap(({ condition }) => (condition.type === 'max_duration' ? [condition.duration] : []));
}

/** Every condition at any depth, each at its place. */
export function allConditions(config: LoopConfig): readonly PlacedCondition[] {
  return conditionSets.flatMap((set) => entriesOf(config, set)).flatMap(unfold);
}

function isObservable(condition: Condition): condition is ObservableCondition {
  return observableTypes.has(condition.type);
}

const observableTypes: ReadonlySet<Condition['type']> = new Set([
  'file_created',
  'file_contains',
  'custom_script',
  'user_signal',
] as const satisfies readonly ObservableCondition['type'][]);
