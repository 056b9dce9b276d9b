import { isWellFormed } from '../../control/index.ts';
import { accept, allowedCommands, evolve, isTerminal, type Loop, type LoopCommand } from '../../core/index.ts';
import type { Answer, EventBus } from '../../runner/index.ts';

/** A loop's answer, and its state at that time. */
export interface AnsweredLoop {
  readonly loop: Loop;
  readonly answer: Answer;
}

/** The answer of a loop that was removed. */
export const gone: Answer = { accepted: false, why: 'the loop no longer exists', allowed: [] };

/** An owner ignores a malformed command, so it is refused by its sender. */
export function refuseMalformed(loop: Loop, command: LoopCommand): Answer | undefined {
  if (isWellFormed(command)) return undefined;
  const refusal = accept(loop, command).find((fact) => fact.type === 'command.refused');
  return { accepted: false, why: refusal?.data.why ?? 'the command is malformed', allowed: allowedCommands(loop) };
}

/** The fact that answers a command, among those that follow; none, if they end without it. */
export async function findAnswer(
  before: Loop,
  command: LoopCommand,
  facts: ReturnType<EventBus['follow']>,
): Promise<{ readonly loop: Loop; readonly answer?: Answer }> {
  let loop = before;
  for await (const fact of facts) {
    loop = evolve(loop, fact);
    const answer = answerIn(loop, command);
    if (answer !== undefined) return { loop, answer };
  }
  return { loop };
}

/** The answer to a command in the loop's state: it was answered, or the loop has ended. */
export function answerIn(loop: Loop, command: LoopCommand): Answer | undefined {
  const served = loop.commands.served.find(({ id }) => id === command.id);
  const refusal = isTerminal(loop.status) && served === undefined ? accept(loop, command)[0] : undefined;
  const why = served?.refusedBecause ?? (refusal?.type === 'command.refused' ? refusal.data.why : undefined);
  if (why !== undefined) return { accepted: false, why, allowed: allowedCommands(loop) };
  return served === undefined ? undefined : { accepted: true };
}
