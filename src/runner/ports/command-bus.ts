import type { LoopCommand } from '../../core/index.ts';

/** What became of a command; durable before anyone gets it. */
export type Answer =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      /** Why it does not fit, as the rest of a sentence. */
      readonly why: string;
      /** The commands that the loop would accept now. */
      readonly allowed: readonly LoopCommand['command'][];
    };

/** Answers one command of a loop; by the time it resolves, its answer is a fact of the loop. */
export type CommandReceiver = (command: LoopCommand) => Promise<Answer>;

/** Commands to the owner of a loop, from any process. */
export interface CommandBus {
  /**
   * Sends a command and resolves with its answer. One that was sent is kept until it is answered, also by a later
   * owner; sent again under the same id, it is answered again and carried out once. Rejects with the signal's reason
   * when the sender stops waiting; the command stays.
   */
  send(loopId: string, command: LoopCommand, options?: { readonly signal?: AbortSignal }): Promise<Answer>;
  /**
   * Delivers commands, oldest first and those that already wait at once, until it is disposed of. A command whose
   * receiver rejects stays for the next owner.
   */
  listen(loopId: string, receive: CommandReceiver): Disposable;
}
