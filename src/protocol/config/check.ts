import { type Failure, failures } from '../../base/index.ts';
import { type LimitRow, limitTable } from '../limits.ts';
import { isBound } from './condition-tree.ts';
import type { LoopConfig } from './loop-config.ts';

/** A setting named like a limit without a row in the table is a type error here. */
const rows: Readonly<Record<Extract<keyof LoopConfig, `max${string}`>, LimitRow>> = limitTable;
const { maxIterations: _iterations, ...otherLimits } = rows;

/** Conflicts between settings that are each valid; empty if a loop may start with them. */
export function checkConfig(config: LoopConfig): readonly Failure[] {
  const problems: Failure[] = [];
  if (config.maxIterations === 0 && !hasOtherBound(config)) problems.push(failures.unlimitedWithoutBound());
  if (config.agent === 'command' && config.agentCommand === undefined) problems.push(failures.agentCommandMissing());
  return problems;
}

function hasOtherBound(config: LoopConfig): boolean {
  const { stop, failure } = config.stopConditions;
  const settings = Object.keys(otherLimits) as (keyof typeof otherLimits)[];
  return settings.some((setting) => config[setting] !== undefined) || [...stop, ...failure].some(isBound);
}
