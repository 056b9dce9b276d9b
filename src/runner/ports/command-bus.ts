import type { LoopCommand } from '../../core/index.ts';

/** The answer to a command; durable before anyone receives it. */
export type Answer =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      /** Why it was refused, as a clause. */
      readonly why: string;
      /** The commands that the loop accepts now. */
      readonly allowed: readonly LoopCommand['command'][];
    };

/** Answers one command; when it resolves, the answer is a fact of the loop. */
export type CommandReceiver = (command: LoopCommand) => Promise<Answer>;

/** Commands to the owner of a loop, from any process. */
export interface CommandBus {
  /**
   * Sends a command and resolves with its answer. A command is kept until it is answered, if need be by a later owner;
   * sent again under the same id, it is answered again but carried out only once. Rejects with the signal's reason
   * when the sender stops waiting; the command stays.
   */
  send(loopId: string, command: LoopCommand, options?: { readonly signal?: AbortSignal }): Promise<Answer>;
  /**
   * Delivers commands, oldest first and waiting ones at once, until it is disposed of. A command whose
   * receiver rejects stays for the next owner.
   */
  listen(loopId: string, receive: CommandReceiver): Disposable;
}
