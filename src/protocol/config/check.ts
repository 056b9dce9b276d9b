import { type Failure, failures } from '../../base/index.ts';
import { isBound } from './condition-tree.ts';
import type { LoopConfig } from './schema.ts';

/** What is wrong with settings that are each right but do not go together; empty when a loop may start with them. */
export function checkConfig(config: LoopConfig): readonly Failure[] {
  const problems: Failure[] = [];
  if (config.maxIterations === 0 && !hasOtherBound(config)) problems.push(failures.unlimitedWithoutBound());
  if (config.agent === 'command' && config.agentCommand === undefined) problems.push(failures.agentCommandMissing());
  return problems;
}

function hasOtherBound(config: LoopConfig): boolean {
  const { maxTime, maxCostUsd, maxTokens, maxOutputTokens, maxToolCalls, stopConditions } = config;
  const bounds = [maxTime, maxCostUsd, maxTokens, maxOutputTokens, maxToolCalls];
  return (
    bounds.some((bound) => bound !== undefined) || [...stopConditions.stop, ...stopConditions.failure].some(isBound)
  );
}
