import type { HookStep, LoopConfig } from '../../../src/protocol/index.ts';
import { type Invariant, on, onAny } from './invariant.ts';
import type { Ledger, OpenAttempt } from './ledger.ts';

/** Hooks run at their step, finish once per attempt, and what they request happens. */
export const hookInvariants: readonly Invariant[] = [
  onAny(
    ['hooks.started', 'hooks.finished'],
    'hooks run inside their attempt and at their place',
    (ledger, { fact }) => {
      if (fact.type !== 'hooks.started' && fact.type !== 'hooks.finished') return undefined;
      const { open } = ledger;
      const { iteration, attempt, point } = fact.data;
      if (open?.iteration !== iteration || open.attempt !== attempt) return 'that attempt is not open';
      if (open.hooks.finished.has(point)) return `${point} is over already`;
      const hasRun = open.run !== undefined;
      if (point === 'pre_iteration') return (hasRun || open.agentStarted) && 'the agent was started before';
      return !hasRun && 'the agent has not run';
    },
  ),
  on('hooks.finished', 'hooks run in the order of their priority, each once', ({ config }, { results }) => {
    const names = results.map(({ name }) => name);
    if (new Set(names).size !== names.length) return `${names.join(', ')}`;
    const priorities = names.map((name) => config?.hooks.find((hook) => hook.name === name)?.priority ?? 0);
    return priorities.some((priority, index) => priority > (priorities[index - 1] ?? Infinity)) && names.join(', ');
  }),
  on('agent.started', 'A081: no agent starts before its hooks have run', ({ open, config }, { iteration }) => {
    return open !== undefined && isOwed(open, config, { point: 'pre_iteration', iteration }) && 'they have not';
  }),
  onAny(['agent.started', 'iteration.started'], 'B070: nothing starts after a hook forbade it', (ledger, { fact }) => {
    if (ledger.hookStop) return `${fact.type} after a hook asked to stop`;
    return fact.type === 'agent.started' && ledger.open?.hooks.broken === true && 'a hook that must not fail has';
  }),
  on('iteration.finished', 'A084: an iteration is over only when its hooks have run', (ledger, data) => {
    const { open, config, wishes } = ledger;
    const isWaived = data.status === 'skipped' || wishes.end !== undefined || wishes.skipped === data.iteration;
    if (open === undefined || isWaived) return undefined;
    return isOwed(open, config, { point: 'post_iteration', iteration: data.iteration }) && 'they have not';
  }),
  on('iteration.interrupted', 'an attempt is given up for a hook only when one asked for it', (ledger, { cause }) => {
    const { open, hookStop } = ledger;
    if (open?.hooks.finished.has('post_iteration')) return 'hooks were told that the iteration was over';
    return cause === 'hook' && !hookStop && open?.hooks.broken !== true && 'none did';
  }),
  on('loop.ended', 'B070: a loop that a hook asked to stop stops for that reason', (ledger, data) => {
    if (ledger.conditions.triggered !== undefined) return undefined;
    if (data.reason === 'script') return !ledger.hookStop && 'no hook asked for it';
    if (!ledger.hookStop || data.status === 'completed' || data.reason === 'pattern') return undefined;
    return data.status !== 'aborted' && `it ended with ${data.reason}`;
  }),
];

/** Whether a hook without conditions has yet to run. For a hook with conditions, only the rules can decide. */
function isOwed(
  { hooks }: OpenAttempt,
  config: LoopConfig | undefined,
  { point, iteration }: { readonly point: HookStep; readonly iteration: number },
): boolean {
  if (hooks.finished.has(point)) return false;
  return hasHooks(config, point, iteration);
}

function hasHooks(config: LoopConfig | undefined, point: HookStep, iteration: number): boolean {
  return (config?.hooks ?? []).some(
    ({ at, enabled, everyN, ifStatus }) =>
      enabled && at.includes(point) && iteration % everyN === 0 && ifStatus === undefined,
  );
}

/** Whether hooks may still run between the judgement of an attempt and its end. */
export function mayAwaitHooks({ open, config }: Ledger): boolean {
  const after = (config?.hooks ?? []).some(({ at }) => at.some((point) => point !== 'pre_iteration'));
  return after && open !== undefined && !open.hooks.finished.has('post_iteration');
}
