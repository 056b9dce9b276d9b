import { randomUUID } from 'node:crypto';
import { localSender } from '../app/index.ts';
import type { LoopCommand } from '../core/index.ts';

/** A command for a loop. */
export type CommandRequest =
  | {
      /** Pause after the current iteration; the loop can be resumed. */
      readonly command: 'pause';
      /** Interrupt the iteration instead of waiting for it to end. */
      readonly now?: boolean;
    }
  | {
      /**
       * `resume` a paused loop; `stop` it and let the agent shut down; `abort` it at once; `skip` the current
       * iteration, or the one that the loop asks about; `reboot` into a new session; `retry` now instead of waiting.
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
      /** Undo what the last iteration changed, while the loop asks whether to start the next one. */
      readonly command: 'rollback';
    }
  | {
      /** Keep a note about the loop, for people; the agent does not see it. */
      readonly command: 'note';
      /** What it is about. */
      readonly kind: 'observation' | 'decision' | 'issue' | 'action' | 'question';
      /** The note. */
      readonly text: string;
    }
  | {
      /** Set a breakpoint, at which the loop asks in every mode, or remove one. */
      readonly command: 'breakpoint';
      /** The number of an iteration, or what the loop asks after or before. */
      readonly breakpoint: number | 'test_regression' | 'completion';
      /** Remove it instead. */
      readonly remove?: boolean;
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
      /** The guidance for the agent. */
      readonly text: string;
      /** Add it to the prompt of the next iteration only. */
      readonly once?: boolean;
    }
  | {
      /** Drop guidance from the next prompt on. */
      readonly command: 'drop';
      /** The number of the guidance in `LoopContext.guidance`; default: all of it. */
      readonly number?: number;
    };

/** A request as a command with a unique id. */
export function commandFrom(request: CommandRequest): LoopCommand {
  return { ...request, id: randomUUID(), sender: localSender('library') };
}
