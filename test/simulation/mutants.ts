import { type Advance, edit, type Loop } from '../../src/core/index.ts';
import type { Fact, FactData, FactType, HookStep, LoopHookStep, RecordedFact } from '../../src/protocol/index.ts';
import { type Rules, realRules } from './rules.ts';

/** The rules with one planted bug. */
export interface Mutant {
  readonly bug: string;
  readonly rules: Rules;
}

const { advance, evolve, accept } = realRules;

/** Plausible bugs in a loop runner; the simulation must detect all of them. */
export const mutants: readonly Mutant[] = [
  advancing('a limit is looked at before the outcome', (loop, result) => {
    const { maxIterations } = loop.config;
    if (!has(result, 'loop.completing') || maxIterations === 0 || loop.position.finished + 1 < maxIterations)
      return result;
    return { facts: [...upTo(result, 'iteration.finished'), ...failed('max_iterations')], action: { type: 'none' } };
  }),
  advancing('a claim completes the loop without the gate', (loop, result) => {
    if (result.action.type !== 'verify') return result;
    return completing(loop, result);
  }),
  advancing('a green baseline counts as a passed gate', (loop, result) => {
    if (result.action.type !== 'verify' || loop.verification.baseline?.verdict !== 'passed') return result;
    return completing(loop, result);
  }),
  advancing('a trusted claim passes for a verified one', (_loop, result) => ({
    ...result,
    facts: result.facts.map((fact) =>
      fact.type === 'loop.completing' ? { type: fact.type, data: { verified: true } } : fact,
    ),
  })),
  {
    bug: 'a failed loop can be resumed',
    rules: {
      ...realRules,
      accept: (loop, command) =>
        command.command === 'resume' && loop.status === 'failed'
          ? [
              { type: 'command.accepted', data: command },
              { type: 'loop.resumed', data: {} },
            ]
          : accept(loop, command),
    },
  },
  evolving('an ended loop takes on the status of a later end', (before, fact, after) =>
    before.outcome.endedAt !== undefined && fact.type === 'segment.opened' ? { ...after, status: 'crashed' } : after,
  ),
  evolving('an interrupted attempt uses up its number', (before, fact, after) =>
    fact.type === 'iteration.interrupted' && before.position.current !== undefined
      ? { ...after, position: { ...after.position, finished: after.position.finished + 1 } }
      : after,
  ),
  advancing('a provider limit costs an iteration', (_loop, result) => ({
    ...result,
    facts: result.facts.map((fact) => {
      if (fact.type !== 'iteration.interrupted' || fact.data.cause !== 'limit') return fact;
      const { iteration, attempt, elapsedMs } = fact.data;
      const data = { iteration, attempt, status: 'failed', progress: unmoved, durationMs: 0, elapsedMs } as const;
      return { type: 'iteration.finished', data };
    }),
  })),
  {
    bug: 'a wait is ignored',
    rules: {
      ...realRules,
      advance: (loop, moment, happened) => {
        const result = advance(loop, moment, happened);
        return result.action.type === 'wait' && result.facts.length === 0
          ? advance(withoutWait(loop), moment, happened)
          : result;
      },
    },
  },
  advancing('an orphan is left alone and the agent started beside it', (_loop, result) =>
    result.action.type === 'recover' ? { ...result, action: { ...result.action, type: 'execute' } } : result,
  ),
  advancing('a crash throws away a run that was paid for', (loop, result) => {
    const { current } = loop.position;
    if (current?.stage !== 'executed' || current.epoch === loop.journal.epoch || has(result, 'iteration.interrupted'))
      return result;
    return { facts: [], action: { type: 'recover', iteration: current.iteration, attempt: current.attempt } };
  }),
  {
    bug: 'a pause is forgotten when the iteration ends',
    rules: {
      ...realRules,
      advance: (loop, moment, happened) =>
        advance(loop.position.current ? without(loop, 'pause') : loop, moment, happened),
    },
  },
  {
    bug: 'a stop is forgotten while the loop is paused',
    rules: {
      ...realRules,
      advance: (loop, moment, happened) =>
        advance(loop.status === 'paused' ? without(loop, 'end') : loop, moment, happened),
    },
  },
  {
    bug: 'running time is not accounted for',
    rules: { ...realRules, advance: (loop, moment, happened) => advance(loop, { ...moment, elapsedMs: 0 }, happened) },
  },
  evolving('a resume is forgotten when an owner dies', (_before, fact, after) => {
    if (fact.type !== 'segment.opened' || after.status !== 'running') return after;
    return { ...after, status: 'paused' };
  }),
  evolving('an answered command is answered again', (_before, fact, after) =>
    fact.type === 'segment.opened' ? { ...after, commands: { ...after.commands, served: [] } } : after,
  ),
  evolving('the streak of failures is never broken', (before, fact, after) => {
    if (fact.type !== 'iteration.finished' || after.totals.stats.iterationFailureStreak > 0) return after;
    const { iterationFailureStreak } = before.totals.stats;
    return { ...after, totals: { ...after.totals, stats: { ...after.totals.stats, iterationFailureStreak } } };
  }),
  evolving('the streak without progress is never counted', (_before, _fact, after) =>
    after.totals.stats.noProgressCount === 0
      ? after
      : { ...after, totals: { ...after.totals, stats: { ...after.totals.stats, noProgressCount: 0 } } },
  ),
  advancing('an iteration number is used again', (loop, result) =>
    result.action.type === 'begin' && loop.position.finished > 0
      ? { ...result, action: { ...result.action, iteration: loop.position.finished } }
      : result,
  ),
  evolving('money spent is forgotten', (before, fact, after) =>
    fact.type === 'agent.finished'
      ? {
          ...after,
          totals: { ...after.totals, spent: { ...after.totals.spent, costUsd: before.totals.spent.costUsd } },
        }
      : after,
  ),
  evolving('time spent paused counts as running time', (before, fact, after) =>
    fact.type === 'loop.resumed'
      ? { ...after, totals: { ...after.totals, runningMs: before.totals.runningMs + 600_000 } }
      : after,
  ),
  advancing('an end has no message', (_loop, result) => ({
    ...result,
    facts: result.facts.map((fact) =>
      fact.type === 'loop.ended' ? { type: fact.type, data: { ...fact.data, message: '' } } : fact,
    ),
  })),
  evolving('a broken environment is tried again for ever', (_before, fact, after) =>
    fact.type === 'iteration.interrupted'
      ? { ...after, pending: { ...after.pending, retries: { ...after.pending.retries, environment: 1 } } }
      : after,
  ),
  advancing('the delay before a free retry does not grow', (_loop, result) => ({
    ...result,
    facts: result.facts.map((fact) => {
      if (fact.type !== 'wait.scheduled' || fact.data.cause !== 'environment') return fact;
      const until = new Date(Date.parse(fact.data.until) - 5_000).toISOString();
      return { type: fact.type, data: { ...fact.data, until } };
    }),
  })),
  evolving('a failed reboot is tried again for ever', (_before, fact, after) =>
    fact.type === 'reboot.finished'
      ? { ...after, pending: { ...after.pending, retries: { ...after.pending.retries, reboot: 0 } } }
      : after,
  ),
  {
    bug: 'a reboot that was asked for is forgotten',
    rules: { ...realRules, advance: (loop, moment, happened) => advance(without(loop, 'reboot'), moment, happened) },
  },
  misreadingHooks('a hook that asks to stop is not heard', ({ stop: _stop, ...rest }) => rest),
  evolving('an owner that dies takes the stop of a hook with it', (_before, fact, after) => {
    return fact.type === 'segment.opened' ? edit(after, { signals: { hookStop: undefined } }) : after;
  }),
  misreadingHooks('a hook that must not fail may', ({ results, ...rest }) => ({
    ...rest,
    results: results.map(({ fatal: _fatal, ...result }) => result),
  })),
  withoutHooks('the agent does not wait for its hooks', 'pre_iteration'),
  withoutHooks('an iteration is over before its hooks have run', 'post_iteration'),
  evolving('hooks that have run are run again after a crash', (_before, fact, after) => {
    if (fact.type !== 'segment.opened' || after.position.current === undefined) return after;
    const { hooks: _hooks, ...current } = after.position.current;
    return { ...after, position: { ...after.position, current } };
  }),
  withoutHooks('a loop starts before its hooks have run', 'loop_start'),
  withoutHooks('a loop ends before its hooks have run', 'loop_end'),
  withoutHooks('a reboot does not wait for its hooks', 'pre_reboot'),
  withoutHooks('the hooks after a reboot are forgotten', 'post_reboot'),
  withoutHooks('the hooks of a switch of modes are forgotten', 'on_mode_switch'),
  misreadingSteps('a reboot happens although a hook before it failed', ({ results, ...rest }) => ({
    ...rest,
    results: results.map((result) => ({ ...result, ok: true })),
  })),
  misreadingSteps('a hook at the start that asks to stop is not heard', ({ stop: _stop, ...rest }) => rest),
  evolving('the last hooks change how a loop ends', (_before, fact, after) => {
    const { ending } = after.hooks;
    if (fact.type !== 'loop_hooks.finished' || fact.data.stop === undefined || ending === undefined) return after;
    return edit(after, { hooks: { ending: { ...ending, reason: 'script' } } });
  }),
  evolving('an owner that dies takes the end of a loop with it', (_before, fact, after) => {
    return fact.type === 'segment.opened' ? edit(after, { hooks: { ending: undefined } }) : after;
  }),
  evolving('the last hooks run again after a crash', (_before, fact, after) => {
    return fact.type === 'segment.opened' ? edit(after, { hooks: { hasEnded: undefined } }) : after;
  }),
  evolving('a clock that is set back makes a wait longer', (_before, fact, after) => {
    if (fact.type !== 'wait.scheduled' || after.pending.wait === undefined) return after;
    const { since: _since, ...wait } = after.pending.wait;
    return { ...after, pending: { ...after.pending, wait } };
  }),
  evolving('the agent talks itself into progress', (_before, fact, after) =>
    fact.type === 'iteration.finished'
      ? { ...after, progress: { ...after.progress, recentScores: [...after.progress.recentScores, 1.3] } }
      : after,
  ),
  evolving('a turn in which nothing was done passes for one that worked', (_before, fact, after) => {
    if (fact.type !== 'agent.finished' || after.position.current?.execution === undefined) return after;
    const { empty: _empty, ...execution } = after.position.current.execution;
    return { ...after, position: { ...after.position, current: { ...after.position.current, execution } } };
  }),
  evolving('the newest iteration is always the best', (_before, _fact, after) =>
    after.progress.lastChecked === undefined
      ? after
      : { ...after, progress: { ...after.progress, best: after.progress.lastChecked } },
  ),
  evolving('an iteration that changes nothing passes for the best', (_before, fact, after) => {
    if (
      fact.type !== 'iteration.finished' ||
      after.progress.lastChecked === undefined ||
      fact.data.progress.made !== false
    )
      return after;
    return { ...after, progress: { ...after.progress, best: after.progress.lastChecked } };
  }),
  evolving('the redline is not seen', (_before, _fact, after) => {
    if (after.session.current?.contextPercent === undefined) return after;
    const { contextPercent: _contextPercent, ...session } = after.session.current;
    return { ...after, session: { ...after.session, current: session } };
  }),
];

