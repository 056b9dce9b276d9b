import type { RecordedFact, RuleStanding } from '../../protocol/index.ts';
import { evolve, replay } from '../loop/evolve.ts';
import { standings } from '../rules/stop-rules.ts';

/** How close all rules and conditions were after one iteration. */
export interface Evaluation {
  readonly iteration: number;
  readonly at: string;
  /** `success`: the iteration completed the loop. `failure`: a rule stopped it. Otherwise it continued. */
  readonly verdict: 'continue' | 'success' | 'failure';
  /** What decided: the rule, the place of the condition, or the conditions that triggered the gate. */
  readonly by: readonly string[];
  /** What moved since the previous evaluation, by more than a thousandth; `near` of `null` is unknown. */
  readonly moved: readonly Movement[];
}

/** How one rule or condition moved. */
export interface Movement {
  readonly name: string;
  readonly near: number | null;
  /** Missing where it was or became unknown. */
  readonly delta?: number;
}

/** How many evaluations are returned; the journal has the earlier ones. */
const maxEvaluations = 100;
const minDelta = 0.001;

/** The newest evaluations, oldest first, from a whole journal: a loop's state does not keep them. */
export function evaluationsOf(facts: Iterable<RecordedFact>): readonly Evaluation[] {
  let loop = replay([]);
  let before = new Map<string, number | null>();
  let asked: readonly string[] = [];
  let evaluations: Evaluation[] = [];
  for (const fact of facts) {
    loop = evolve(loop, fact);
    if (fact.type === 'gate.started') asked = fact.data.conditions ?? [];
    if (fact.type === 'stop_rule.triggered') evaluations = stopped(evaluations, fact.data.condition ?? fact.data.rule);
    if (fact.type !== 'iteration.finished') continue;
    const after = new Map(standings(loop).map((standing) => [nameOf(standing), standing.near]));
    evaluations = [...evaluations, evaluation(fact, asked, movements(before, after))].slice(-maxEvaluations);
    [before, asked] = [after, []];
  }
  return evaluations;
}

function evaluation(
  { data, at }: RecordedFact & { type: 'iteration.finished' },
  by: readonly string[],
  moved: readonly Movement[],
): Evaluation {
  const verdict = data.completes === undefined ? 'continue' : 'success';
  return { iteration: data.iteration, at, verdict, by, moved };
}

function stopped(evaluations: readonly Evaluation[], by: string): Evaluation[] {
  const last = evaluations.at(-1);
  return last === undefined ? [] : [...evaluations.slice(0, -1), { ...last, verdict: 'failure', by: [by] }];
}

function nameOf({ key, rule }: RuleStanding): string {
  return key ?? rule;
}

function movements(before: ReadonlyMap<string, number | null>, after: ReadonlyMap<string, number | null>): Movement[] {
  return [...after].flatMap(([name, near]) => {
    const earlier = before.get(name) ?? (before.has(name) ? null : 0);
    if (near === null || earlier === null) return near === earlier ? [] : [{ name, near }];
    const delta = Math.round((near - earlier) * 1_000_000) / 1_000_000;
    return Math.abs(delta) > minDelta ? [{ name, near, delta }] : [];
  });
}
