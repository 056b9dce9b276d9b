import { edit, type Loop } from '../../src/core/index.ts';
import { evolving, type Mutant } from './mutants.ts';
import { realRules } from './rules.ts';

const { advance } = realRules;

type Schedule = Loop['config']['schedule'];

/** Bugs that break a schedule or a limit on changes. */
export const boundMutants: readonly Mutant[] = [
  scheduling('the schedule is ignored', () => undefined),
  scheduling('a range of hours over midnight ends at midnight', (schedule) => ({
    ...schedule,
    hours: schedule.hours?.replace('22:00-07:00', '22:00-24:00'),
  })),
  scheduling('blacked-out times are ignored', (schedule) => ({ ...schedule, blackout: [] })),
  scheduling('the days of a schedule are ignored', (schedule) => ({ ...schedule, days: undefined })),
  evolving('time outside the schedule counts as running time', (before, fact, after) =>
    fact.type === 'iteration.started' && before.pending.wait?.cause === 'schedule'
      ? edit(after, { totals: { runningMs: after.totals.runningMs + 3_600_000 } })
      : after,
  ),
  evolving('running time before a wait for the schedule is forgotten', (before, fact, after) =>
    fact.type === 'wait.scheduled' ? edit(after, { totals: { runningMs: before.totals.runningMs } }) : after,
  ),
  {
    bug: 'the bound on API calls is ignored',
    rules: {
      ...realRules,
      advance: (loop, moment, happened) =>
        advance({ ...loop, config: { ...loop.config, resources: {} } }, moment, happened),
    },
  },
  evolving('API calls are forgotten when an owner dies', (_before, fact, after) =>
    fact.type === 'segment.opened' ? edit(after, { totals: { recentCalls: [] } }) : after,
  ),
  evolving('the wait for API calls is over at once', (_before, fact, after) =>
    fact.type === 'wait.scheduled' && fact.data.cause === 'rate'
      ? edit(after, { pending: { wait: { ...fact.data, since: fact.at, until: fact.at } } })
      : after,
  ),
  evolving('changed lines are forgotten', (before, fact, after) =>
    fact.type === 'agent.finished'
      ? edit(after, { totals: { changed: { ...after.totals.changed, lines: before.totals.changed.lines } } })
      : after,
  ),
  evolving('a file that is changed again counts as another one', (before, fact, after) =>
    fact.type === 'agent.finished' && before.totals.changed.files.length === after.totals.changed.files.length
      ? edit(after, { totals: { changed: { ...after.totals.changed, unlisted: after.totals.changed.unlisted + 2 } } })
      : after,
  ),
];

/** Decides with a different schedule than the configured one. */
function scheduling(bug: string, change: (schedule: NonNullable<Schedule>) => Schedule): Mutant {
  const changed = (loop: Loop): Loop => {
    const { schedule } = loop.config;
    return schedule === undefined ? loop : { ...loop, config: { ...loop.config, schedule: change(schedule) } };
  };
  return {
    bug,
    rules: { ...realRules, advance: (loop, moment, happened) => advance(changed(loop), moment, happened) },
  };
}
