import path from 'node:path';
import { failures, LoopError } from '../base/index.ts';
import {
  type AccountFold,
  accountOf,
  foldAccount,
  type IterationAccount,
  type Loop,
  lastAttempt,
  testsChangedBy,
} from '../core/index.ts';
import { createTemporaryFolder, look, readStart } from '../files/index.ts';
import { type Changes, type Frozen, readFact, type Worktree } from '../protocol/index.ts';
import type { AttemptKey } from '../runner/index.ts';
import { attemptFolder, readFactsOfLoop } from '../store/index.ts';
import {
  changesBetween,
  createDiffStore,
  type DiffPlace,
  type DiffTrees,
  type FileDiff,
  isFolder,
  type Patch,
  readDiffStat,
  readPatch,
  takeFingerprint,
  unpackFingerprint,
} from '../workspace/index.ts';
import { createRunFile } from './adapters/baseline-file.ts';
import { promptIn } from './adapters/file-attempt-files.ts';
import { redactorFor } from './adapters/redact-facts.ts';
import { readFacts } from './adapters/whole-journal.ts';
import { fingerprintName } from './adapters/workspace-port.ts';
import type { AppContext } from './agent-programs.ts';
import type { LoopView } from './loop-view.ts';
import { type AgentActivity, readActivity } from './read-activity.ts';
import { findLoop } from './read-loops.ts';
import { diffPlaceOf, type LoopPlace, openStore, ownFolders } from './stores.ts';

/** Which iteration to inspect, and whether to include the changed lines. */
export interface InspectRequest {
  /** Default: the newest. */
  readonly iteration?: number | undefined;
  readonly withPatch: boolean;
  /** A fact from which on the journal tells everything about the iteration, if that is known; all facts otherwise. */
  readonly sinceSeq?: number | undefined;
}

/** Everything that is known about one iteration of a loop. */
export interface InspectedIteration {
  readonly loopId: string;
  readonly status: LoopView['shownStatus'];
  readonly agent: string;
  /** The git worktree and the branch that the loop has for itself. */
  readonly worktree?: Frozen<Worktree>;
  readonly account: IterationAccount;
  readonly tests: { readonly fixed: readonly string[]; readonly broken: readonly string[] };
  /** The prompt of its newest attempt; null if it was removed. */
  readonly prompt: { readonly file: string; readonly text: string; readonly bytes: number } | null;
  /** What the agent wrote and did in that attempt; null if its output was removed. */
  readonly activity: AgentActivity | null;
  /** What it has changed; missing if unknown. */
  readonly changes?: ShownChanges;
}

/** Changed files and, if stored, their lines. */
interface ShownChanges {
  readonly changes: Changes;
  /** Missing outside git; null if the stored diffs were removed. */
  readonly files?: readonly FileDiff[] | null;
  readonly patch?: Patch | null;
}

const maxPromptBytes = 1024 * 1024;
/** Identifiers, which would be useless when redacted. */
const identifiers: ReadonlySet<string> = new Set(['loopId', 'id', 'sessionId', 'trees', 'file', 'worktree']);
const maxPatchBytes = 2 * 1024 * 1024;

/** Inspects one iteration of the loop a user means, finished or not. */
export async function inspectIteration(
  place: LoopPlace,
  query: string | undefined,
  { context, request }: { readonly context: AppContext; readonly request: InspectRequest },
): Promise<InspectedIteration> {
  const view = findLoop(place, query, { orNewest: true });
  const { loop, shownStatus } = view;
  const account = readAccount(place, loop.id, request);
  if (account === undefined) {
    const facts = readFacts(place, loop.id);
    const newest = accountOf(facts)?.iteration;
    throw new LoopError(failures.iterationNotFound(loop.id, request.iteration, newest));
  }
  const key = { iteration: account.iteration, attempt: lastAttempt(account)?.attempt ?? 1 };
  const changes = await changesIn(view, account, { place, env: context.env, withPatch: request.withPatch, key });
  const found: InspectedIteration = {
    loopId: loop.id,
    status: shownStatus,
    agent: loop.origin.agent,
    ...(loop.origin.worktree && { worktree: loop.origin.worktree }),
    account,
    tests: testsChangedBy(account),
    prompt: promptOf(place, loop, key),
    activity: await readActivity(place, loop.id, { key, context }),
    ...(changes === undefined ? {} : { changes }),
  };
  return redactorFor(context.env, loop.config).redactDeep(found, identifiers);
}

