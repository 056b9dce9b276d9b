import {
  type AppContext,
  inspectIteration,
  readLoopDiff,
  readLoopFacts,
  readTranscript,
  searchOutput,
} from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { accountedFacts } from '../../core/index.ts';
import type { IterationDetails, IterationList } from '../../protocol/index.ts';
import { addFact, type History, noHistory, rowsOf, type ShownRow } from '../../views/index.ts';
import type { Handlers } from '../http/requests.ts';
import type { Gatekeeper } from '../limits.ts';
import type { Feeds } from '../loops/feeds.ts';
import type { LoopFeed } from '../loops/loop-feed.ts';
import type { Projects } from '../loops/projects.ts';

/** What is needed to show iterations. */
export interface IterationParts {
  readonly projects: Projects;
  readonly feeds: Feeds;
  readonly context: AppContext;
  /** For what reads much or starts git. */
  readonly heavy: Gatekeeper;
}

type Routes = Pick<
  Handlers,
  'listIterations' | 'getIteration' | 'getTranscript' | 'getDiff' | 'getLoopDiff' | 'search'
>;

/** Everything about single iterations. */
export function iterationRoutes({ projects, feeds, context, heavy }: IterationParts): Routes {
  const openFeed = async (key: string) => await feeds.open(projects.find(key));
  const inspect = async (feed: LoopFeed, iteration: number, withPatch: boolean) => {
    const { place, loopId } = feed.named;
    const request = { iteration, withPatch, sinceSeq: feed.since(iteration) };
    return await inspectIteration(place, loopId, { context, request });
  };
  return {
    listIterations: async ({ params, query }) => await listRows(await openFeed(params.key), context, query),
    async getIteration({ params: { key, iteration } }) {
      const feed = await openFeed(key);
      const { changes, ...found } = await heavy.run(async () => await inspect(feed, iteration, false));
      const [row] = await rowsBetween(feed, context, { first: iteration, last: iteration });
      if (row === undefined) throw new LoopError(failures.iterationNotFound(found.loopId, iteration, undefined));
      const neighbour = (number: number) => (feed.since(number) === undefined ? undefined : number);
      const [previous, next] = [neighbour(iteration - 1), neighbour(iteration + 1)];
      const details: IterationDetails = {
        key,
        ...found,
        row,
        ...(changes === undefined
          ? {}
          : {
              changes: { changes: changes.changes, ...(changes.files === undefined ? {} : { files: changes.files }) },
            }),
        ...(previous === undefined ? {} : { previous }),
        ...(next === undefined ? {} : { next }),
      };
      return details;
    },
    async getTranscript({ params: { key, iteration }, query }) {
      const { place, loopId } = projects.find(key);
      const request = { iteration, ...query };
      return await heavy.run(async () => await readTranscript(place, loopId, { context, request }));
    },
    async getDiff({ params: { key, iteration } }) {
      const feed = await openFeed(key);
      const { changes } = await heavy.run(async () => await inspect(feed, iteration, true));
      return { files: changes?.files ?? null, patch: changes?.patch ?? null };
    },
    async getLoopDiff({ params: { key } }) {
      const { place, loopId } = projects.find(key);
      return await heavy.run(async () => await readLoopDiff(place, loopId, context));
    },
    async search({ params: { key }, query: { q, iteration, cursor, limit } }) {
      const { place, loopId } = projects.find(key);
      const request = { text: q, iteration, after: cursor === undefined ? undefined : readCursor(cursor), limit };
      const { next, ...found } = await heavy.run(async () => await searchOutput(place, loopId, { context, request }));
      return { ...found, ...(next && { next: `${next.iteration}.${next.attempt}.${next.number}` }) };
    },
  };
}

function readCursor(cursor: string) {
  const [, iteration, attempt, number] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/u.exec(cursor) ?? [];
  if (number === undefined) throw new LoopError(failures.requestInvalid('"cursor" in the query is none of ours'));
  return { iteration: Number(iteration), attempt: Number(attempt), number: Number(number) };
}

async function listRows(
  feed: LoopFeed,
  context: AppContext,
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): Promise<IterationList> {
  const { open } = feed.fold.model.history.fold;
  const last = Math.min(before ?? Number.MAX_SAFE_INTEGER, open?.iteration ?? 1) - 1;
  const first = Math.max(1, last - limit + 1);
  const rows = last < 1 ? [] : await rowsBetween(feed, context, { first, last });
  return { rows: rows.toReversed(), ...(first > 1 && rows.length > 0 ? { before: first } : {}) };
}

/** Rows of a loop: what is in memory, or read from the journal from where they begin. */
async function rowsBetween(
  feed: LoopFeed,
  context: AppContext,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<readonly ShownRow[]> {
  const isWanted = ({ iteration }: ShownRow) => iteration >= first && iteration <= last;
  const known = rowsOf(feed.fold.model.history);
  if ((known[0]?.iteration ?? 0) <= first) return known.filter(isWanted);
  const since = feed.since(first);
  if (since === undefined) return [];
  const { loopId, place } = feed.named;
  let history: History = noHistory;
  for await (const fact of readLoopFacts({ loopId, root: place.root, context }, since - 1, accountedFacts)) {
    history = addFact(history, fact);
    if ((history.fold.open?.iteration ?? 0) > last) break;
  }
  return rowsOf(history).filter(isWanted);
}
