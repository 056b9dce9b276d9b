import { createLoopList, type LoopList, type LoopStatus } from '../../app/index.ts';
import { byText, failures, LoopError } from '../../base/index.ts';
import type { LoopList as LoopListAnswer, LoopRow, UnreadableRow } from '../../protocol/index.ts';
import { stateOf } from '../../views/index.ts';
import type { ServerWords } from '../words.ts';
import { needOf } from './need.ts';
import type { Projects, ServedProject } from './projects.ts';
import { rowOf } from './row.ts';
import { createTrails } from './trails.ts';
import { unreadableRow } from './unreadable.ts';

/** Everything about all loops at one moment. */
export type FleetAnswer = LoopListAnswer;

/** All loops of all projects, read again and again. */
export interface Fleet {
  /** All loops; not older than half a second. */
  read(): Promise<FleetAnswer>;
}

/** What a fleet is made from. */
export interface FleetParts {
  readonly projects: Projects;
  readonly words: ServerWords;
  readonly env: NodeJS.ProcessEnv;
  readonly nowMs: () => number;
}

/** Above this many, ended loops are left out, oldest first. */
const maxLoops = 400;
const freshMs = 500;

/** Reads all loops, and of each only what has changed. */
export function createFleet({ projects, words, env, nowMs }: FleetParts): Fleet {
  const lists = new Map<string, LoopList>();
  const rows = new WeakMap<LoopStatus, LoopRow>();
  let newest: FleetAnswer | undefined;
  let reading: Promise<FleetAnswer> | undefined;
  const trails = createTrails(() => {
    newest = undefined;
  });

  const toRow = (status: LoopStatus, served: ServedProject): LoopRow => {
    const key = projects.keyOf(status.view.id, served);
    const state = stateOf(status, nowMs());
    const trail = trails.of(key, status, served);
    const before = rows.get(status);
    // The same row again, so that nobody has to compare what is in it.
    if (before?.state === state && before.trail === trail) return before;
    const need = before === undefined ? needOf(status, state, { served, words, nowMs: nowMs() }) : before.need;
    const row = rowOf(status, { key, project: served.project, state, trail, need, words });
    rows.set(status, row);
    return row;
  };

  const readPlace = async (served: ServedProject) => {
    const { root } = served.place;
    const list = lists.get(root) ?? createLoopList(served.place, env);
    lists.set(root, list);
    return { served, ...(await list.read()) };
  };

  const readAll = async (): Promise<FleetAnswer> => {
    const places = await Promise.all(projects.list().map(readPlace));
    const found = places.flatMap(({ served, loops }) => loops.map((status) => ({ served, status })));
    const shown = newestFirst(found).slice(0, maxLoops);
    trails.keep(new Set(shown.map(({ served, status }) => projects.keyOf(status.view.id, served))));
    return {
      nowMs: nowMs(),
      loops: shown.map(({ served, status }) => toRow(status, served)),
      unreadable: places.flatMap(({ served, unreadable, lost }) =>
        unreadableIn(projects, served, { unreadable, lost }),
      ),
      omitted: found.length - shown.length,
    };
  };

  return {
    async read() {
      if (newest !== undefined && nowMs() - newest.nowMs < freshMs) return newest;
      reading ??= readAll().finally(() => {
        reading = undefined;
      });
      newest = await reading;
      return newest;
    },
  };
}

function newestFirst<Found extends { readonly status: LoopStatus }>(found: readonly Found[]): readonly Found[] {
  const isOver = ({ status: { view } }: Found) => (view.endedAt === undefined ? 0 : 1);
  const kept = found.toSorted((one, other) => isOver(one) - isOver(other) || byText(startOf(other), startOf(one)));
  return kept.slice(0, maxLoops).toSorted((one, other) => byText(startOf(other), startOf(one)));
}

function startOf({ status: { view } }: { readonly status: LoopStatus }): string {
  return view.startedAt ?? '';
}

type Unread = Pick<Awaited<ReturnType<LoopList['read']>>, 'unreadable' | 'lost'>;

function unreadableIn(
  projects: Projects,
  served: ServedProject,
  { unreadable, lost }: Unread,
): readonly UnreadableRow[] {
  const named = (id: string) => ({ key: projects.keyOf(id, served), id, project: served.project });
  return [
    ...unreadable.map(({ loopId, error }) => unreadableRow(error, named(loopId))),
    ...lost.map((loopId) => unreadableRow(new LoopError(failures.loopFolderGone(loopId)), named(loopId))),
  ];
}
