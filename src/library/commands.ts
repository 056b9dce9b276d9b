import { randomUUID } from 'node:crypto';
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
       * way; `reboot` into a fresh session; `retry` now instead of waiting.
       */
      readonly command: 'resume' | 'stop' | 'abort' | 'skip' | 'reboot' | 'retry';
    }
  | {
      /** Add a text to the next prompt. */
      readonly command: 'guide';
      /** What the agent should know. */
      readonly text: string;
    };

/** A request as a command that can be told from all others. */
export function commandFrom(request: CommandRequest): LoopCommand {
  return { ...request, id: randomUUID() };
}
