import { boundText } from '../../base/index.ts';
import type { CurrentAttempt, Loop } from '../loop/loop.ts';
import { substitute } from './substitute.ts';

const directive = '[SYSTEM DIRECTIVE: RALPHD LOOP';

/** The most of a check's output that goes into the next prompt. */
export const longestFeedback = 8_000;

const opening = `${directive} {{ITERATION}}/{{MAX}}]

You work on the task below in a loop. {{SITUATION}}

- Look at what is already there before you change anything, and go on from it.
- Do not stop early: work until the whole task is done or you are truly stuck.
{{HOW_IT_ENDS}}`;

/** Whether a text is one of ours and not the user's or the agent's. */
export function isDirective(text: string): boolean {
  return text.trimStart().startsWith(directive);
}

/** What the agent is told in one iteration. The task comes last and is never changed. */
export function renderPrompt(loop: Loop, task: string, turn: PromptTurn): string {
  const { maxIterations } = loop.config;
  const head = substitute(opening, {
    ITERATION: String(turn.iteration),
    MAX: maxIterations === 0 ? 'unlimited' : String(maxIterations),
    SITUATION: situation(turn),
    HOW_IT_ENDS: howItEnds(loop),
  });
  const parts = [
    head,
    ...refusedGate(loop),
    ...guidance(turn),
    ...hookText(turn),
    ...(turn.delivered.handOff ? handOffText(loop) : []),
    section('Task', task),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The attempt whose prompt is wanted. */
export type PromptTurn = Pick<CurrentAttempt, 'iteration' | 'attempt' | 'delivered' | 'hooks'>;

function situation({ iteration, attempt }: PromptTurn): string {
  if (iteration === 1 && attempt === 1) return 'This is the first iteration.';
  return `This is iteration ${iteration}; the task is not done yet, and earlier work is in the working directory.`;
}

function howItEnds({ config, checks }: Loop): string {
  const { completionPromise } = config;
  const gate = checks.length === 0 ? '' : ' The checks are then run outside of your reach; only they decide.';
  if (completionPromise === null) {
    return '- After every iteration the checks are run outside of your reach; the loop ends when they pass.';
  }
  return `- Only when everything is done, end your last message with the line <promise>${completionPromise}</promise> on its own.${gate}`;
}

/** The output of a gate that did not pass: what the agent has to mend. */
function refusedGate({ gate }: Loop): string[] {
  if (gate === undefined || gate.result.verdict === 'passed') return [];
  const refused = gate.result.checks.filter(({ verdict }) => verdict !== 'passed');
  const texts = refused.map(({ command, verdict, output }) => `$ ${command}\n(${verdict})\n${output.trimEnd()}`);
  const heading = `What the checks said after iteration ${gate.iteration}`;
  return [section(heading, quoted(boundText(texts.join('\n\n'), longestFeedback)))];
}

function guidance({ delivered }: PromptTurn): string[] {
  if (delivered.guidance.length === 0) return [];
  return [section('Guidance from the user', delivered.guidance.map(({ text }) => text).join('\n\n'))];
}

/** What hooks add for this one attempt. They are the user's own programs, so it is not a quotation. */
function hookText({ hooks }: PromptTurn): string[] {
  return hooks?.prompt === undefined ? [] : [section('Added by hooks', hooks.prompt.trim())];
}

/** What a fresh session must know of the one before it. */
function handOffText({ lastSummary, finished }: Loop): string[] {
  const count = finished === 1 ? '1 iteration' : `${finished} iterations`;
  const known = lastSummary === undefined ? '' : ` The previous session summed up:\n\n${quoted(lastSummary)}`;
  return [section('Hand-over', `You take over after ${count} in a session that is over.${known}`)];
}

function section(title: string, text: string): string {
  return `## ${title}\n\n${text}`;
}

/** As a quotation, so that nothing in it can pass for an instruction or a claim. */
function quoted(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => `> ${line}`)
    .join('\n');
}
