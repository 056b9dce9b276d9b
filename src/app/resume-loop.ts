import { randomUUID } from 'node:crypto';
import { failures, LoopError } from '../base/index.ts';
import { accept, isTerminal, type Loop, resumeCommand, usedUpLimits, withConditions } from '../core/index.ts';
import { changedGuards, guardPlace, renewBase, retakeGuards } from '../gate/index.ts';
import { checkConfig, configSchema, encodeConfig, type Fact, type LoopConfig } from '../protocol/index.ts';
import { type AppContext, adapterFor, assertAgentIsThere, assertBudgetsMeasurable } from './adapters.ts';
import { type DrivenLoop, driveLoop } from './driven-loop.ts';
import { assertPatterns, type Locate } from './patterns.ts';
import { foldState } from './ports/store-port.ts';
import { endedLoop } from './recover-loop.ts';
import { hashOf } from './start-loop.ts';
import { type LoopPlace, openGuardedStore } from './stores.ts';

/** Settings that may be changed when a loop is resumed. */
export const resumeSettings = [
  'maxIterations',
  'maxTime',
  'maxCostUsd',
  'maxTokens',
  'maxOutputTokens',
  'maxToolCalls',
  'allowBrokenBaseline',
] as const satisfies readonly (keyof LoopConfig)[];
/** The settings that are changed, and the stop rules and conditions when they are to be others. */
export type ResumeChanges = Partial<Pick<LoopConfig, (typeof resumeSettings)[number] | 'stopConditions'>>;

/** How a loop is resumed. */
export interface ResumeOptions {
  readonly context: AppContext;
  readonly changes: ResumeChanges;
  /** The user changed the files that the checks name: they count as they are now. */
  readonly acceptGate?: boolean;
  /** Where settings were given, for those that are refused. */
  readonly locate?: Locate;
}

/** Goes on with a loop: one that is paused, or one whose owner died. Refuses a loop that has ended. */
export async function resumeLoop(
  loopId: string,
  place: LoopPlace,
  { context, changes, acceptGate = false, locate }: ResumeOptions,
): Promise<DrivenLoop> {
  const ended = await endedLoop(place, loopId);
  if (ended !== undefined) throw new LoopError(failures.resumeRefused(loopId, ended.status));
  const open = openGuardedStore(place, context.env).open(loopId);
  try {
    const loop = foldState({ loopId, ...open.recovered });
    if (isTerminal(loop.status)) throw new LoopError(failures.resumeRefused(loopId, loop.status));
    const changed = changeConfig(loop, changes);
    const config = changed?.config ?? loop.config;
    const adapter = adapterFor(config, context);
    assertAgentIsThere(adapter, config, { workingDirectory: loop.workingDirectory, env: context.env });
    assertBudgetsMeasurable(adapter, config);
    if (changes.stopConditions !== undefined) assertPatterns(config, locate);
    const changedLoop = withConditions(loop, config);
    assertRoom(changedLoop);
    const problems = open.recovered.problems.map(({ message }) => message);
    const accepted = acceptGate ? await acceptedGate(loop, context) : [];
    const facts = [...(changed?.facts ?? []), ...accepted, ...goingOn(changedLoop, problems)];
    return driveLoop(open, loop, { facts, root: place.root, context });
  } catch (error) {
    open.close();
    throw error;
  }
}

/** A loop whose limits are used up goes on only when it is given more: nothing is written before that. */
function assertRoom(loop: Loop): void {
  const used = usedUpLimits(loop);
  if (used.length === 0) return;
  const told = used.map(({ evidence }) => evidence).join(' and ');
  throw new LoopError(failures.resumeNeedsRoom(loop.id, told, resumeCommand(loop)));
}

/** What a new owner says first: a paused loop is resumed, a running one was left by a dead owner. */
function goingOn(loop: Loop, problems: readonly string[]): readonly Fact[] {
  if (loop.status === 'paused') return accept(loop, { id: randomUUID(), command: 'resume' });
  return [{ type: 'loop.recovered', data: { problems: [...problems] } }];
}

/** What the checks depend on as it is now, and with strict protection the tests as they are now. */
async function acceptedGate(loop: Loop, { env }: AppContext): Promise<readonly Fact[]> {
  const { guards = [], workingDirectory, config, id: loopId, base: before } = loop;
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
