import type { ShownConfig } from '../../loop/loop.ts';
import { firstMatch } from '../patterns.ts';
import { errorConditions, outputConditions } from './entries.ts';

/** The places of the conditions that an agent's own words meet. */
export function outputMatches(config: ShownConfig, said: string): readonly string[] {
  return outputConditions(config)
    .filter(({ condition }) => isFoundIn(said, condition))
    .map(({ key }) => key);
}

/** The places of the conditions that an error meets. */
export function errorMatches(config: ShownConfig, error: string): readonly string[] {
  return errorConditions(config)
    .filter(({ condition: { pattern } }) => pattern === undefined || isFoundIn(error, { pattern }))
    .map(({ key }) => key);
}

/** Whether a text holds what is looked for: a text as it stands, or a match of a regular expression. */
export function isFoundIn(
  content: string,
  { text, pattern }: { readonly text?: string | undefined; readonly pattern?: string | undefined },
): boolean {
  if (text !== undefined) return content.includes(text);
  return pattern !== undefined && firstMatch([pattern], content) !== undefined;
}
