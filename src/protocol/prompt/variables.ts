import * as z from 'zod';
import { builtInVariables, variableNameForm } from './variable-names.ts';

// The values are part of the first fact of a loop, whose size is limited.
const maxCharacters = 50_000;

const nameRules = `letters, digits and underscores, starting with a letter, and none of ${builtInVariables.join(', ')}`;

/** The name of a user-defined variable. */
export function variableName() {
  const error = `a name of ${nameRules}`;
  return z.string({ error }).regex(variableNameForm, { error }).refine(isFree, { error });
}

/** Values of prompt variables by name. */
export function promptVariables() {
  const value = z.string({ error: 'text (in quotes if it looks like a number)' });
  return z
    .record(variableName(), value, {
      error: ({ code }) => (code === 'invalid_key' ? `named with ${nameRules}` : 'a mapping of names to text'),
    })
    .refine(isShort, { error: `at most ${maxCharacters} characters in total` });
}

function isFree(name: string): boolean {
  return !(builtInVariables as readonly string[]).includes(name);
}

function isShort(values: Readonly<Record<string, string>>): boolean {
  return Object.entries(values).flat().join('').length <= maxCharacters;
}