const unmoved = { made: null, evidence: [] };

/** Decides with changed results of the hooks. */
function misreadingHooks(bug: string, change: (data: HooksFinished) => HooksFinished): Mutant {
  const mistaken: Rules['advance'] = (loop, moment, recorded) => {
    const happened = recorded ?? [];
    const misread = happened.map((fact) =>
      fact.type === 'hooks.finished' ? { ...fact, data: change(fact.data) } : fact,
    );
    const { facts, action } = advance(loop, moment, misread);
    return { facts: [...happened, ...facts.slice(happened.length)], action };
  };
  return { bug, rules: { ...realRules, advance: mistaken } };
}

/** Decides with changed results of the hooks outside of attempts. */
function misreadingSteps(bug: string, change: (data: StepFinished) => StepFinished): Mutant {
  return {
    bug,
    rules: {
      ...realRules,
      evolve: (loop, fact) =>
        evolve(loop, fact.type === 'loop_hooks.finished' ? { ...fact, data: change(fact.data) } : fact),
    },
  };
}

type StepFinished = FactData<'loop_hooks.finished'>;
type HooksFinished = FactData<'hooks.finished'>;

/** Continues as if the hooks of a step had run. */
function withoutHooks(bug: string, point: HookStep | LoopHookStep): Mutant {
  const blind: Rules['advance'] = (loop, moment, happened) => {
    const result = advance(loop, moment, happened);
    const { action } = result;
    if ((action.type !== 'hooks' && action.type !== 'loop_hooks') || action.point !== point) return result;
    return advance({ ...loop, config: { ...loop.config, hooks: [] } }, moment, happened);
  };
  return { bug, rules: { ...realRules, advance: blind } };
}

