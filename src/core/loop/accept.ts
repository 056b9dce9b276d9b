import { type Fact, maxGuidanceLength, offeredCommands } from '../../protocol/index.ts';
import { usedUpLimits } from '../rules/stop-rules.ts';
import { maxGuidance } from '../state/commands.ts';
import type { Loop } from '../state/loop.ts';
import { isTerminal } from './status.ts';

/** Something a person, a signal or another program tells a loop to do. */
export type LoopCommand =
  | { readonly id: string; readonly command: 'pause'; readonly now?: boolean }
  | { readonly id: string; readonly command: 'resume' | 'stop' | 'abort' | 'skip' | 'reboot' | 'retry' }
  | { readonly id: string; readonly command: 'guide' | 'suspend'; readonly text: string }
  | { readonly id: string; readonly command: 'interrupt'; readonly signal: string };

/** The facts a command results in. A command that does not fit is recorded as refused; a repeated one is ignored. */
export function accept(loop: Loop, command: LoopCommand): readonly Fact[] {
  if (loop.commands.served.some(({ id }) => id === command.id)) return [];
  const why = refusal(loop, command);
  if (why !== undefined) {
    return [{ type: 'command.refused', data: { id: command.id, command: command.command, why } }];
  }
  return [{ type: 'command.accepted', data: { ...command } }];
}

/** The commands that a loop would accept in its current state. */
export function allowedCommands(loop: Loop): readonly LoopCommand['command'][] {
  return offeredCommands.filter((command) => refusal(loop, { id: '', command, text: 'text' }) === undefined);
}

function refusal(loop: Loop, command: LoopCommand): string | undefined {
  const { status } = loop;
  if (status === 'idle') return 'the loop has not started';
  if (isTerminal(status)) return `the loop has already ended (${status})`;
  if (status === 'completing') return 'the loop is done and only being wrapped up';
  switch (command.command) {
    case 'pause':
    case 'interrupt':
    case 'suspend':
      return status === 'paused' ? 'the loop is already paused' : undefined;
    case 'resume': {
      if (status === 'running' && loop.commands.requests.pause === undefined) return 'the loop is already running';
      const reached = usedUpLimits(loop).map(({ evidence }) => evidence);
      return reached.length === 0 ? undefined : `it needs more room first: it has used up ${reached.join(' and ')}`;
    }
    case 'skip':
      return loop.position.current === undefined ? 'no iteration is under way' : undefined;
    case 'retry':
      return loop.pending.wait === undefined ? 'the loop is not waiting' : undefined;
    case 'reboot':
      return status === 'paused' ? 'the loop is paused; resume it first' : undefined;
    case 'guide':
      if (command.text.trim() === '') return 'the guidance is empty';
      if (loop.commands.guidance.length + (loop.position.current?.delivered.guidance.length ?? 0) >= maxGuidance) {
        return `${maxGuidance} pieces of guidance already wait for the next prompt`;
      }
      return command.text.length > maxGuidanceLength
        ? `the guidance is longer than ${maxGuidanceLength} characters`
        : undefined;
    case 'stop':
    case 'abort':
      return undefined;
  }
}
