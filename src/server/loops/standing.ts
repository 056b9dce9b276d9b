import { findSuccessor, landedInto, readPendingCommands } from '../../app/index.ts';
import { allowedCommands, explain, type Loop } from '../../core/index.ts';
import type { Standing } from '../../protocol/index.ts';
import { type LoopModel, type SeenOwner, stateOf, wakeAtOf } from '../../views/index.ts';
import type { ServerWords } from '../words.ts';
import type { NamedLoop, Projects } from './projects.ts';
import { withRequests } from './requests-of.ts';
import { given } from './row.ts';

/** What a standing is made from. */
export interface StandingParts {
  readonly named: NamedLoop;
  readonly projects: Projects;
  readonly words: ServerWords;
  readonly nowMs: number;
  readonly problems: readonly string[];
  readonly folder: string;
}

/** Where a loop stands, in the form of the API. */
export async function standingOf(model: LoopModel, parts: StandingParts): Promise<Standing> {
  const { named, projects, words, nowMs, problems, folder } = parts;
  const { loop, view, shownStatus, owner } = model;
  const wakeAt = wakeAtOf(model);
  const explanation = explain(loop, { nowMs, shownStatus, wakeAt });
  const { next, ...explained } = words.explain(explanation, loop);
  const continuedBy = await findSuccessor(named.place, view);
  const { tests, ...shown } = view;
  return {
    seq: loop.journal.seq,
    nowMs,
    status: shownStatus,
    state: stateOf({ view, shownStatus, ownerState: owner.state, wakeAt, hostSession: hostSessionOf(model) }, nowMs),
    owner: given({ state: owner.state, pid: owner.pid, since: owner.since }) as Standing['owner'],
    view: { ...shown, ...(tests === undefined ? {} : { tests: withoutRecords(tests) }) },
    explained: { ...explained, next: withRequests(next, explanation.next) },
    allowed: allowedCommands(loop),
    claims: loop.position.current?.execution?.claimed === true,
    limits: limitsOf(loop),
    checks: loop.gate.checks.map((check) => (typeof check === 'string' ? check : check.join(' '))),
    promise: loop.config.completionPromise ?? null,
    guidance: loop.commands.guidance.map(({ number, text, standing, at, delivered }) => ({
      number,
      text,
      isStanding: standing === true,
      ...given({ at, firstIteration: delivered?.first }),
    })),
    problems,
    pending: await readPendingCommands(named.place, loop.id),
    ...given({
      wakeAt,
      landedIn: view.worktree && landedInto(folder)?.into,
      continuedBy: continuedBy && projects.keyOf(continuedBy, named),
      resumedFrom: view.resumedFrom && projects.keyOf(view.resumedFrom, named),
    }),
  };
}

/** A session works on it while no process runs it. */
function hostSessionOf({ view, owner }: { readonly view: LoopModel['view']; readonly owner: SeenOwner }): unknown {
  return owner.state === 'none' && view.wakeAt !== undefined ? view.hostSession : undefined;
}

function withoutRecords<Tests extends { readonly tracked: unknown }>({ tracked: _all, ...rest }: Tests) {
  return rest;
}

function limitsOf({ config }: Loop): Standing['limits'] {
  const { maxTime, maxCostUsd, maxTokens, iteration, contextRedlinePercent } = config;
  return {
    ...given({ maxTimeMs: maxTime, maxCostUsd, maxTokens }),
    idleTimeoutMs: iteration.idleTimeout,
    iterationTimeoutMs: iteration.timeout,
    redlinePercent: contextRedlinePercent,
  };
}
