import { randomUUID } from 'node:crypto';
import { failures, LoopError } from '../base/index.ts';
import { accept, isTerminal, type Loop, plainResume, usedUpLimits, withConditions } from '../core/index.ts';
import { changedGuards, guardPlace, renewBase, retakeGuards } from '../gate/index.ts';
import {
  checkConfig,
  configSchema,
  encodeConfig,
  type Fact,
  type LoopConfig,
  limitSettings,
} from '../protocol/index.ts';
import type { LoopFolders } from '../store/index.ts';
import { createFileLoopStore } from './adapters/file-loop-store.ts';
import { foldState } from './adapters/fold-state.ts';
import { type AppContext, adapterFor, assertAgentIsThere, assertBudgetsMeasurable } from './agent-programs.ts';
import { type DrivenLoop, driveLoop } from './driven-loop.ts';
import { thisMachine } from './machine.ts';
import { assertPatterns, type Locate } from './patterns.ts';
import { endedLoop } from './recover-loop.ts';
import { createRegistry } from './registry.ts';
import { senderHere } from './sender.ts';
import { hashOf } from './start-loop.ts';
import { type LoopPlace, openGuardedStore } from './stores.ts';

/** Settings that may be changed when a loop is resumed. */
export const resumeSettings = [
  ...limitSettings,
  'allowBrokenBaseline',
] as const satisfies readonly (keyof LoopConfig)[];
/** The settings that are changed, and the stop rules and conditions when they are to be others. */
export type ResumeChanges = Partial<Pick<LoopConfig, (typeof resumeSettings)[number] | 'stopConditions'>>;

/** How a loop is resumed. */
export interface ResumeOptions {
  readonly context: AppContext;
  readonly changes: ResumeChanges;
  /** Take the loop over from an owner on another machine that may still be running. */
  readonly force?: boolean;
  /** The user changed the files that the checks name: they count as they are now. */
  readonly acceptGate?: boolean;
  /** Where settings were given, for those that are refused. */
  readonly locate?: Locate;
}

/** Goes on with a loop: one that is paused, or one whose owner died. Refuses a loop that has ended. */
export async function resumeLoop(
  loopId: string,
  place: LoopPlace,
  { context, changes, acceptGate = false, force = false, locate }: ResumeOptions,
): Promise<DrivenLoop> {
  const ended = await endedLoop(place, loopId);
  if (ended !== undefined) throw new LoopError(failures.resumeRefused(loopId, ended.status));
  const folders = openGuardedStore(place, context.env);
  // What is refused is refused before anything is written.
  const before = restingLoop(folders, loopId);
  if (before !== undefined) planned(before, { context, changes, locate });
  const store = createFileLoopStore(folders, { registry: createRegistry(place), machine: thisMachine });
  const owned = await store.open(loopId, { force });
  try {
    const { loop, problems } = owned.recovered;
    if (loop === undefined) throw new LoopError(failures.stateUnreadable(loopId, 'it was never started'));
    const { configured, facts } = planned(loop, { context, changes, locate });
    const accepted = acceptGate ? await acceptedGate(loop, context) : [];
    const messages = problems.map(({ message }) => message);
    const opening = [...facts, ...accepted, ...goingOn(configured, messages, context)];
    return await driveLoop(owned, { facts: opening, root: place.root, context });
  } catch (error) {
    await owned.close();
    throw error;
  }
}

/** A loop that nobody drives, as far as it can be read; opening it reports what is wrong with the rest. */
function restingLoop(folders: LoopFolders, loopId: string): Loop | undefined {
  try {
    const found = folders.has(loopId) ? folders.read(loopId) : undefined;
    return found === undefined || found.owner?.liveness === 'alive' ? undefined : foldState(found);
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

type Planning = Pick<ResumeOptions, 'context' | 'changes'> & { readonly locate: Locate | undefined };

/** The loop with its changed settings, and the facts that change them; refuses what cannot work. */
function planned(
  loop: Loop,
  { context, changes, locate }: Planning,
): { readonly configured: Loop; readonly facts: readonly Fact[] } {
  if (isTerminal(loop.status)) throw new LoopError(failures.resumeRefused(loop.id, loop.status));
  const changed = changeConfig(loop, changes);
  const config = changed?.config ?? loop.config;
  const adapter = adapterFor(config, context);
  assertAgentIsThere(adapter, config, { workingDirectory: loop.origin.workingDirectory, env: context.env });
  assertBudgetsMeasurable(adapter, config);
  if (changes.stopConditions !== undefined) assertPatterns(config, locate);
  const configured = withConditions(loop, config);
  assertRoom(configured);
  return { configured, facts: changed?.facts ?? [] };
}

/** A loop whose limits are used up goes on only when it is given more: nothing is written before that. */
function assertRoom(loop: Loop): void {
  const used = usedUpLimits(loop);
  if (used.length === 0) return;
  const evidence = used.map((standing) => standing.evidence).join(' and ');
  throw new LoopError(failures.resumeNeedsRoom(loop.id, evidence, plainResume(loop)?.raise));
}

/** The first fact of a new owner: a paused loop is resumed, a running one was left by a dead owner. */
function goingOn(loop: Loop, problems: readonly string[], { face }: AppContext): readonly Fact[] {
  if (loop.status === 'paused') return accept(loop, { id: randomUUID(), command: 'resume', sender: senderHere(face) });
  return [{ type: 'loop.recovered', data: { problems: [...problems] } }];
}

/** What the checks depend on as it is now, and with strict protection the tests as they are now. */
async function acceptedGate(loop: Loop, { env }: AppContext): Promise<readonly Fact[]> {
  const {
    gate: { guards = [], base: before },
    origin: { workingDirectory },
    config,
    id: loopId,
  } = loop;
  const place = guardPlace({ workingDirectory, env });
  // Ignored files are noted, not guarded: nobody has to accept them.
  const guarded = guards.filter(({ kind }) => kind !== 'ignored');
  const differing = changedGuards(guarded, place).map(({ name }) => name);
  const renewed = await renewBase(config, { workingDirectory, env, loopId }, before);
  const isSealed = config.verifyIn === 'sealed';
  if (differing.length === 0 && renewed === undefined && !isSealed) return [];
  const sealed = isSealed ? ['dependencies, settings and programs of the sealed checks'] : [];
  const changed = [...new Set([...differing, ...(renewed?.changed ?? []), ...sealed])];
  const base = renewed === undefined ? {} : { base: renewed.base };
  return [{ type: 'gate.accepted', data: { guards: [...retakeGuards(guards, place)], changed, ...base } }];
}

function changeConfig(
  loop: Loop,
  changes: ResumeChanges,
): { readonly config: LoopConfig; readonly facts: readonly Fact[] } | undefined {
  if (Object.values(changes).every((value) => value === undefined)) return undefined;
  const config: LoopConfig = { ...loop.config, ...changes };
  const [problem] = checkConfig(config);
  if (problem !== undefined) throw new LoopError(problem);
  const encoded = encodeConfig(config);
  configSchema.parse(encoded);
  return { config, facts: [{ type: 'config.changed', data: { config: encoded, configHash: hashOf(encoded) } }] };
}
