import type { Fact } from '../../protocol/index.ts';
import { usedUpLimits } from '../judge/stop-rules.ts';
import { keptGuidance, type Loop } from './loop.ts';
import { isTerminal } from './status.ts';

/** Something a person, a signal or another program tells a loop to do. */
export type LoopCommand =
  | { readonly id: string; readonly command: 'pause'; readonly now?: boolean }
  | { readonly id: string; readonly command: 'resume' | 'stop' | 'abort' | 'skip' | 'reboot' | 'retry' }
  | { readonly id: string; readonly command: 'guide' | 'suspend'; readonly text: string }
  | { readonly id: string; readonly command: 'interrupt'; readonly signal: string };

/** The longest guidance that is taken in one piece. */
export const longestGuidance = 20_000;

/** What a command leads to. One that does not fit is recorded as refused; one that was answered leads to nothing. */
export function accept(loop: Loop, command: LoopCommand): readonly Fact[] {
  if (loop.servedCommands.some(({ id }) => id === command.id)) return [];
  const why = refusal(loop, command);
  if (why !== undefined) {
    return [{ type: 'command.refused', data: { id: command.id, command: command.command, why } }];
  }
  return [{ type: 'command.accepted', data: { ...command } }];
}

function refusal(loop: Loop, command: LoopCommand): string | undefined {
  const { status } = loop;
  if (status === 'idle') return 'the loop has not started';
  if (isTerminal(status)) return `the loop is ${status}, and that never changes`;
  if (status === 'completing') return 'the loop is done and only being wrapped up';
  switch (command.command) {
    case 'pause':
    case 'interrupt':
    case 'suspend':
      return status === 'paused' ? 'the loop is already paused' : undefined;
    case 'resume': {
      if (status === 'running' && loop.requests.pause === undefined) return 'the loop is already running';
      const reached = usedUpLimits(loop).map(({ evidence }) => evidence);
      return reached.length === 0 ? undefined : `it needs more room first: it has used up ${reached.join(' and ')}`;
    }
    case 'skip':
      return loop.current === undefined ? 'no iteration is under way' : undefined;
    case 'retry':
      return loop.wait === undefined ? 'the loop is not waiting' : undefined;
    case 'reboot':
      return status === 'paused' ? 'the loop is paused; resume it first' : undefined;
    case 'guide':
      if (command.text.trim() === '') return 'the guidance is empty';
      if (loop.guidance.length + (loop.current?.delivered.guidance.length ?? 0) >= keptGuidance) {
        return `${keptGuidance} pieces of guidance already wait for the next prompt`;
      }
      return command.text.length > longestGuidance
        ? `the guidance is longer than ${longestGuidance} characters`
        : undefined;
    case 'stop':
    case 'abort':
      return undefined;
  }
}
