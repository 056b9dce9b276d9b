import type { FleetMessages, LoopRow, UnreadableRow } from '../../protocol/index.ts';
import { type EventStream, type Frame, frameOf } from '../http/event-stream.ts';
import { toJson } from '../http/json.ts';
import type { Fleet, FleetAnswer } from './fleet.ts';

/** Tells any number of readers about every change of all loops. */
export interface FleetStream extends Disposable {
  add(stream: EventStream): void;
}

const everyMs = 1_000;
/** Looking takes at most this share of a core. */
const maxShare = 0.05;

/** Looks at all loops as long as anyone reads along, once for all of them. */
export function createFleetStream(fleet: Fleet, onFault: (error: unknown) => void): FleetStream {
  const readers = new Set<Reader>();
  let sent: Sent | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const look = async () => {
    const startedMs = performance.now();
    try {
      const answer = await fleet.read();
      const changes = changesBetween(sent, answer);
      sent = toSent(answer);
      for (const reader of readers) reader.tell(answer, changes);
    } catch (error) {
      onFault(error);
    }
    return performance.now() - startedMs;
  };
  const again = () => {
    void look().then((tookMs) => {
      timer = undefined;
      if (readers.size > 0 && !isOver) timer = setTimeout(again, Math.max(everyMs, tookMs / maxShare));
    });
  };
  return {
    add(stream) {
      const reader = createReader(stream);
      readers.add(reader);
      stream.onClose(() => void readers.delete(reader));
      if (timer !== undefined) clearTimeout(timer);
      timer = setTimeout(again, 0);
    },
    [Symbol.dispose]: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

interface Reader {
  tell(answer: FleetAnswer, changes: readonly Frame[]): void;
}

/** A reader that cannot keep up gets the whole list later, instead of the changes that it missed. */
function createReader(stream: EventStream): Reader {
  let isBehind = true;
  let isSending = false;
  return {
    tell(answer, changes) {
      if (isSending) {
        isBehind ||= changes.length > 0;
        return;
      }
      const frames = isBehind ? [message('loops', answer)] : changes;
      if (frames.length === 0) return;
      isBehind = false;
      isSending = true;
      void stream.send(frames.join('')).then(() => {
        isSending = false;
      });
    },
  };
}

function message<Name extends keyof FleetMessages>(name: Name, data: FleetMessages[Name]): Frame {
  return frameOf(name, data);
}

/** What was sent of each loop. */
interface Sent {
  readonly rows: ReadonlyMap<string, LoopRow>;
  readonly unreadable: ReadonlyMap<string, UnreadableRow>;
}

function toSent({ loops, unreadable }: FleetAnswer): Sent {
  return {
    rows: new Map(loops.map((row) => [row.key, row])),
    unreadable: new Map(unreadable.map((row) => [row.key, row])),
  };
}

function changesBetween(before: Sent | undefined, answer: FleetAnswer): readonly Frame[] {
  if (before === undefined) return [];
  const { loops, unreadable } = answer;
  const keys = new Set([...loops, ...unreadable].map(({ key }) => key));
  const gone = [...before.rows.keys(), ...before.unreadable.keys()].filter((key) => !keys.has(key));
  return [
    ...gone.map((key) => message('removed', { key })),
    ...loops.filter((row) => isNew(row, before.rows.get(row.key))).map((row) => message('row', row)),
    ...unreadable.filter((row) => isNew(row, before.unreadable.get(row.key))).map((row) => message('unreadable', row)),
  ];
}

function isNew<Row>(row: Row, before: Row | undefined): boolean {
  return row !== before && toJson(row) !== toJson(before);
}
