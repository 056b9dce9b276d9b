import {
  type Breakpoint,
  type Fact,
  type FactData,
  type Mode,
  maxBreakpoints,
  maxEditedPromptLength,
  maxGuidanceLength,
  maxNoteLength,
  type NoteKind,
  offeredCommands,
  type Sender,
  type SwitchMoment,
} from '../../protocol/index.ts';
import { breakpointsOf, modeOf } from '../rules/asking.ts';
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
  /** Approves what the loop asks; a text replaces the task in the iteration that it asks about. */
  | { readonly command: 'continue'; readonly text?: string }
  /** Switches the mode: now, after the current iteration, or when the loop is paused next. */
  | { readonly command: 'mode'; readonly mode: Mode; readonly when?: SwitchMoment }
  /** Keeps a note for people; the agent does not see it. */
  | { readonly command: 'note'; readonly kind: NoteKind; readonly text: string }
  /** Sets a breakpoint, or removes it. */
  | { readonly command: 'breakpoint'; readonly breakpoint: Breakpoint; readonly remove?: boolean }
  /** Undoes what the last iteration changed, while the loop asks whether to start the next one. */
  | { readonly command: 'rollback' }
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
  return [{ type: 'command.accepted', data: accepted(command) }, ...switchNow(loop, command)];
}

/** A switch that is to happen now does, also in the middle of an iteration; the loop asks before the next one. */
function switchNow(loop: Loop, command: LoopCommand): readonly Fact[] {
  if (command.command !== 'mode' || (command.when ?? 'now') !== 'now') return [];
  const { mode: to, sender } = command;
  return [{ type: 'mode.changed', data: { from: modeOf(loop), to, cause: 'command', ...(sender && { sender }) } }];
}

function accepted(command: LoopCommand): FactData<'command.accepted'> {
  if (command.command !== 'guide') return { ...command };
  const { once, ...guide } = command;
  return once === true ? guide : { ...guide, standing: true };
}

/** The commands that a loop would accept in its current state. */
export function allowedCommands(loop: Loop): readonly LoopCommand['command'][] {
  const mode = modeOf(loop) === 'attended' ? 'unattended' : 'attended';
  const breakpoint = loop.position.iteration + 1;
  const remove = breakpointsOf(loop).includes(breakpoint);
  const example = { id: '', text: 'text', kind: 'observation', mode, breakpoint, remove } as const;
  return offeredCommands.filter((command) => refusal(loop, { ...example, command }) === undefined);
}

function refusal(loop: Loop, command: LoopCommand): string | undefined {
  const { status } = loop;
  if (status === 'idle') return 'the loop has not started';
  if (isTerminal(status)) return `the loop has already ended (${status})`;
  if (status === 'completing') return 'the loop is done and only being wrapped up';
  if (loop.hooks.ending !== undefined)
    return `the loop is ending (${loop.hooks.ending.reason}); only its last hooks run`;
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
      if (loop.commands.requests.decision !== undefined) return alreadyDecided;
      return loop.position.current === undefined && loop.supervision.question === undefined
        ? 'no iteration is under way'
        : undefined;
    case 'continue':
      return noDecision(loop, command.text);
    case 'mode':
      if (loop.commands.requests.mode !== undefined || modeOf(loop) !== command.mode) return undefined;
      return `the loop is already ${command.mode}`;
    case 'retry':
      if (loop.pending.wait?.cause === 'schedule') return 'its schedule does not allow an iteration now';
      if (loop.pending.wait?.cause === 'rate') return 'the bound on API calls per hour is reached; raise it instead';
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
    case 'note':
      if (command.text.trim() === '') return 'the note is empty';
      return command.text.length > maxNoteLength ? `the note is longer than ${maxNoteLength} characters` : undefined;
    case 'breakpoint':
      return uselessBreakpoint(loop, command);
    case 'rollback':
      return noRollback(loop);
    case 'stop':
    case 'abort':
      return undefined;
  }
}

const alreadyDecided = 'somebody has already decided';

function noDecision({ supervision, commands: { requests } }: Loop, text: string | undefined): string | undefined {
  if (requests.decision !== undefined) return alreadyDecided;
  if (supervision.question === undefined) return 'the loop is not waiting for a decision';
  if (text === undefined) return undefined;
  if (supervision.question.point === 'completion') return 'a prompt is only for an iteration, and the task is done';
  if (text.trim() === '') return 'the prompt is empty';
  return text.length > maxEditedPromptLength
    ? `the prompt is longer than ${maxEditedPromptLength} characters`
    : undefined;
}

function uselessBreakpoint(
  loop: Loop,
  { breakpoint, remove }: Extract<LoopOrder, { readonly command: 'breakpoint' }>,
): string | undefined {
  const breakpoints = breakpointsOf(loop);
  const isSet = breakpoints.includes(breakpoint);
  if (remove === true) return isSet ? undefined : `it has no breakpoint ${breakpoint}`;
  if (isSet) return `it already has the breakpoint ${breakpoint}`;
  if (typeof breakpoint === 'number' && breakpoint <= loop.position.iteration)
    return `iteration ${breakpoint} has already started`;
  return breakpoints.length >= maxBreakpoints ? `it already has ${maxBreakpoints} breakpoints` : undefined;
}

function noRollback({ supervision: { question, work }, commands: { requests } }: Loop): string | undefined {
  if (question === undefined || requests.decision !== undefined) return 'the loop is not waiting for a decision';
  if (question.point === 'completion') return 'the task is done; first do not accept the result';
  return work === undefined ? 'no changes of the last iteration are known; they are recorded only in git' : undefined;
}

function nothingToDrop(loop: Loop, number: number | undefined): string | undefined {
  const guidance = guidanceOf(loop);
  if (guidance.length === 0) return 'it has no guidance';
  const isThere = number === undefined || guidance.some((each) => each.number === number);
  return isThere ? undefined : `it has no guidance ${number}`;
}
