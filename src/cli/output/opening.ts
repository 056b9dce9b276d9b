import path from 'node:path';
import { formatDuration, scrub } from '../../base/index.ts';
import { guardNames, type Loop } from '../../core/index.ts';
import type { CheckCommand } from '../../protocol/index.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './plain.ts';

/** What is about to happen: the task, who works on it, what counts as done, and what bounds it. */
export function openingLines(loop: Loop, { folder, cwd, paint }: OpeningView): string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['task', oneLine(loop.task, 100)],
    ['agent', agentOf(loop)],
    ['done', doneWhen(loop)],
    ...takenFor(loop),
    ...guardedBy(loop),
    ['bounds', boundsOf(loop)],
    ['state', path.relative(cwd, folder) || folder],
  ];
  const warning =
    loop.checks.length === 0 ? [paint.warn("  Nothing is verified: the agent's word will be taken for it.")] : [];
  return [
    `${paint.bold('ralphd')} ${paint.note(loop.id)}`,
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(7))} ${value}`),
    ...warning,
  ];
}

/** Where a loop is shown. */
export interface OpeningView {
  readonly folder: string;
  readonly cwd: string;
  readonly paint: Paint;
}

function agentOf({ agent, config }: Loop): string {
  if (agent !== 'command') return `${agent}, permissions: ${config.permissions}`;
  const command = config.agentCommand === undefined ? '' : showCommand(config.agentCommand);
  return `${command} (may do whatever this user may)`;
}

function doneWhen({ checks, config, foundTest }: Loop): string {
  const claim =
    config.completionPromise === null ? [] : [`the agent claims <promise>${scrub(config.completionPromise)}</promise>`];
  const gate = checks.map((check) => `"${showCommand(check)}" passes${check === foundTest ? ' (found)' : ''}`);
  const where = checks.length > 0 && config.verifyIn !== 'tree' ? ` (checks run ${config.verifyIn})` : '';
  return `${[...claim, ...gate].join(' and ')}${where}`;
}

/** What was understood of criteria that were sentences. */
function takenFor({ readings = [] }: Loop): readonly (readonly [string, string])[] {
  return readings.map(({ said, commands }) => {
    const commandLines = commands.map((command) => `"${showCommand(command)}"`).join(' and ');
    return ['taken', `"${oneLine(said)}" for ${commandLines}`];
  });
}

function guardedBy({ guards = [] }: Loop): readonly (readonly [string, string])[] {
  const { guarded, watched } = guardNames(guards);
  return [
    ...(guarded.length === 0 ? [] : [['guards', oneLine(guarded.join(', '), 120)] as const]),
    ...(watched.length === 0 ? [] : [['watches', oneLine(watched.join(', '), 120)] as const]),
  ];
}

function boundsOf({ config }: Loop): string {
  const bounds = [
    config.maxIterations === 0
      ? []
      : [`${config.maxIterations} ${config.maxIterations === 1 ? 'iteration' : 'iterations'}`],
    config.maxTime === undefined ? [] : [formatDuration(config.maxTime)],
    config.maxCostUsd === undefined ? [] : [`$${config.maxCostUsd}`],
    config.maxTokens === undefined ? [] : [`${config.maxTokens} tokens`],
    config.maxOutputTokens === undefined ? [] : [`${config.maxOutputTokens} output tokens`],
    config.maxToolCalls === undefined ? [] : [`${config.maxToolCalls} tool calls`],
    [`${formatDuration(config.iteration.timeout)} per iteration`],
  ];
  return bounds.flat().join(', ');
}

/** A command as a person would type it. */
function showCommand(command: CheckCommand): string {
  if (typeof command === 'string') return oneLine(command);
  return oneLine(
    command.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' '),
  );
}
