import type { Condition, FactData, LoopConfig, RecordedFact, StopReason } from '../../../src/protocol/index.ts';
import { isLost } from '../lost-run.ts';
import { conditionsOf, conditionsOfType, everyCondition, observed, type Placed } from '../world/conditions.ts';
import { type Figures, figuresAtBoundary, figuresBeforeGate, truthOf } from './condition-truth.ts';
import { type Invariant, on } from './invariant.ts';
import type { Ledger } from './ledger.ts';

/** Conditions are evaluated in time, end the loops they should, and never complete a loop on their own. */
export const conditionInvariants: readonly Invariant[] = [
  on('conditions.observed', 'conditions are looked at once, behind the run and before the gate', (ledger, data) => {
    const { open } = ledger;
    if (open?.iteration !== data.iteration || open.attempt !== data.attempt) return 'that attempt is not open';
    if (open.run === undefined) return 'the agent has not run';
    if (open.gate !== undefined) return 'the gate has spoken already';
    return open.isObserved === true && 'they were looked at already';
  }),
  on('gate.started', 'conditions are looked at before the gate', ({ open, config }) => owesLook(open, config)),
  on('iteration.finished', 'B040: an iteration is over only when its conditions were looked at', (ledger, data) => {
    const { open, config, wishes } = ledger;
    if (data.status === 'skipped' || wishes.end !== undefined) return undefined;
    return owesLook(open, config);
  }),
  on('gate.started', 'a gate that conditions ask for is asked for by those that are met', (ledger, { conditions }) => {
    if (conditions === undefined || ledger.config === undefined || dependsOnTime(ledger.config)) return undefined;
    const asking = successAsking(ledger, runError(ledger));
    return (
      conditions.some((key) => !asking.includes(key)) && `${conditions.join(', ')} instead of ${asking.join(', ')}`
    );
  }),
  on('stop_rule.triggered', 'B039, B040: the most urgent condition is named, failure first', (ledger, data) => {
    const { condition, elapsedMs } = data;
    const met = metConditions(ledger, elapsedMs);
    const failing = met.filter(({ set }) => set === 'failure');
    if (condition === undefined) {
      if (failing.length > 0) return `${data.rule} although ${failing.map(({ key }) => key).join(', ')} is met`;
      const rank = ranks[data.rule] ?? 0;
      return met.some((placed) => rankOf(placed) > rank) && `${data.rule} is not the most urgent`;
    }
    const named = met.find(({ key }) => key === condition);
    if (named === undefined) return `${condition} is not met`;
    const rivals = failing.length > 0 ? failing : met;
    if (!rivals.includes(named)) return `${condition} although a condition for failure is met`;
    return rivals.some((rival) => rankOf(rival) > rankOf(named)) && `${condition} is not the most urgent`;
  }),
  on('stop_rule.triggered', 'a condition for success ends nothing', (_ledger, { condition }) => {
    return condition?.startsWith('success') === true && `${condition} did`;
  }),
];

/** Records the evidence for conditions. */
export function enterConditions(ledger: Ledger, fact: RecordedFact): void {
  const { conditions, open } = ledger;
  switch (fact.type) {
    case 'agent.finished':
      if (!isLost(fact.data)) conditions.said = fact.data.outputMatches ?? [];
      return;
    case 'conditions.observed':
      conditions.looked.clear();
      for (const { key, met } of fact.data.results) conditions.looked.set(key, met);
      if (open !== undefined) open.isObserved = true;
      return;
    case 'gate.finished':
      conditions.tests = { iteration: fact.data.iteration, counts: fact.data.tests };
      return;
    case 'config.changed':
      // The new checks have not run yet.
      if (fact.data.gate !== undefined) conditions.tests = undefined;
      return;
    case 'iteration.finished':
      if (fact.data.status !== 'skipped') conditions.error = fact.data.failure?.message;
      return;
    case 'stop_rule.triggered':
      conditions.triggered = fact.data.condition;
      return;
    default:
  }
}

/** The stop reasons of all conditions that prevent another iteration. */
export function reachedConditions(ledger: Ledger, aheadMs: number): readonly StopReason[] {
  return metConditions(ledger, aheadMs).map(({ condition }) => reasonOf(condition));
}

