import { loopNameOf } from '../../base/index.ts';
import type { LoopPage, Standing } from '../../protocol/index.ts';
import { writeCursor } from './cursor.ts';
import type { LoopFold } from './loop-fold.ts';
import type { NamedLoop } from './projects.ts';

const maxRows = 200;

/** Everything for the first look at a loop. */
export function loopPageOf({ key, loopId, project }: NamedLoop, fold: LoopFold, standing: Standing): LoopPage {
  const { model, night, seq } = fold;
  const { history, live } = model;
  return {
    key,
    id: loopId,
    name: loopNameOf(loopId),
    project,
    seq,
    cursor: writeCursor(fold),
    standing,
    history: { ...history, closed: history.closed.slice(-maxRows) },
    night: { through: night.blocks.at(-1)?.last ?? 0, blocks: night.blocks },
    live,
  };
}
