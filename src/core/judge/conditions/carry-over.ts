import type { ConditionResult } from '../../../protocol/index.ts';
import type { Loop, ShownConfig } from '../../loop/loop.ts';
import { allConditions, observableConditions } from './entries.ts';
import { errorMatches } from './matches.ts';

/**
 * The loop with other conditions. What is known of a condition is kept by its place, so it moves with a condition that
 * stands elsewhere now; of a new one nothing is known until somebody has looked.
 */
export function withConditions(loop: Loop, config: Loop['config']): Loop {
  if (JSON.stringify(loop.config.stopConditions) === JSON.stringify(config.stopConditions)) return { ...loop, config };
  const { matchedPattern, current, ...rest } = loop;
  const earlier = earlierPlaces(loop.config, config);
  const observed = observableConditions(config).flatMap(({ key }) => seenAt(loop.observed, earlier(key), key));
  const hasAllSeen = observed.length === observableConditions(config).length;
  const isStillWanted = matchedPattern !== undefined && config.stopConditions.stopOnPatterns.includes(matchedPattern);
  return {
    ...rest,
    config,
    observed,
    outputMatches: allConditions(config).flatMap(({ key }) => {
      return earlier(key).some((place) => loop.outputMatches?.includes(place)) ? [key] : [];
    }),
    ...failureWith(loop, config),
    ...(isStillWanted ? { matchedPattern } : {}),
    ...(current === undefined ? {} : { current: hasAllSeen ? current : unseen(current) }),
  };
}

/** Where a condition stood before: every place of one that is the same to the letter. */
function earlierPlaces(before: ShownConfig, after: ShownConfig): (key: string) => readonly string[] {
  const places = allConditions(before).map(({ key, condition }) => ({ key, text: JSON.stringify(condition) }));
  const texts = new Map(allConditions(after).map(({ key, condition }) => [key, JSON.stringify(condition)]));
  return (key) => places.filter(({ text }) => text === texts.get(key)).map((place) => place.key);
}

function seenAt(observed: Loop['observed'], places: readonly string[], key: string): readonly ConditionResult[] {
  const result = observed?.find((each) => places.includes(each.key));
  return result === undefined ? [] : [{ ...result, key }];
}

function failureWith({ lastFailure }: Loop, config: ShownConfig): Pick<Loop, 'lastFailure'> {
  return lastFailure === undefined
    ? {}
    : { lastFailure: { ...lastFailure, matches: errorMatches(config, lastFailure.message) } };
}

/** An attempt that is yet to be judged is looked at again for what is new. */
function unseen({ isObserved: _isObserved, ...current }: NonNullable<Loop['current']>): NonNullable<Loop['current']> {
  return current;
}
