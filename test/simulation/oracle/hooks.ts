import type { FactType, HookPoint, HookStep, LoopConfig, LoopHookStep } from '../../../src/protocol/index.ts';
import { type Invariant, on, onAny } from './invariant.ts';
import type { Ledger, OpenAttempt } from './ledger.ts';

const afterDecision: readonly FactType[] = [
  'iteration.started',
  'hooks.started',
  'agent.started',
  'gate.started',
  'reboot.started',
  'wait.scheduled',
  'loop.paused',
  'question.asked',
  'command.accepted',
];

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
  onAny(
    ['hooks.finished', 'loop_hooks.finished'],
    'hooks run in the order of their priority, each once',
    (ledger, seen) => {
      if (seen.fact.type !== 'hooks.finished' && seen.fact.type !== 'loop_hooks.finished') return undefined;
      const { config } = ledger;
      const { results } = seen.fact.data;
      const names = results.map(({ name }) => name);
      if (new Set(names).size !== names.length) return `${names.join(', ')}`;
      const priorities = names.map((name) => config?.hooks.find((hook) => hook.name === name)?.priority ?? 0);
      return priorities.some((priority, index) => priority > (priorities[index - 1] ?? Infinity)) && names.join(', ');
    },
  ),
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
  onAny(
    ['loop_hooks.started', 'loop_hooks.finished'],
    'B068: hooks outside of iterations run at their place, and once',
    (ledger, { fact }) => {
      if (fact.type !== 'loop_hooks.started' && fact.type !== 'loop_hooks.finished') return undefined;
      if (ledger.open !== undefined) return `${fact.data.point} in the middle of iteration ${ledger.open.iteration}`;
      return misplaced(ledger, fact.data.point);
    },
  ),
  on('iteration.started', 'B068: no iteration starts before the hooks that are due', (ledger, _data, { world }) => {
    const { config, loopHooks } = ledger;
    if (hasAny(config, 'loop_start') && !loopHooks.hasStarted && ledger.lastIteration === 0) return 'loop_start';
    if (hasAny(config, 'post_reboot') && loopHooks.hasRebooted) return 'post_reboot';
    // A switch that comes after the decision to start has its hooks after the iteration.
    const isKnown = (loopHooks.switchedSeq ?? 0) <= world.decidedSeq;
    return hasAny(config, 'on_mode_switch') && isKnown && loopHooks.modeBefore !== undefined && 'on_mode_switch';
  }),
  on('reboot.started', 'B036: a reboot starts only when the hooks before it let it', ({ config, loopHooks }) => {
    if (loopHooks.isCancelled) return 'one of them failed';
    return hasAny(config, 'pre_reboot') && !loopHooks.mayReboot && 'they have not run';
  }),
  on('loop.ended', 'B068: a loop ends as it was decided before its last hooks, and after them', (ledger, data) => {
    const { loopHooks, config, status, wishes } = ledger;
    const { end, hasEnded } = loopHooks;
    if (end !== undefined && (end.status !== data.status || end.reason !== data.reason)) {
      return `${end.status}/${end.reason} became ${data.status}/${data.reason}`;
    }
    const isWaived = status === 'paused' || ledger.abortedAtMs < Infinity || wishes.pause?.now === true;
    return !isWaived && hasAny(config, 'loop_end') && !hasEnded && 'they have not run';
  }),
  onAny(
    afterDecision,
    'B068: nothing but hooks runs once it is decided how the loop ends',
    ({ loopHooks }, { fact }) => {
      return loopHooks.end !== undefined && `${fact.type} after that`;
    },
  ),
];

function misplaced(ledger: Ledger, point: LoopHookStep): string | false {
  const { loopHooks, status, lastIteration } = ledger;
  const isEnding = loopHooks.end !== undefined || status === 'completing';
  if (point === 'loop_end') return (!isEnding && 'the loop goes on') || (loopHooks.hasEnded && 'they have run');
  if (isEnding || status !== 'running') return `${point} while the loop is ${isEnding ? 'ending' : status}`;
  switch (point) {
    case 'loop_start':
      return (loopHooks.hasStarted || lastIteration > 0) && 'the loop has started already';
    case 'pre_reboot':
      return loopHooks.mayReboot && 'they have run';
    case 'post_reboot':
      return !loopHooks.hasRebooted && 'there was no reboot, or they have run';
    case 'on_mode_switch':
      return loopHooks.modeBefore === undefined && 'there was no switch, or they have run';
  }
}

function hasAny(config: LoopConfig | undefined, point: HookPoint): boolean {
  return (config?.hooks ?? []).some(
    ({ at, enabled, ifStatus }) => enabled && at.includes(point) && ifStatus === undefined,
  );
}

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
