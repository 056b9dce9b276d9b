import { type HookAgent, hookAgents } from '../app/index.ts';
import { failures, LoopError, parseDuration } from '../base/index.ts';
import type { Invocation } from './parse.ts';

const defaultTimeout = '15m';
const minTimeoutMs = 60_000;

/** The agent that an argument names. */
export function agentOf({ args: [, name = ''] }: Invocation): HookAgent {
  const agent = hookAgents.find((known) => known === name);
  if (agent === undefined) throw new LoopError(failures.hookAgentUnknown(name, hookAgents));
  return agent;
}

/** How long the hook may take, in whole seconds as milliseconds. */
export function timeoutOf(given: Invocation['options'][string] | undefined, minMs = minTimeoutMs): number {
  const text = typeof given === 'string' ? given : defaultTimeout;
  const ms = parseDuration(text);
  if (ms === undefined || ms < minMs) {
    throw new LoopError(failures.badValue('--timeout', 'a duration of at least 1m, such as 15m', JSON.stringify(text)));
  }
  return Math.floor(ms / 1000) * 1000;
}
