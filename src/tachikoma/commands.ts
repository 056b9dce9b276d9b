import type { CommandRequest } from '../library/index.ts';

/** The commands of a loop runner. */
export const LoopCommand = {
  /** Pause after the current iteration. */
  Pause: 'pause',
  /** Resume a paused loop. */
  Resume: 'resume',
  /** Stop the loop. */
  Stop: 'stop',
  /** Give the next iteration a fresh session. */
  ForceReboot: 'force_reboot',
  /** Abandon the current iteration and go on with the next one. */
  SkipIteration: 'skip_iteration',
} as const;

/** One command of a loop runner. */
export type LoopCommand = (typeof LoopCommand)[keyof typeof LoopCommand];

/** The answer of a loop to a command. */
export type CommandAnswer =
  | {
      /** The command is carried out. */
      readonly accepted: true;
    }
  | {
      /** The command changes nothing. */
      readonly accepted: false;
      /** Why. */
      readonly why: string;
      /** What the loop would accept, by ralphd's names. */
      readonly allowed: readonly string[];
    };

/** Sends commands to a loop from outside. */
export interface CommandSender {
  /**
   * Sends a command and resolves when it is queued. A command that the loop cannot accept in its state changes nothing. Up to
   * 32 commands wait for a loop that has not started; a further one is refused.
   */
  send(command: LoopCommand | CommandRequest): Promise<void>;
  /** Sends a command and resolves with the loop's durable answer. */
  request(command: LoopCommand | CommandRequest): Promise<CommandAnswer>;
}

const requests: Readonly<Record<LoopCommand, CommandRequest>> = {
  pause: { command: 'pause' },
  resume: { command: 'resume' },
  stop: { command: 'stop' },
  force_reboot: { command: 'reboot' },
  skip_iteration: { command: 'skip' },
};

/** A command as ralphd takes it. */
export function requestOf(command: LoopCommand | CommandRequest): CommandRequest {
  return typeof command === 'string' ? requests[command] : command;
}
