import type * as z from 'zod';
import { iterationFacts } from './iteration-facts.ts';
import { loopFacts } from './loop-facts.ts';

/** Every fact a journal can hold: the one typed and documented list of all state changes. */
export const factCatalogue = { ...loopFacts, ...iterationFacts } as const;

/** The name of a fact. */
export type FactType = keyof typeof factCatalogue;

/** The data of one kind of fact. */
export type FactData<Type extends FactType> = z.output<(typeof factCatalogue)[Type]['data']>;

/** One thing that happened: written and synced before anything acts on it. */
export type Fact = { [Type in FactType]: { readonly type: Type; readonly data: FactData<Type> } }[FactType];

/** A fact as the journal holds it. */
export type RecordedFact = Fact & { readonly seq: number; readonly at: string; readonly epoch: number };

/** The names of all facts. */
export const factTypes = Object.keys(factCatalogue) as readonly FactType[];

/** Whether a word names a fact this version knows. */
export function isFactType(word: string): word is FactType {
  return Object.hasOwn(factCatalogue, word);
}
