import type { ConditionResult, LoopConfig } from '../../../protocol/index.ts';
import type { CurrentAttempt } from '../../state/attempt.ts';
import { edit } from '../../state/edits.ts';
import type { Loop } from '../../state/loop.ts';
import { allConditions, observableConditions } from './entries.ts';
import { errorMatches } from './matches.ts';

/**
 * The loop with other conditions. Results are stored by the condition's place, so they move with a condition whose
 * place changed; a new condition has no result until it is observed.
 */
export function withConditions(loop: Loop, config: Loop['config']): Loop {
  if (JSON.stringify(loop.config.stopConditions) === JSON.stringify(config.stopConditions)) return { ...loop, config };
  const { matchedPattern = '', lastFailure, observed: earlierResults, outputMatches } = loop.signals;
  const { current } = loop.position;
  const earlier = earlierPlaces(loop.config, config);
  const observed = observableConditions(config).flatMap(({ key }) => resultAt(earlierResults, earlier(key), key));
  const isAllObserved = observed.length === observableConditions(config).length;
  return edit(loop, {
    config,
    signals: {
      observed,
      outputMatches: allConditions(config).flatMap(({ key }) => {
        return earlier(key).some((place) => outputMatches?.includes(place)) ? [key] : [];
      }),
      lastFailure: lastFailure && { ...lastFailure, matches: errorMatches(config, lastFailure.message) },
      matchedPattern: config.stopConditions.stopOnPatterns.includes(matchedPattern) ? matchedPattern : undefined,
    },
    position: { current: current === undefined || isAllObserved ? current : unobserved(current) },
  });
}

/** Where a condition was before: every place of an identical one. */
function earlierPlaces(before: LoopConfig, after: LoopConfig): (key: string) => readonly string[] {
  const places = allConditions(before).map(({ key, condition }) => ({ key, text: JSON.stringify(condition) }));
  const texts = new Map(allConditions(after).map(({ key, condition }) => [key, JSON.stringify(condition)]));
  return (key) => places.filter(({ text }) => text === texts.get(key)).map((place) => place.key);
}

function resultAt(
  observed: readonly ConditionResult[] | undefined,
  places: readonly string[],
  key: string,
): readonly ConditionResult[] {
  const result = observed?.find((each) => places.includes(each.key));
  return result === undefined ? [] : [{ ...result, key }];
}

/** An attempt that has not been judged yet is observed again for the new conditions. */
function unobserved({ isObserved: _isObserved, ...current }: CurrentAttempt): CurrentAttempt {
  return current;
}
