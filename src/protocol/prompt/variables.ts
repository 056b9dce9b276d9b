import * as z from 'zod';
import { builtInVariables, variableNameForm } from './variable-names.ts';

// The values are part of the first fact of a loop, which has a greatest size.
const mostCharacters = 50_000;

const wantedName = `letters, digits and underscores, a letter first, and not ${builtInVariables.join(', ')}`;

/** The name of a variable that a user gives. */
export function variableName() {
  const error = `a name of ${wantedName}`;
  return z.string({ error }).regex(variableNameForm, { error }).refine(isFree, { error });
}

/** Texts by the name of the variable that stands for them in a prompt. */
export function promptVariables() {
  const value = z.string({ error: 'text (in quotes when it looks like a number)' });
  return z
    .record(variableName(), value, {
      error: ({ code }) => (code === 'invalid_key' ? `named with ${wantedName}` : 'a mapping of names to texts'),
    })
    .refine(isShort, { error: `of at most ${mostCharacters} characters in all` });
}

function isFree(name: string): boolean {
  return !(builtInVariables as readonly string[]).includes(name);
}

function isShort(values: Readonly<Record<string, string>>): boolean {
  return Object.entries(values).flat().join('').length <= mostCharacters;
}
