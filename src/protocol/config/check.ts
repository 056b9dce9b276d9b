import { type Failure, failures } from '../../base/index.ts';
import { type LimitRow, type LimitSetting, limitTable } from '../limits.ts';
import { isBound } from './condition-tree.ts';
import { needsSeed } from './execution-mode.ts';
import type { LoopConfig } from './loop-config.ts';
import { protectionOf } from './protection.ts';

/** A setting named like a limit without a row in the table is a type error here. */
const rows: Readonly<Record<Extract<keyof LoopConfig, `max${string}`>, LimitRow>> = limitTable;

/** The limits that every loop reaches sooner or later, besides the number of iterations. */
const otherBounds = settingsWhere(
  ({ changed, between, reason }) => changed === undefined && between === undefined && reason !== 'max_iterations',
);
const limitsOnChanges = settingsWhere(({ changed }) => changed !== undefined);

/** Conflicts between settings that are each valid; empty if a loop may start with them. */
export function checkConfig(config: LoopConfig): readonly Failure[] {
  const problems: Failure[] = [];
  if (config.maxIterations === 0 && !hasOtherBound(config)) problems.push(failures.unlimitedWithoutBound());
  const onChanges = limitsOnChanges.find((setting) => config[setting] !== undefined);
  if (onChanges !== undefined && !config.iteration.trackFileChanges) {
    problems.push(failures.changesNotCounted(onChanges, 'iteration.trackFileChanges is false'));
  }
  if (protectionOf(config.protect).mode === 'stop' && !config.iteration.trackFileChanges) {
    problems.push(failures.changesNotCounted('protect.mode: stop', 'iteration.trackFileChanges is false'));
  }
  if (config.session.strategy === 'continue' && !config.session.persist) problems.push(failures.sessionNotStored());
  problems.push(...rebootProblems(config));
  problems.push(...modeProblems(config));
  problems.push(...sandboxProblems(config));
  if (config.agent === 'command' && config.agentCommand === undefined) problems.push(failures.agentCommandMissing());
  return problems;
}

/** Only a session that would be continued, and is replaced automatically, can be cut short at the redline. */
function rebootProblems({ session }: LoopConfig): readonly Failure[] {
  if (session.reboot.mode !== 'immediate') return [];
  if (session.strategy === 'fresh') return [failures.rebootModeWithoutEffect('"session.strategy" is "fresh"')];
  return session.autoReboot ? [] : [failures.rebootModeWithoutEffect('"session.autoReboot" is false')];
}

/** Settings that a sandbox cannot keep, and those that mean nothing without one. */
function sandboxProblems({ sandbox, network, iteration, hooks }: LoopConfig): readonly Failure[] {
  const isOff = sandbox === 'off';
  return [
    ...(network.length > 0 && sandbox !== 'strict' ? [failures.networkWithoutSandbox(sandbox)] : []),
    ...(iteration.keepProcesses.length > 0 && !isOff ? [failures.sandboxKeepsNothing()] : []),
    ...hooks.flatMap((hook) => (hook.sandbox === true && isOff ? [failures.hookWithoutSandbox(hook.name)] : [])),
  ];
}

function modeProblems({ executionMode: mode, seed, history, persistence }: LoopConfig): readonly Failure[] {
  return [
    ...(needsSeed(mode) === (seed === undefined) ? [failures.seedMismatch(mode, seed !== undefined)] : []),
    ...(mode === 'default' || (history.persist && persistence.enabled) ? [] : [failures.modeNotRecorded(mode)]),
  ];
}

function hasOtherBound(config: LoopConfig): boolean {
  const { stop, failure } = config.stopConditions;
  return otherBounds.some((setting) => config[setting] !== undefined) || [...stop, ...failure].some(isBound);
}

function settingsWhere(fits: (row: LimitRow) => boolean): readonly LimitSetting[] {
  return (Object.keys(rows) as LimitSetting[]).filter((setting) => fits(rows[setting]));
}
