import type { LoopStatus } from '../../app/index.ts';
import { loopNameOf, oneLine } from '../../base/index.ts';
import { type IterationSign, isTerminal, nearestFirst } from '../../core/index.ts';
import type { LoopRow, StoredView } from '../../protocol/index.ts';
import { type LoopState, stateLooks } from '../../views/index.ts';
import type { ServerWords } from '../words.ts';
import { rowSentence } from './row-sentence.ts';

/** What a row is made of besides the status of its loop. */
export interface RowParts extends Pick<LoopRow, 'key' | 'project'> {
  readonly state: LoopState;
  readonly trail: readonly IterationSign[];
  readonly need: LoopRow['need'] | undefined;
  readonly words: Pick<ServerWords, 'reason'>;
}

const maxTaskLength = 300;

/** A loop in the list of all loops. */
export function rowOf(status: LoopStatus, { key, project, state, trail, need, words }: RowParts): LoopRow {
  const { view, lastSeq, shownStatus, ownerState, wakeAt, hostSession, landed } = status;
  const { id, agent, iteration, stats, maxIterations, runningMs, verified, proof, doubts, mode } = view;
  return {
    key,
    id,
    name: loopNameOf(id),
    project,
    seq: lastSeq,
    task: oneLine(view.task, maxTaskLength),
    agent,
    status: shownStatus,
    state,
    group: stateLooks[state].group,
    sentence: rowSentence(status, state, words),
    ...(need === undefined ? {} : { need }),
    iteration,
    finished: stats.iterations,
    maxIterations,
    trail,
    ...testsOf(view),
    cost: costOf(view),
    runningMs,
    verified,
    proof,
    doubts: doubts.length,
    mode,
    owner: ownerState,
    ...nextStopOf(view),
    ...given({
      startedAt: view.startedAt,
      lastActivityAt: view.lastActivityAt,
      endedAt: view.endedAt,
      reason: view.reason,
      waitUntil: view.wait?.until,
      wakeAt,
      hostSession,
      worktree: view.worktree,
      landedIn: landed?.into,
      resumedFrom: view.resumedFrom,
    }),
  };
}

type Given<Fields> = { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

/** The fields that have a value. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}

function testsOf({ tests }: StoredView): Pick<LoopRow, 'tests'> {
  if (tests === undefined) return {};
  const { passed, failed, total } = tests;
  return { tests: { passed, failed, total } };
}

/** What was not reported is unknown, never 0. */
function costOf({ spent: { runs, costUsd, unreportedCost } }: Pick<StoredView, 'spent'>): LoopRow['cost'] {
  return { usd: runs > 0 && unreportedCost >= runs ? null : costUsd, unreportedRuns: unreportedCost };
}

function nextStopOf({ status, rules }: StoredView): Pick<LoopRow, 'nextStop'> {
  const nearest = nearestFirst(rules).find(({ near, set }) => near !== null && near > 0 && set !== 'success');
  return isTerminal(status) || nearest === undefined ? {} : { nextStop: nearest };
}
