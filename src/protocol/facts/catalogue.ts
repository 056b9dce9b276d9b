import { backupFacts } from './backup-facts.ts';
import type { FactDefinition } from './define.ts';
import type { FactDataByType } from './fact-data.ts';
import { hookFacts } from './hook-facts.ts';
import { iterationFacts } from './iteration-facts.ts';
import { loopFacts } from './loop-facts.ts';

/** Every fact a journal can contain: the typed and documented list of all state changes. */
export const factCatalogue = {
  ...loopFacts,
  ...iterationFacts,
  ...hookFacts,
  ...backupFacts,
} as const satisfies Record<FactType, FactDefinition>;

/** The name of a fact. */
export type FactType = keyof FactDataByType;

/** The data of one kind of fact. */
export type FactData<Type extends FactType> = FactDataByType[Type];

/** One thing that happened: written and synced before anything acts on it. */
export type Fact = { [Type in FactType]: { readonly type: Type; readonly data: FactData<Type> } }[FactType];

/** A fact as recorded in the journal. */
export type RecordedFact = Fact & { readonly seq: number; readonly at: string; readonly epoch: number };

/** The names of all facts. */
export const factTypes = Object.keys(factCatalogue) as readonly FactType[];

/** Whether a word names a fact this version knows. */
export function isFactType(word: string): word is FactType {
  return Object.hasOwn(factCatalogue, word);
}
