import * as words from '../../../src/protocol/words.ts';

const listNames: Readonly<Record<string, readonly string[]>> = {
  AgentOutcome: words.agentOutcomes,
  ChannelType: words.channelTypes,
  FailureClass: words.failureClasses,
  HookPoint: words.hookPoints,
  HookStep: words.hookSteps,
  LoopHookStep: words.loopHookSteps,
  NotifyPriority: words.notifyPriorities,
  NotifyTrigger: words.notifyTriggers,
  Proof: words.proofs,
  ProofLevel: words.proofLevels,
  RebootCause: words.rebootCauses,
  StopReason: words.stopReasons,
  Verdict: words.verdicts,
};

/** The name of the type whose words these are, in this order. */
export function nameOfWords(list: readonly string[]): string | undefined {
  return Object.entries(listNames).find(([, known]) => known.join() === list.join())?.[0];
}

/** The line that imports those of these names that a text uses. */
export function importOfWords(text: string, from: string): string {
  const used = Object.keys(listNames).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${from}';\n`;
}
