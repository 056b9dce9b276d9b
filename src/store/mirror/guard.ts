import { LoopError } from '../../base/index.ts';
import type { Position } from '../journal/position.ts';
import type { OpenLoop } from '../open-loop.ts';
import type { Mirror } from './mirror.ts';

/** How a loop is opened again after its files were tampered with. */
export interface GuardOptions {
  readonly mirror: Mirror;
  /** Becomes the owner once more. */
  readonly reopen: () => OpenLoop;
}

const mostTries = 10;
const tampered: ReadonlySet<string> = new Set([
  'OWNERSHIP_LOST',
  'STATE_TAMPERED',
  'STATE_UNREADABLE',
  'STATE_UNRECOVERABLE',
  'STATE_WRITE_FAILED',
  'UNSAFE_PATH',
]);

function isTampering(error: unknown): error is LoopError {
  return error instanceof LoopError && tampered.has(error.failure.code);
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * An open loop that survives its own agent: before each write the store notices that files were deleted, edited or
 * replaced; they are put back from the mirror, and the journal says so.
 */
export function guardLoop(first: OpenLoop, { mirror, reopen }: GuardOptions): OpenLoop {
  let open = first;
  let news: readonly string[] = [];
  const follow = () => {
    const { position } = open;
    if (position !== undefined) mirror.follow(position);
  };
  const restore = (expected: Position | undefined, cause: LoopError) => {
    open.close();
    const done = mirror.putBack(expected);
    open = reopenOr(reopen, cause);
    const end = open.recoveredEnd;
    if (expected !== undefined && (end?.seq !== expected.seq || end.crc !== expected.crc)) throw cause;
    news = [...news, ...(done.length > 0 ? done : ['the lock had been deleted and was taken again'])];
    follow();
  };
  const guarded = <T>(step: () => T): T => {
    let expected = open.position;
    let restored = () => {};
    for (let tries = 1; ; tries += 1) {
      try {
        restored();
        expected = open.position;
        return step();
      } catch (error) {
        if (!isTampering(error) || !mirror.hasContent() || tries > mostTries) throw error;
        // Whoever deletes a folder may not be done with it yet.
        pause(tries * 10);
        restored = () => restore(expected, error);
      }
    }
  };
  const close = () => {
    mirror.release();
    open.close();
  };
  follow();

  return {
    loopId: first.loopId,
    folder: first.folder,
    place: first.place,
    recovered: first.recovered,
    recoveredFrom: first.recoveredFrom,
    recoveredEnd: first.recoveredEnd,
    get epoch() {
      return open.epoch;
    },
    get degraded() {
      return open.degraded;
    },
    get isDiskFull() {
      return open.isDiskFull;
    },
    get lastSeq() {
      return open.lastSeq;
    },
    get position() {
      return open.position;
    },
    append: (facts) =>
      guarded(() => {
        const restored = news.length === 0 ? [] : [{ type: 'state.restored', data: { what: [...news] } }];
        const entries = open.append([...restored, ...facts]);
        news = [];
        follow();
        return entries;
      }),
    writeSnapshot: (document) => guarded(() => open.writeSnapshot(document)),
    writeCheckpoint: (checkpoint) => guarded(() => open.writeCheckpoint(checkpoint)),
    backUp: (options) => guarded(() => open.backUp(options)),
    writeView: (names, bytes) => guarded(() => open.writeView(names, bytes)),
    iterationFolder: (iteration, attempt) => guarded(() => open.iterationFolder(iteration, attempt)),
    forget: () => mirror.discard(),
    close,
    [Symbol.dispose]: close,
  };
}

function reopenOr(reopen: () => OpenLoop, cause: LoopError): OpenLoop {
  try {
    return reopen();
  } catch (error) {
    // Somebody else took the loop over: it is theirs now.
    if (error instanceof LoopError && error.failure.code === 'LOOP_LOCKED') throw cause;
    throw error;
  }
}
