import { boundText, failures, LoopError } from '../base/index.ts';
import { type SettingDifference, type SettingValues, settingDifferences, withSettings } from '../config/index.ts';
import {
  configuredMode,
  guardId,
  isEnding,
  isTerminal,
  type Loop,
  modeOf,
  plainResume,
  replay,
  usedUpLimits,
} from '../core/index.ts';
import { type GatePlan, planGate } from '../gate/index.ts';
import {
  checkConfig,
  encodeConfig,
  type Fact,
  type FactData,
  type LoopConfig,
  type SettingChange,
  whyFixed,
} from '../protocol/index.ts';
import { readPrompt, taskOf } from './adapters/prompt-source.ts';
import {
  type AppContext,
  adapterFor,
  assertAgentInstalled,
  assertBudgetsMeasurable,
  assertModePossible,
} from './agent-programs.ts';
import { assertBoundsWork, assertSpace, withTimeZone } from './bounds.ts';
import { type CurrentSettings, changedSettings } from './changed-settings.ts';
import { timestamp } from './machine.ts';
import { assertPatterns, type Locate } from './patterns.ts';
import { localSender } from './sender.ts';
import { boundTask, hashOf } from './started-fact.ts';
import { assertWorktreeIsThere } from './worktree-share.ts';

/** What is needed to plan a resume. */
export interface Planning {
  readonly context: AppContext;
  /** Values given for this resume. */
  readonly changes: SettingValues;
  /** Current settings from files and variables to apply to the loop. */
  readonly reload?: CurrentSettings | undefined;
  readonly locate: Locate | undefined;
}

/** The loop with its new settings, the facts that record them, and warnings. */
export interface ResumePlan {
  readonly configured: Loop;
  readonly facts: readonly Fact[];
  readonly warnings: readonly string[];
}

/** Plans a resume, and refuses what cannot work. Writes nothing. */
export async function planResume(loop: Loop, planning: Planning): Promise<ResumePlan> {
  const { context, changes, locate } = planning;
  if (isTerminal(loop.status)) throw new LoopError(failures.resumeRefused(loop.id, loop.status));
  assertWorktreeIsThere(loop);
  const reloaded = await reloadable(loop, planning);
  const config = withTimeZone(withSettings(loop.config, { ...valuesOf(reloaded), ...changes }));
  const differences = settingDifferences(loop.config, config);
  const isChanged = (...names: readonly string[]) =>
    differences.some(({ setting }) => names.some((name) => setting === name || setting.startsWith(`${name}.`)));
  const [problem] = checkConfig(config);
  if (problem !== undefined) throw new LoopError(problem);
  if (isChanged('agent', 'agentCommand', 'agents')) assertAgentCanChange(loop);
  const adapter = adapterFor(config, context);
  assertAgentInstalled(adapter, config, { workingDirectory: loop.origin.workingDirectory, env: context.env });
  assertBudgetsMeasurable(adapter, config);
  assertModePossible(adapter, config);
  assertSpace(config, loop.origin.workingDirectory);
  if (isChanged('schedule', 'maxLinesChanged')) {
    await assertBoundsWork(config, { workingDirectory: loop.origin.workingDirectory, env: context.env });
  }
  if (isChanged('stopConditions', 'progress', 'ask')) assertPatterns(config, locate);
  const gate = isChanged('verify', 'autoTest') ? planChangedGate(loop, config, context) : undefined;
  if (gate === undefined) assertHasCheck(loop, config);
  const task = isChanged('prompt', 'promptPath', 'vars') ? await taskNow(loop, config, context) : {};
  const chosen = chosenIn(loop, changes);
  const isSame = differences.length === 0 && chosen === undefined;
  const changed = changedFact(config, {
    changes: differences.map(shown),
    ...(chosen === undefined ? {} : { chosen }),
    ...task,
    ...(gate === undefined ? {} : { gate: gate.data }),
  });
  const settled = isSame ? loop : after(loop, changed);
  const switched = chosenMode(settled, planning);
  const configured = withRoom(switched === undefined ? settled : after(settled, switched));
  const facts = [...(isSame ? [] : [changed]), ...(switched === undefined ? [] : [switched])];
  return { configured, facts, warnings: gate?.warnings ?? [] };
}

