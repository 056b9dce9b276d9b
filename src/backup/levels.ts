import { failures, LoopError } from '../base/index.ts';
import type { ObjectRef } from './manifest.ts';

/** How many references make a page. */
const pageLength = 16;

/** References to objects, in order: those of no page yet, then pages of them, then pages of pages, and so on. */
export type Levels = readonly (readonly ObjectRef[])[];

/**
 * Adds a reference. A level that is full becomes a page, so a list of any length is a few references, and adding to it
 * stores one page now and then.
 */
export async function addTo(
  levels: Levels,
  ref: ObjectRef,
  storePage: (refs: readonly ObjectRef[]) => Promise<ObjectRef>,
): Promise<Levels> {
  const [first = [], ...higher] = levels;
  const filled = [...first, ref];
  if (filled.length < pageLength) return [filled, ...higher];
  return [[], ...(await addTo(higher, await storePage(filled), storePage))];
}

/** All references in their order; each page is read when it is reached. */
export async function* allOf(
  levels: Levels,
  readPage: (page: ObjectRef) => Promise<readonly ObjectRef[]>,
): AsyncIterable<{ readonly ref: ObjectRef; readonly isPage: boolean }> {
  for (const [height, refs] of [...levels.entries()].toReversed()) {
    for (const ref of refs) yield* expand(ref, height, readPage);
  }
}

async function* expand(
  ref: ObjectRef,
  height: number,
  readPage: (page: ObjectRef) => Promise<readonly ObjectRef[]>,
): AsyncIterable<{ readonly ref: ObjectRef; readonly isPage: boolean }> {
  const isPage = ref.name.startsWith('pages/');
  if (isPage !== height > 0)
    throw new LoopError(failures.backupDamaged('The backup', 'its list of objects is not in order'));
  yield { ref, isPage };
  if (!isPage) return;
  for (const inner of await readPage(ref)) yield* expand(inner, height - 1, readPage);
}
