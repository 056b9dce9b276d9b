import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readLoop } from '../../src/app/read-loops.ts';
import { openGuardedStore } from '../../src/app/stores.ts';
import { replay } from '../../src/core/index.ts';
import { toStateDocument } from '../../src/formats/index.ts';
import { type Fact, type RecordedFact, readFact } from '../../src/protocol/index.ts';
import { readWholeJournal } from '../../src/store/index.ts';

const batch = 1_000;

/**
 * Makes the only loop under a state folder, which was resumed for its second iteration, as long as if it had run this
 * many: with their facts in the journal and, unless it is about the facts alone, their files beside it.
 */
export function lengthenLoop(root: string, iterations: number, env: NodeJS.ProcessEnv, withFiles = true): void {
  const [loopId = ''] = readdirSync(path.join(root, 'loops'));
  const store = openGuardedStore({ root, workingDirectory: path.dirname(root) }, env);
  const facts = readWholeJournal(store.place(loopId)).entries.map(typed);
  const resumedAt = facts.findIndex(({ type }) => type === 'loop.resumed');
  const second = facts.slice(resumedAt).filter((fact) => 'iteration' in fact.data && fact.data.iteration === 2);
  const before = readLoop(store, loopId).loop;

  using open = store.open(loopId);
  let loop = replay(open.recovered.entries.map(typed), before);
  const append = (more: readonly Fact[]) => {
    loop = replay(open.append(more) as readonly RecordedFact[], loop);
  };
  append(facts.slice(resumedAt, resumedAt + 1));
  for (let from = 3; from <= iterations; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, iterations - from + 1) }, (_, index) => from + index);
    append(numbers.flatMap((iteration) => second.map((fact) => renumbered(fact, iteration))));
    for (const iteration of withFiles ? numbers : [])
      cpSync(folderOf(open.folder, 2), folderOf(open.folder, iteration), { recursive: true });
  }
  append(facts.slice(-1));
  open.writeSnapshot(toStateDocument(loop));
}

function renumbered({ type, data }: Fact, iteration: number): Fact {
  return { type, data: { ...data, iteration } } as Fact;
}

function typed(entry: Parameters<typeof readFact>[0]): RecordedFact {
  const reading = readFact(entry);
  if (!reading.ok) throw new Error(reading.problem);
  return reading.fact;
}

function folderOf(loop: string, iteration: number): string {
  return path.join(loop, 'iterations', String(iteration).padStart(3, '0'));
}
