import { edit, type Loop } from '../../src/core/index.ts';
import { advancing, evolving, type Mutant } from './mutants.ts';
import { realRules } from './rules.ts';

const { advance } = realRules;

/** Bugs in the questions a loop asks and in how it applies the decisions. */
export const decisionMutants: readonly Mutant[] = [
  supervising('an attended loop does not ask', (loop) => edit(loop, { supervision: { mode: 'unattended' } })),
  advancing('a completed task is not put to anybody', (_loop, result) => {
    const asked = result.facts.findIndex((fact) => fact.type === 'question.asked');
    const isDone = result.facts.some((fact) => fact.type === 'question.asked' && fact.data.point === 'completion');
    if (!isDone) return result;
    const completing = { type: 'loop.completing', data: { verified: true } } as const;
    return { facts: [...result.facts.slice(0, asked), completing], action: { type: 'finalize' } };
  }),
  evolving('an owner that dies takes a question with it, and the loop goes on', (before, fact, after) => {
    const { question } = before.supervision;
    if (fact.type !== 'segment.opened' || question === undefined) return after;
    const { point, iteration } = question;
    return edit(after, { supervision: { question: undefined, approved: { point, iteration } } });
  }),
  evolving('what was decided is asked again', (_before, fact, after) =>
    fact.type === 'question.answered' ? edit(after, { supervision: { approved: undefined } }) : after,
  ),
  advancing('a question is answered before anybody can', (_loop, result) => {
    const asked = result.facts.find((fact) => fact.type === 'question.asked');
    if (asked === undefined || result.action.type !== 'ask') return result;
    const { point, iteration } = asked.data;
    const made = { point, iteration, decision: 'continue', by: 'timeout' } as const;
    return { facts: [...result.facts, { type: 'question.answered', data: made }], action: { type: 'ask' } };
  }),
  evolving('an iteration that a person skips is run all the same', (_before, fact, after) =>
    fact.type === 'question.answered' ? edit(after, { supervision: { skips: undefined } }) : after,
  ),
  evolving('a prompt for one iteration is used for the next one as well', (before, fact, after) =>
    fact.type === 'iteration.finished' || (fact.type === 'question.answered' && fact.data.prompt === undefined)
      ? edit(after, { supervision: { prompt: before.supervision.prompt } })
      : after,
  ),
  evolving('a prompt that a person wrote is not used', (_before, _fact, after) =>
    after.supervision.prompt === undefined ? after : edit(after, { supervision: { prompt: undefined } }),
  ),
  evolving('a result that a person does not accept completes the loop', (before, fact, after) =>
    fact.type === 'question.answered' && before.position.earned !== undefined
      ? edit(after, {
          position: { earned: before.position.earned },
          supervision: { approved: { point: 'completion', iteration: fact.data.iteration } },
        })
      : after,
  ),
  evolving('a switch that is to come later is forgotten when an owner dies', (_before, fact, after) => {
    if (fact.type !== 'segment.opened') return after;
    const { mode: _mode, ...requests } = after.commands.requests;
    return edit(after, { commands: { requests } });
  }),
  supervising('a switch at the next pause happens at once', (loop) => {
    const { mode } = loop.commands.requests;
    if (mode === undefined) return loop;
    return edit(loop, { commands: { requests: { ...loop.commands.requests, mode: { ...mode, when: 'iteration' } } } });
  }),
  evolving('the time that a person takes counts as running time', (_before, fact, after) =>
    fact.type === 'question.answered'
      ? edit(after, { totals: { runningMs: after.totals.runningMs + 600_000 } })
      : after,
  ),
];

/** Decides as if the loop had different supervision settings. */
function supervising(bug: string, change: (loop: Loop) => Loop): Mutant {
  return { bug, rules: { ...realRules, advance: (loop, moment, happened) => advance(change(loop), moment, happened) } };
}