/** An iteration is over when the next one starts, so reading ends there. */
function readAccount(place: LoopPlace, loopId: string, request: InspectRequest): IterationAccount | undefined {
  const { iteration, sinceSeq } = request;
  if (iteration === undefined || sinceSeq === undefined) return accountOf(readFacts(place, loopId), iteration);
  let fold: AccountFold = {};
  for (const entry of readFactsOfLoop(openStore(place).place(loopId), sinceSeq - 1)) {
    const reading = readFact(entry);
    if (!reading.ok) continue;
    const { open } = fold;
    fold = foldAccount(fold, reading.fact);
    if (open?.iteration === iteration && fold.open?.iteration !== iteration) return open;
  }
  return fold.open?.iteration === iteration ? fold.open : undefined;
}

function promptOf(place: LoopPlace, { id }: Loop, key: AttemptKey): InspectedIteration['prompt'] {
  const { files, ...found } = openStore(place).place(id);
  const file = promptIn(attemptFolder(found, key));
  try {
    const bytes = look(files, file)?.size;
    if (bytes === undefined) return null;
    return { file, bytes, text: readStart(files, file, Buffer.alloc(maxPromptBytes)).toString() };
  } catch (error) {
    if (error instanceof LoopError) return null;
    throw error;
  }
}

interface ChangesRequest {
  readonly place: LoopPlace;
  readonly env: NodeJS.ProcessEnv;
  readonly withPatch: boolean;
  readonly key: AttemptKey;
}

async function changesIn(
  view: LoopView,
  account: IterationAccount,
  request: ChangesRequest,
): Promise<ShownChanges | undefined> {
  const { run } = lastAttempt(account) ?? {};
  if (run === undefined) return await changesUpToNow(view, request);
  const { changes } = run;
  if (changes.trees === undefined) return { changes };
  const { workingDirectory: own, worktree } = view.loop.origin;
  // A worktree that has landed and is gone shared its objects with the project.
  const workingDirectory = worktree === undefined || isFolder(own) ? own : request.place.workingDirectory;
  const kept = diffPlaceOf({ folder: view.folder, workingDirectory }, request.env);
  return { changes, ...(await diffOf(kept, changes.trees, request.withPatch)) };
}

async function diffOf(
  place: DiffPlace,
  trees: DiffTrees,
  withPatch: boolean,
): Promise<Pick<ShownChanges, 'files' | 'patch'>> {
  const files = (await readDiffStat(place, trees)) ?? null;
  return withPatch ? { files, patch: (await readPatch(place, trees, maxPatchBytes)) ?? null } : { files };
}

/** What a running agent has changed so far; its diff is not stored yet. */
async function changesUpToNow(
  { loop, folder }: LoopView,
  { place, env, withPatch, key }: ChangesRequest,
): Promise<ShownChanges | undefined> {
  const bytes = createRunFile(openStore(place).place(loop.id)).load();
  if (bytes === undefined) return undefined;
  const before = await unpackFingerprint(fingerprintName(key), bytes);
  const { workingDirectory } = loop.origin;
  const after = await takeFingerprint(workingDirectory, { env, exclude: ownFolders(place, env) });
  const { known, headMoved, modified, created, deleted, counts } = await changesBetween(before, after, env);
  if (!known) return undefined;
  const count = counts.modified + counts.created + counts.deleted;
  const lists = { modified: [...modified], created: [...created], deleted: [...deleted] };
  using scratch = createTemporaryFolder();
  const kept = diffPlaceOf({ folder, workingDirectory }, env);
  const own = {
    ...kept,
    objects: path.join(scratch.root, 'objects'),
    within: scratch.root,
    alternates: [kept.objects],
  };
  const diff = count === 0 ? undefined : await createDiffStore(own).compare(before, after);
  return {
    changes: { known, headMoved, ...lists, count, ...(diff && { lines: diff.lines }) },
    ...(diff && (await diffOf(own, diff.trees, withPatch))),
  };
}
