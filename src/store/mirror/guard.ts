import { LoopError } from '../../base/index.ts';
import type { Fact, JournalEntry } from '../journal/line.ts';
import type { Position } from '../journal/position.ts';
import type { OpenLoop } from '../open-loop.ts';
import type { Mirror } from './mirror.ts';

/** How a loop is reopened after its files were tampered with. */
export interface GuardOptions {
  readonly mirror: Mirror;
  /** Becomes the owner again; `prepare` runs when the lock is held. */
  readonly reopen: (prepare: () => void) => OpenLoop;
  /** Lets time pass. */
  readonly wait: (ms: number) => void;
}

const maxTries = 10;
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

/**
 * An open loop that survives its own agent: before each write the store notices that files were deleted, edited or
 * replaced; they are restored from the mirror, and the journal records it.
 */
export function guardLoop(first: OpenLoop, options: GuardOptions): OpenLoop {
  const { mirror } = options;
  const guarded = new Guarded(first, options);
  const close = () => {
    mirror.release();
    guarded.open.close();
  };
  guarded.follow();

  return {
    loopId: first.loopId,
    folder: first.folder,
    place: first.place,
    recovered: first.recovered,
    recoveredFrom: first.recoveredFrom,
    recoveredEnd: first.recoveredEnd,
    get epoch() {
      return guarded.open.epoch;
    },
    get degraded() {
      return guarded.open.degraded;
    },
    get isDiskFull() {
      return guarded.open.isDiskFull;
    },
    get lastSeq() {
      return guarded.open.lastSeq;
    },
    get position() {
      return guarded.open.position;
    },
    get latest() {
      return guarded.open.latest;
    },
    verify: () => guarded.run((open) => open.verify()),
    append: (facts) => guarded.append(facts),
    writeSnapshot: (document, form) => guarded.run((open) => open.writeSnapshot(document, form)),
    writeCheckpoint: (checkpoint) => guarded.run((open) => open.writeCheckpoint(checkpoint)),
    pruneCheckpoints: (isKept, intact) => guarded.run((open) => open.pruneCheckpoints(isKept, intact)),
    backUp: (how) => guarded.run((open) => open.backUp(how)),
    writeView: (names, bytes) => guarded.run((open) => open.writeView(names, bytes)),
    iterationFolder: (iteration, attempt) => guarded.run((open) => open.iterationFolder(iteration, attempt)),
    settleFolder: (folder) => guarded.run((open) => open.settleFolder(folder)),
    forget: () => mirror.discard(),
    close,
    [Symbol.dispose]: close,
  };
}

/** What the journal must be put back to before anything else is done, and why. */
interface Loss {
  readonly end: Position | undefined;
  readonly cause: LoopError;
}

/** The currently open loop; a new one each time it had to be restored. */
class Guarded {
  open: OpenLoop;
  readonly #options: GuardOptions;
  #news: readonly string[] = [];
  #loss: Loss | undefined;

  constructor(first: OpenLoop, options: GuardOptions) {
    this.open = first;
    this.#options = options;
  }

  follow(): void {
    const { position, latest } = this.open;
    if (position !== undefined) this.#options.mirror.follow(position, latest);
  }

  append(facts: readonly Fact[]): readonly JournalEntry[] {
    return this.run((open) => {
      const restored = this.#news.length === 0 ? [] : [{ type: 'state.restored', data: { what: [...this.#news] } }];
      const entries = open.append([...restored, ...facts]);
      this.#news = [];
      this.follow();
      return entries;
    });
  }

  /** Does a step; obstacles that an agent created are removed first. */
  run<T>(step: (open: OpenLoop) => T): T {
    const { mirror, wait } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        if (this.#loss) this.#restore(this.#loss);
        this.#loss = undefined;
        return step(this.open);
      } catch (error) {
        if (!isTampering(error) || !mayPutBack(mirror)) throw error;
        this.#loss ??= { end: this.open.position, cause: error };
        if (tries > maxTries) throw error;
        // A program that deletes a folder may not be finished yet.
        wait(tries * 10);
      }
    }
  }

  #restore({ end, cause }: Loss): void {
    const { mirror, reopen } = this.#options;
    this.open.close();
    const done = [...mirror.makeWay()];
    const prepare = () => {
      done.push(...mirror.putBack(end));
      if (end !== undefined && !mirror.endsAt(end)) throw cause;
    };
    this.open = reopenOr(() => reopen(prepare), cause);
    this.#news = [...this.#news, ...(done.length > 0 ? done : ['the lock had been deleted and was taken again'])];
    this.follow();
  }
}

// A mirror that cannot be read at the moment is tried again.
function mayPutBack(mirror: Mirror): boolean {
  try {
    return mirror.hasContent();
  } catch {
    return true;
  }
}

function reopenOr(reopen: () => OpenLoop, cause: LoopError): OpenLoop {
  try {
    return reopen();
  } catch (error) {
    // Another process took the loop over and owns it now.
    if (error instanceof LoopError && error.failure.code === 'LOOP_LOCKED') throw cause;
    throw error;
  }
}
