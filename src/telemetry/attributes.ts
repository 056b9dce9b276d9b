import type { FactData } from '../protocol/index.ts';
import { names, providerOf } from './conventions.ts';
import type { Attributes, LoopSums, TracedLoop } from './span.ts';

/** The attributes of a whole loop: what it came to, not what it was about. */
export function loopAttributes(loop: TracedLoop, sums: LoopSums, ended: FactData<'loop.ended'>): Attributes {
  const { status, reason, verified, proof } = ended;
  return known({
    'ralphd.loop.id': loop.id,
    'ralphd.loop.resumed_from': loop.resumedFrom,
    'ralphd.loop.status': status,
    'ralphd.loop.reason': reason,
    'ralphd.loop.verified': verified,
    'ralphd.loop.proof': proof,
    'ralphd.loop.iterations': sums.iterations,
    'ralphd.loop.runs': sums.runs,
    'ralphd.usage.cost_usd': sums.costUsd,
    ...agentNames(loop.agent, sums.model),
    'error.type': status === 'completed' ? undefined : reason,
  });
}

/** The attributes of an agent's run. What it did not report is missing, never 0. */
export function agentAttributes(agent: string, run: Partial<FactData<'agent.finished'>>): Attributes {
  const { usage = {}, sessionId, model, outcome, claimed, changes } = run;
  return known({
    'gen_ai.operation.name': names.agentOperation,
    ...agentNames(agent, model),
    'gen_ai.conversation.id': sessionId,
    ...tokenAttributes(usage),
    'ralphd.usage.cost_usd': usage.costUsd,
    'ralphd.usage.tool_calls': usage.toolCalls,
    'ralphd.agent.outcome': outcome,
    'ralphd.agent.claimed': claimed,
    'ralphd.changes.files': changes?.known === true ? changes.count : undefined,
  });
}

/** The attributes of a run of the checks. */
export function gateAttributes(run: FactData<'gate.finished'> | FactData<'baseline.finished'>): Attributes {
  const { verdict, checks, tests, proof } = run;
  return known({
    'ralphd.gate.verdict': verdict,
    'ralphd.gate.checks': checks.length,
    'ralphd.gate.proof': proof,
    'ralphd.tests.total': tests?.total,
    'ralphd.tests.passed': tests?.passed,
    'ralphd.tests.failed': tests?.failed,
  });
}

/** What identifies the agent and its model. */
export function agentNames(agent: string, model: string | undefined): Record<string, string | undefined> {
  return {
    'gen_ai.agent.name': agent,
    'gen_ai.provider.name': providerOf(agent),
    'gen_ai.request.model': model,
  };
}

/** The conventions count tokens that came from a cache among the input; ralphd counts them apart. */
export function inputTokensOf(usage: NonNullable<FactData<'agent.finished'>['usage']>): number | undefined {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return inputTokens === undefined ? undefined : inputTokens + cacheReadTokens + cacheWriteTokens;
}

function tokenAttributes(usage: NonNullable<FactData<'agent.finished'>['usage']>): Record<string, number | undefined> {
  return {
    'gen_ai.usage.input_tokens': inputTokensOf(usage),
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
  };
}

/** The attributes that have a value. */
export function known(attributes: Readonly<Record<string, Attributes[string] | undefined>>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter((pair): pair is [string, Attributes[string]] => pair[1] !== undefined),
  );
}
