import { LoopError } from '../../base/index.ts';
import type { Fact } from '../../protocol/index.ts';
import type { Travel } from '../../workspace/index.ts';

/** The work tree of a loop, captured wherever its journal may be continued on another machine. */
export interface TravellingWork {
  /** The capture that the next facts rest on; undefined where the last one still counts. */
  headFor(facts: readonly Fact[]): Promise<string | undefined>;
  /** Called once facts with a capture are recorded. */
  shipped(facts: readonly Fact[]): void;
  /** Waits until the branch is where the last capture is. */
  settle(): Promise<void>;
}

const boundaries: ReadonlySet<string> = new Set([
  'loop.started',
  'loop.paused',
  'loop.parked',
  'loop.ended',
  'iteration.finished',
  'iteration.interrupted',
  'rollback.finished',
]);

/** Captures work before the fact that rests on it is recorded; a push that fails is reported, and the next one has it all. */
export function carryWork(
  travel: Travel,
  { epoch, report }: { readonly epoch: number; readonly report: (message: string) => void },
): TravellingWork {
  let captured: string | undefined;
  let publishing: Promise<void> = Promise.resolve();
  const asWarning = (what: string) => (error: unknown) => {
    report(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  };
  return {
    async headFor(facts) {
      if (!facts.some(({ type }) => boundaries.has(type))) return undefined;
      try {
        const { commit } = await travel.capture({ epoch });
        captured = commit;
        // Nobody owns a loop after its end, so nobody could do it later; a later owner corrects what is wrong now.
        if (facts.some(({ type }) => type === 'loop.ended')) await travel.publish({ epoch, commit });
        return captured;
      } catch (error) {
        if (!(error instanceof LoopError)) throw error;
        asWarning('Its work could not be pushed')(error);
        return undefined;
      }
    },
    shipped() {
      const commit = captured;
      captured = undefined;
      if (commit === undefined) return;
      const publish = async () => {
        await travel.publish({ epoch, commit });
        await travel.prune({ epoch, keep: commit });
      };
      publishing = publishing.then(publish).catch(asWarning('Its branch could not be moved'));
    },
    settle: async () => await publishing,
  };
}
