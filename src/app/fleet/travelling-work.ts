import { LoopError } from '../../base/index.ts';
import type { Fact } from '../../protocol/index.ts';
import type { Travel } from '../../workspace/index.ts';

/** The work tree of a loop, captured wherever its journal may be continued on another machine. */
export interface TravellingWork {
  /** The capture that the next facts rest on; undefined where the last one still counts. */
  headFor(facts: readonly Fact[]): Promise<string | undefined>;
  /** Called once facts with a capture are recorded. */
  shipped(facts: readonly Fact[]): void;
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
  const asWarning = (what: string) => (error: unknown) => {
    report(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  };
  return {
    async headFor(facts) {
      if (!facts.some(({ type }) => boundaries.has(type))) return undefined;
      try {
        ({ commit: captured } = await travel.capture({ epoch }));
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
      publish().catch(asWarning('Its branch could not be moved'));
    },
  };
}
