import type { LoopConfig } from '../../../protocol/index.ts';
import { firstMatch } from '../../reports/patterns.ts';
import { errorConditions, outputConditions } from './entries.ts';

/** The places of the conditions that an agent's output meets. */
export function outputMatches(config: LoopConfig, output: string): readonly string[] {
  return outputConditions(config)
    .filter(({ condition }) => isFoundIn(output, condition))
    .map(({ key }) => key);
}

/** The places of the conditions that an error meets. */
export function errorMatches(config: LoopConfig, error: string): readonly string[] {
  return errorConditions(config)
    .filter(({ condition: { pattern } }) => pattern === undefined || isFoundIn(error, { pattern }))
    .map(({ key }) => key);
}

/** Whether the content contains a literal text or a match of a regular expression. */
export function isFoundIn(
  content: string,
  { text, pattern }: { readonly text?: string | undefined; readonly pattern?: string | undefined },
): boolean {
  if (text !== undefined) return content.includes(text);
  return pattern !== undefined && firstMatch([pattern], content) !== undefined;
}
