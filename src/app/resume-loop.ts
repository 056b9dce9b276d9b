import { randomUUID } from 'node:crypto';
import { failures, LoopError } from '../base/index.ts';
import { accept, type Loop } from '../core/index.ts';
import { quietly } from '../files/index.ts';
import { changedGuards, guardPlace, renewBase, retakeGuards } from '../gate/index.ts';
import type { Fact } from '../protocol/index.ts';
import type { LoopFolders } from '../store/index.ts';
import { excludeFromCommits } from '../workspace/index.ts';
import type { FileLoop } from './adapters/file-loop.ts';
import { createFileLoopStore } from './adapters/file-loop-store.ts';
import { foldState } from './adapters/fold-state.ts';
import type { AppContext } from './agent-programs.ts';
import { assertContinuable, continueLoop } from './continue-loop.ts';
import { type DrivenLoop, driveLoop } from './driven-loop.ts';
import { endOwner } from './end-owner.ts';
import { thisMachine } from './machine.ts';
import { planResume } from './plan-resume.ts';
import { endedLoop } from './recover-loop.ts';
import { createRegistry } from './registry.ts';
import type { ResumeOptions } from './resume-options.ts';
import { rememberRoot } from './roots.ts';
import { localSender } from './sender.ts';
import { type LoopPlace, openGuardedStore, openStore } from './stores.ts';
import { assertTrusted, trustedFolder } from './trust/consent.ts';
import { assertLoopTrusted } from './trust/loop-lines.ts';
import { readmitLoop } from './worktree-share.ts';

/**
 * Resumes a loop that is paused or whose owner died. The work of an ended loop continues in a new loop, if that is
 * requested.
 */
export async function resumeLoop(loopId: string, place: LoopPlace, options: ResumeOptions): Promise<DrivenLoop> {
  const { context, force = false } = options;
  const ended = await endedLoop(place, loopId);
  if (ended !== undefined) return await continueLoop(ended, place, options);
  const folders = openGuardedStore(place, context.env);
  const endings = force ? await endOwner(folders, loopId) : [];
  // Refuse before anything is written.
  const before = ownerlessLoop(folders, loopId);
  if (before !== undefined) await review(before, place, options);
  const registry = createRegistry(place);
  const store = createFileLoopStore(folders, { registry, machine: thisMachine });
  const open = async (room: readonly string[]) =>
    await openAgain(await store.open(loopId, { force }), { place, options, warnings: [...endings, ...room] });
  if (before === undefined) return await open([]);
  // One at a time, so that of two loops the second sees the first.
  return await registry.whileLocked(
    async () => await open(await readmitLoop(place, before, { force, env: context.env })),
  );
}

async function openAgain(
  owned: FileLoop,
  { place, options, warnings }: { place: LoopPlace; options: ResumeOptions; warnings: readonly string[] },
): Promise<DrivenLoop> {
  const { context, changes, reload, acceptGate = false, locate } = options;
  rememberRoot(place, context.env);
  quietly(() => excludeFromCommits(place.root));
  try {
    const { loop, problems } = owned.recovered;
    if (loop === undefined) throw new LoopError(failures.stateUnreadable(owned.loopId, 'it was never started'));
    const plan = await planResume(loop, { context, changes, reload, locate });
    const accepted = acceptGate ? await acceptedGate(plan.configured, context) : [];
    const messages = problems.map(({ message }) => message);
    const facts = [...plan.facts, ...accepted, ...resumeFacts(plan.configured, messages, context)];
    return await driveLoop(owned, { facts, root: place.root, context, warnings: [...warnings, ...plan.warnings] });
  } catch (error) {
    await owned.close();
    throw error;
  }
}

/** Refuses what a resume would refuse, as far as that is known before anything is written. */
export async function assertResumable(
  loopId: string,
  place: LoopPlace,
  options: ResumeOptions,
): Promise<{ /** Whether an ended loop continues in a new one. */ readonly isNew: boolean }> {
  const ended = await endedLoop(place, loopId);
  if (ended !== undefined) {
    await assertContinuable(ended, place, options);
    return { isNew: true };
  }
  const folders = openStore(place);
  const owner = folders.has(loopId) ? folders.owner(loopId) : undefined;
  if (owner?.liveness === 'alive' && options.force !== true) throw new LoopError(failures.loopLocked(loopId, owner));
  const resting = ownerlessLoop(folders, loopId);
  if (resting !== undefined) {
    await review(resting, place, options);
    await readmitLoop(place, resting, { force: options.force === true, env: options.context.env });
  }
  return { isNew: false };
}

/** Refuses what cannot be resumed in this way. */
async function review(loop: Loop, place: LoopPlace, options: ResumeOptions): Promise<void> {
  const { context, changes, reload, locate, review: assert } = options;
  await assertLoopTrusted(loop, place, context);
  await assertSettingsTrusted(options);
  const { configured } = await planResume(loop, { context, changes, reload, locate });
  assert?.(configured);
}

/** Refuses settings of the project that are applied now and that nobody trusts. */
async function assertSettingsTrusted({ brought, context }: ResumeOptions): Promise<void> {
  if (brought === undefined) return;
  await assertTrusted({ folder: trustedFolder(brought.folder), lines: brought.lines }, context);
}

/** A loop that no process runs, as far as it can be read; opening it reports the damage. */
function ownerlessLoop(folders: LoopFolders, loopId: string): Loop | undefined {
  try {
    const found = folders.has(loopId) ? folders.read(loopId) : undefined;
    return found === undefined || found.owner?.liveness === 'alive' ? undefined : foldState(found);
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}

/** The first fact of a new owner: a paused or parked loop is resumed, any other running loop lost its owner. */
export function resumeFacts(loop: Loop, problems: readonly string[], { face }: AppContext): readonly Fact[] {
  if (loop.status === 'paused') return accept(loop, { id: randomUUID(), command: 'resume', sender: localSender(face) });
  if (loop.pending.wakeAt !== undefined && problems.length === 0) return [];
  return [{ type: 'loop.recovered', data: { problems: [...problems] } }];
}

/** The current versions of what the checks depend on and, with strict protection, of the tests. */
async function acceptedGate(loop: Loop, { env }: AppContext): Promise<readonly Fact[]> {
  const {
    gate: { guards = [], base: before },
    origin: { workingDirectory },
    config,
    id: loopId,
  } = loop;
  const place = guardPlace({ workingDirectory, env });
  // Ignored files are only recorded, not guarded, so they need no acceptance.
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
