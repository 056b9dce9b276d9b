import { randomUUID } from 'node:crypto';
import { senderHere } from '../app/index.ts';
import type { LoopCommand } from '../core/index.ts';

/** Something to tell a loop. */
export type CommandRequest =
  | {
      /** Rest after the iteration under way; the loop can be resumed. */
      readonly command: 'pause';
      /** Interrupt the iteration instead of waiting for its end. */
      readonly now?: boolean;
    }
  | {
      /**
       * `resume` a paused loop; `stop` it after the agent had its grace; `abort` it at once; `skip` the iteration under
       * way, or the one that the loop asks about; `reboot` into a fresh session; `retry` now instead of waiting.
       */
      readonly command: 'resume' | 'stop' | 'abort' | 'skip' | 'reboot' | 'retry';
    }
  | {
      /** Approve what the loop asks: its next iteration, or that the task is done. */
      readonly command: 'continue';
      /** Replaces the task in that iteration. */
      readonly text?: string;
    }
  | {
      /** Switch the mode. */
      readonly command: 'mode';
      /** The mode to run in. */
      readonly mode: 'unattended' | 'attended' | 'hybrid';
      /** When: `now` (the default), after the `iteration` under way, or at the next `pause`. */
      readonly when?: 'now' | 'iteration' | 'pause';
    }
  | {
      /** Add a text to every prompt from the next one on, until it is dropped. */
      readonly command: 'guide';
      /** What the agent should know. */
      readonly text: string;
      /** Add it to the prompt of the next iteration only. */
      readonly once?: boolean;
    }
  | {
      /** Take guidance back: from the next prompt on it is left out. */
      readonly command: 'drop';
      /** The number of the guidance, as `LoopContext.guidance` has it; all of it when left out. */
      readonly number?: number;
    };

/** A request as a command that can be told from all others. */
export function commandFrom(request: CommandRequest): LoopCommand {
  return { ...request, id: randomUUID(), sender: senderHere('library') };
}