function after(loop: Loop, fact: Fact): Loop {
  const { seq, epoch } = loop.journal;
  return replay([{ ...fact, seq, epoch, at: timestamp() }], loop);
}

/** A mode that is given for a resume counts, even if the loop was switched from that mode to another one meanwhile. */
function chosenMode(loop: Loop, { changes, context }: Planning): Fact | undefined {
  const [from, to] = [modeOf(loop), configuredMode(loop.config)];
  if (from === to || !('mode' in changes || 'attended' in changes)) return undefined;
  return { type: 'mode.changed', data: { from, to, cause: 'command', sender: localSender(context.face) } };
}

async function reloadable(loop: Loop, { reload, changes }: Planning): Promise<readonly SettingDifference[]> {
  if (reload === undefined) return [];
  const differences = await changedSettings(loop, reload);
  return differences.filter(({ setting }) => whyFixed(setting) === undefined && !(setting in changes));
}

/** The values of settings in the second configuration. */
export function valuesOf(differences: readonly SettingDifference[]): SettingValues {
  return Object.fromEntries(differences.map(({ setting, value }) => [setting, value]));
}

/** A loop that starts here always has a check or trusts the agent; one from elsewhere may have neither. */
function assertHasCheck({ id, origin, gate }: Loop, { trustPromise }: LoopConfig): void {
  if (origin.imported === undefined || gate.checks.length > 0 || trustPromise) return;
  throw new LoopError(failures.importNeedsCheck(id));
}

/** The output of a running agent can only be read with the settings it was started with. */
function assertAgentCanChange({ id, position: { current } }: Loop): void {
  if (current?.stage === 'begun' || current?.stage === 'executing') throw new LoopError(failures.agentUnderWay(id));
}

/** Guarded files keep their original digests, whatever the new checks depend on. */
function planChangedGate(loop: Loop, config: LoopConfig, { env }: AppContext): GatePlan {
  const { data, warnings } = planGate(config, { workingDirectory: loop.origin.workingDirectory, env });
  const { guards: before = [] } = loop.gate;
  const known = new Set(before.map(guardId));
  const guards = [...before, ...(data.guards ?? []).filter((guard) => !known.has(guardId(guard)))];
  return { data: { ...data, ...(guards.length === 0 ? {} : { guards }) }, warnings };
}

async function taskNow(
  { origin: { workingDirectory } }: Loop,
  config: LoopConfig,
  { env, templates }: AppContext,
): Promise<{ readonly task: string }> {
  const read = await readPrompt(config, { workingDirectory, env, templates });
  return { task: boundTask(taskOf(read, config)) };
}

/** Settings given for a resume count as chosen for this loop from now on. */
function chosenIn({ origin: { chosen } }: Loop, changes: SettingValues): string[] | undefined {
  const more = Object.keys(changes).filter((setting) => !chosen?.includes(setting));
  return chosen === undefined || more.length === 0 ? undefined : [...chosen, ...more];
}

function changedFact(
  config: LoopConfig,
  more: Omit<FactData<'config.changed'>, 'config' | 'configHash'>,
): Extract<Fact, { type: 'config.changed' }> {
  const encoded = encodeConfig(config);
  return { type: 'config.changed', data: { config: encoded, configHash: hashOf(encoded), ...more } };
}

const maxShownLength = 200;

/** A difference for display. Variables may be secrets, so their values are hidden. */
export function shown({ setting, from, to }: SettingDifference): SettingChange {
  if (setting === 'vars' || setting === 'iteration.env') return { setting };
  return { setting, ...asText('from', from), ...asText('to', to) };
}

function asText<Name extends 'from' | 'to'>(name: Name, value: unknown): { readonly [Key in Name]?: string } {
  if (value === undefined) return {};
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { [name]: boundText(text, maxShownLength) } as { readonly [Key in Name]: string };
}

/** A loop that reached a limit continues only if the limit is raised; nothing is written before that. */
function withRoom(loop: Loop): Loop {
  const used = usedUpLimits(loop);
  // A loop that is ending needs no room for its last hooks.
  if (used.length === 0 || isEnding(loop)) return loop;
  const evidence = used.map((standing) => standing.evidence).join(' and ');
  throw new LoopError(failures.resumeNeedsRoom(loop.id, evidence, plainResume(loop)?.raise));
}