/** Whether the open attempt needs a gate without a claim; `undefined` where it depends on time. */
export function mustTryGate(ledger: Ledger, data: FactData<'iteration.finished'>): boolean | undefined {
  const { config } = ledger;
  if (config === undefined || dependsOnTime(config)) return undefined;
  return successAsking(ledger, data.failure?.message).length > 0;
}

/** Whether success conditions may have triggered the gate of the open attempt. */
export function mayTryGate(ledger: Ledger): boolean {
  const { config } = ledger;
  if (config === undefined) return false;
  if (dependsOnTime(config)) return config.stopConditions.success.length > 0;
  return successAsking(ledger, runError(ledger)).length > 0;
}

/** Whether the open attempt, which has no gate, meets a success condition. */
export function claimsSuccess(ledger: Ledger, error: string | undefined): boolean {
  const figures = figuresBeforeGate(ledger, error);
  if (holds(ledger, 'failure', figures).length > 0) return false;
  return holds(ledger, 'success', figures).length > 0;
}

function successAsking(ledger: Ledger, error: string | undefined): readonly string[] {
  const { config, conditions } = ledger;
  const figures = figuresBeforeGate(ledger, error);
  if (config === undefined || holds(ledger, 'failure', figures).length > 0) return [];
  return conditionsOf(config, 'success')
    .filter((placed) => {
      const truth = truthOf(placed, figures, conditions);
      return truth === 2 || (truth === 1 && everyCondition(placed).some(({ condition }) => isAboutTests(condition)));
    })
    .map(({ key }) => key);
}

function holds({ config, conditions }: Ledger, set: Placed['set'], figures: Figures): readonly Placed[] {
  if (config === undefined) return [];
  return conditionsOf(config, set).filter((placed) => truthOf(placed, figures, conditions) === 2);
}

function metConditions(ledger: Ledger, aheadMs: number): readonly Placed[] {
  const figures = figuresAtBoundary(ledger, aheadMs);
  return [...holds(ledger, 'failure', figures), ...holds(ledger, 'stop', figures)];
}

/** The error of the run, before the attempt is judged. */
function runError({ open }: Ledger): string | undefined {
  const { run } = open ?? {};
  if (run === undefined || run.truth === 'worked') return undefined;
  const { known, count, headMoved } = run.changes;
  return run.truth === 'empty' && (!known || count > 0 || headMoved) ? undefined : run.error;
}

function owesLook(open: Ledger['open'], config: LoopConfig | undefined): string | false {
  if (open?.run === undefined || open.isObserved === true || config === undefined) return false;
  const { truth, onRequest } = open.run;
  if (onRequest || truth === 'limit' || truth === 'environment' || truth === 'configuration') return false;
  return conditionsOfType(config, observed).length > 0 && 'nobody has looked';
}

function dependsOnTime(config: LoopConfig): boolean {
  return conditionsOfType(config, ['max_duration']).some(({ set }) => set !== 'stop');
}

function isAboutTests({ type }: Condition): boolean {
  return type === 'all_tests_pass' || type === 'specific_tests_pass';
}

function reasonOf(condition: Condition): StopReason {
  const { type } = condition;
  if (type === 'on_error') return condition.pattern === undefined ? 'condition' : 'pattern';
  return words[type] ?? 'condition';
}

const words: Partial<Record<Condition['type'], StopReason>> = {
  max_iterations: 'max_iterations',
  max_duration: 'max_time',
  test_failure_streak: 'test_failures',
  no_progress: 'no_progress',
  output_pattern: 'pattern',
  custom_script: 'script',
};

/** The precedence in B039, including the built-in stop rules. */
const ranks: Partial<Record<Condition['type'] | StopReason, number>> = {
  on_error: 100,
  pattern: 100,
  user_signal: 90,
  script: 90,
  protected_files: 90,
  max_iterations: 80,
  max_duration: 80,
  max_time: 80,
  max_tokens: 80,
  max_output_tokens: 80,
  max_tool_calls: 80,
  max_cost: 80,
  max_files_changed: 80,
  max_lines_changed: 80,
  test_failure_streak: 70,
  no_progress: 70,
  test_failures: 70,
  iteration_failures: 70,
  same_error: 70,
  all_tests_pass: 60,
  specific_tests_pass: 60,
  output_pattern: 50,
  file_created: 40,
  file_contains: 40,
  custom_script: 30,
  all: 20,
  any: 20,
  not: 10,
};

function rankOf({ condition }: Placed): number {
  return ranks[condition.type] ?? 0;
}