/** Changes what `advance` decides. */
export function advancing(bug: string, change: (loop: Loop, result: Advance) => Advance): Mutant {
  return {
    bug,
    rules: { ...realRules, advance: (loop, moment, happened) => change(loop, advance(loop, moment, happened)) },
  };
}

/** Changes the state that `evolve` returns. */
export function evolving(bug: string, change: (before: Loop, fact: RecordedFact, after: Loop) => Loop): Mutant {
  return { bug, rules: { ...realRules, evolve: (loop, fact) => change(loop, fact, evolve(loop, fact)) } };
}

/** Closes the attempt that awaits its gate as if the gate had passed. */
export function completing(loop: Loop, { facts, action }: Advance): Advance {
  if (action.type !== 'verify') return { facts, action };
  const { iteration, attempt } = action;
  const run = facts.findLast((fact) => fact.type === 'agent.finished')?.data ?? loop.position.current?.execution;
  const progress = { made: run?.changes.known ? run.changes.count > 0 || run.changes.headMoved : null, evidence: [] };
  const data = { iteration, attempt, status: 'completed', progress, durationMs: 0, elapsedMs: 0 } as const;
  const closing: Fact[] = [
    { type: 'iteration.finished', data },
    { type: 'loop.completing', data: { verified: true } },
  ];
  return { facts: [...facts, ...closing], action: { type: 'finalize' } };
}

function without(loop: Loop, request: keyof Loop['commands']['requests']): Loop {
  const { [request]: _request, ...requests } = loop.commands.requests;
  return { ...loop, commands: { ...loop.commands, requests } };
}

function has({ facts }: Advance, type: FactType): boolean {
  return facts.some((fact) => fact.type === type);
}

function upTo({ facts }: Advance, type: FactType): readonly Fact[] {
  return facts.slice(0, facts.findIndex((fact) => fact.type === type) + 1);
}

function failed(reason: 'max_iterations'): readonly Fact[] {
  const message = 'the last allowed iteration is over';
  return [
    { type: 'stop_rule.triggered', data: { rule: reason, message, evidence: [], elapsedMs: 0 } },
    { type: 'loop.ended', data: { status: 'failed', reason, message, verified: false, elapsedMs: 0 } },
  ];
}

function withoutWait(loop: Loop): Loop {
  return edit(loop, { pending: { wait: undefined } });
}
