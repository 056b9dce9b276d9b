import type { FleetMessages, LoopList, LoopRow, UnreadableRow } from '../../src/protocol/index.ts';
import { openStream } from '../api/stream.ts';
import { createCell } from './cell.ts';
import { setServerClock } from './clock.ts';
import { expired, heard, lost } from './connection.ts';
import { readServer } from './server.ts';

/** All loops of the server; undefined until they are known. */
export interface Fleet {
  readonly loops: readonly LoopRow[];
  readonly unreadable: readonly UnreadableRow[];
}

/** The loops that the list shows. */
export const fleet = createCell<Fleet | undefined>(undefined);

/** Follows all loops until it is disposed of. */
export function followFleet(): Disposable {
  return openStream({
    path: () => '/api/events',
    opened: () => void readServer(),
    heard,
    lost,
    refused: (error) => (error.isExpired ? expired() : lost()),
    message: ({ name, data }) => take(name as keyof FleetMessages, data as FleetMessages[keyof FleetMessages]),
  });
}

function take(name: keyof FleetMessages, data: FleetMessages[keyof FleetMessages]): void {
  if (name === 'loops') {
    const { loops, unreadable, nowMs } = data as LoopList;
    setServerClock(nowMs);
    fleet.set({ loops, unreadable });
    return;
  }
  const { loops, unreadable } = fleet.value ?? { loops: [], unreadable: [] };
  if (name === 'row') fleet.set(withRow(data as LoopRow, { loops, unreadable }));
  else if (name === 'unreadable') fleet.set(withUnreadable(data as UnreadableRow, { loops, unreadable }));
  else {
    const { key } = data as FleetMessages['removed'];
    fleet.set({ loops: without(loops, key), unreadable: without(unreadable, key) });
  }
}

/** A row keeps its place; a new one is the newest. */
function withRow(row: LoopRow, { loops, unreadable }: Fleet): Fleet {
  const isKnown = loops.some(({ key }) => key === row.key);
  const rows = isKnown ? loops.map((each) => (each.key === row.key ? row : each)) : [row, ...loops];
  return { loops: rows, unreadable: without(unreadable, row.key) };
}

function withUnreadable(row: UnreadableRow, { loops, unreadable }: Fleet): Fleet {
  return { loops: without(loops, row.key), unreadable: [...without(unreadable, row.key), row] };
}

function without<Row extends { readonly key: string }>(rows: readonly Row[], key: string): readonly Row[] {
  return rows.filter((row) => row.key !== key);
}
