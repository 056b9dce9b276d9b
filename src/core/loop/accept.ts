import { type Fact, type FactData, maxGuidanceLength, offeredCommands, type Sender } from '../../protocol/index.ts';
import { usedUpLimits } from '../rules/stop-rules.ts';
import { maxGuidance } from '../state/commands.ts';
import { guidanceOf } from '../state/guidance.ts';
import type { Loop } from '../state/loop.ts';
import { isTerminal } from './status.ts';

/** An instruction from a person, a signal or another program to a loop. */
export type LoopOrder =
  | { readonly command: 'pause'; readonly now?: boolean }
  | { readonly command: 'resume' | 'stop' | 'abort' | 'skip' | 'reboot' | 'retry' }
  /** Guidance applies until it is dropped, unless it is for one iteration only. */
  | { readonly command: 'guide'; readonly text: string; readonly once?: boolean }
  /** Drops one piece of guidance; all of it without a number. */
  | { readonly command: 'drop'; readonly number?: number }
  | { readonly command: 'suspend'; readonly text: string }
  | { readonly command: 'interrupt'; readonly signal: string };

/** An order with its unique id and its sender. */
export type LoopCommand = { readonly id: string; readonly sender?: Sender } & LoopOrder;

/** The facts a command results in. A command that the loop cannot accept now is recorded as refused; a repeated one is ignored. */
export function accept(loop: Loop, command: LoopCommand): readonly Fact[] {
  if (loop.commands.served.some(({ id }) => id === command.id)) return [];
  const why = refusal(loop, command);
  if (why !== undefined) {
    const { id, command: name, sender } = command;
    return [{ type: 'command.refused', data: { id, command: name, why, ...(sender && { sender }) } }];
  }
  return [{ type: 'command.accepted', data: accepted(command) }];
}

function accepted(command: LoopCommand): FactData<'command.accepted'> {
  if (command.command !== 'guide') return { ...command };
  const { once, ...guide } = command;
  return once === true ? guide : { ...guide, standing: true };
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
      if (loop.pending.wait?.cause === 'schedule') return 'its schedule does not allow an iteration now';
      return loop.pending.wait === undefined ? 'the loop is not waiting' : undefined;
    case 'reboot':
      return status === 'paused' ? 'the loop is paused; resume it first' : undefined;
    case 'guide':
      if (command.text.trim() === '') return 'the guidance is empty';
      if (guidanceOf(loop).length >= maxGuidance) return `it already has ${maxGuidance} pieces of guidance`;
      return command.text.length > maxGuidanceLength
        ? `the guidance is longer than ${maxGuidanceLength} characters`
        : undefined;
    case 'drop':
      return nothingToDrop(loop, command.number);
    case 'stop':
    case 'abort':
      return undefined;
  }
}

function nothingToDrop(loop: Loop, number: number | undefined): string | undefined {
  const guidance = guidanceOf(loop);
  if (guidance.length === 0) return 'it has no guidance';
  const isThere = number === undefined || guidance.some((each) => each.number === number);
  return isThere ? undefined : `it has no guidance ${number}`;
}
