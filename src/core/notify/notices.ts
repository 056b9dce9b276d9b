import { boundText } from '../../base/index.ts';
import {
  exitOf,
  type FactData,
  type NotifyPriority,
  type NotifyTrigger,
  notifyPriorities,
  type RecordedFact,
  type Verdict,
} from '../../protocol/index.ts';

/** Something in a loop that a person may want to know. */
export interface Notice {
  /** The number and instant of the fact that it comes from. */
  readonly seq: number;
  readonly at: string;
  /** What it is about, the most specific first: a channel takes it if it wants one of them. */
  readonly triggers: readonly [NotifyTrigger, ...NotifyTrigger[]];
  readonly priority: NotifyPriority;
  readonly text: string;
}

/** What is known from earlier facts and decides whether a fact is news. */
export interface NoticeMemory {
  /** Whether the checks passed when they last ran. */
  readonly isPassing?: boolean;
  /** How many iterations in a row made no progress. */
  readonly idle: number;
  /** How many tests failed when they were first counted. */
  readonly failedFirst?: number;
  /** How many quarters of these tests have passed at the same time so far. */
  readonly quarters: number;
}

/** Before the first fact. */
export const noMemory: NoticeMemory = { idle: 0, quarters: 0 };

/** Shorter waits are not worth a notification. */
const minWaitMs = 5 * 60_000;
const idleNotice = 2;
const maxTextLength = 600;

type Content = Pick<Notice, 'triggers' | 'priority' | 'text'>;

/** The notice that a fact deserves, if any, and what to remember of it. */
export function noticeOf(
  memory: NoticeMemory,
  fact: RecordedFact,
): { readonly memory: NoticeMemory; readonly notices: readonly Notice[] } {
  const { seq, at } = fact;
  const after = remember(memory, fact);
  const notices = contentsOf(fact, memory, after).map((content) => ({
    seq,
    at,
    ...content,
    text: boundText(content.text.replace(/\s+/g, ' ').trim(), maxTextLength),
  }));
  return { memory: after, notices };
}

/** Whether nothing more may come from this loop's process after a fact, so that nothing can wait any longer. */
export function mayBeLast({ type }: RecordedFact): boolean {
  return type === 'loop.ended' || type === 'loop.paused';
}

/** Whether one priority is at least as urgent as another. */
export function isAtLeast(priority: NotifyPriority, other: NotifyPriority): boolean {
  return notifyPriorities.indexOf(priority) >= notifyPriorities.indexOf(other);
}

function remember(memory: NoticeMemory, fact: RecordedFact): NoticeMemory {
  switch (fact.type) {
    case 'baseline.finished':
    case 'gate.finished': {
      const isPassing = isPass(fact.data.verdict);
      const counted = countTests(memory, fact.data.tests);
      return isPassing === undefined ? counted : { ...counted, isPassing };
    }
    case 'iteration.finished':
      return { ...memory, idle: fact.data.progress.made === false ? memory.idle + 1 : 0 };
    default:
      return memory;
  }
}

const allQuarters = 4;

/** How much of what failed at first passes now; counts come from the checks that ralphd ran, never from the agent. */
function countTests(memory: NoticeMemory, tests: { readonly failed: number } | undefined): NoticeMemory {
  if (tests === undefined) return memory;
  const { failedFirst = tests.failed } = memory;
  if (failedFirst === 0) return { ...memory, failedFirst };
  const reached = Math.floor((allQuarters * (failedFirst - tests.failed)) / failedFirst);
  return { ...memory, failedFirst, quarters: Math.max(memory.quarters, reached) };
}

/** Whether a verdict says that the checks pass; undefined if it says neither. */
function isPass(verdict: Verdict): boolean | undefined {
  switch (verdict) {
    case 'passed':
      return true;
    case 'failed':
    case 'contradicted':
    case 'timed_out':
      return false;
    case 'not_found':
    case 'not_executable':
    case 'unverifiable':
    case 'unchanged':
      return undefined;
  }
}

function contentsOf(fact: RecordedFact, before: NoticeMemory, after: NoticeMemory): readonly Content[] {
  switch (fact.type) {
    case 'loop.started':
      return [{ triggers: ['started'], priority: 'low', text: 'The loop started.' }];
    case 'loop.resumed':
      return [{ triggers: ['resumed'], priority: 'low', text: 'The loop was resumed.' }];
    case 'loop.recovered':
      return [
        { triggers: ['recovered'], priority: 'high', text: 'The process of the loop died; a new one continues.' },
      ];
    case 'loop.paused':
      return [pausedContent(fact.data)];
    case 'loop.ended':
      return [endedContent(fact.data)];
    case 'wait.scheduled':
      return waitContents(fact.data, fact.at);
    case 'question.asked':
      return [questionContent(fact.data)];
    case 'reboot.finished':
      return [rebootContent(fact.data)];
    case 'mode.changed':
      return [modeContent(fact.data)];
    case 'gate.finished':
      return [...gateContents(fact.data, before.isPassing, after.isPassing), ...milestoneContents(before, after)];
    case 'iteration.finished':
      return iterationContents(fact.data, after.idle);
    case 'iteration.interrupted':
      return interruptedContents(fact.data);
    default:
      return [];
  }
}

function pausedContent({ reason, message }: FactData<'loop.paused'>): Content {
  const text = `The loop is paused: ${message}`;
  if (reason === 'user_pause' || reason === 'interrupted') return { triggers: ['paused'], priority: 'normal', text };
  if (exitOf(reason) === 'limit') return { triggers: ['limit', 'attention', 'paused'], priority: 'high', text };
  return { triggers: ['attention', 'paused'], priority: 'critical', text };
}

function endedContent({ status, reason, message, verified }: FactData<'loop.ended'>): Content {
  switch (status) {
    case 'completed': {
      const how = verified ? 'The checks passed.' : 'No check verified the result.';
      return { triggers: ['completed'], priority: 'high', text: `The task is complete. ${how}` };
    }
    case 'aborted':
      return { triggers: ['failed'], priority: 'normal', text: `The loop was aborted: ${message}` };
    case 'failed':
    case 'crashed': {
      const text = `The loop failed: ${message}`;
      if (exitOf(reason) === 'limit') return { triggers: ['limit', 'failed'], priority: 'high', text };
      if (reason === 'no_progress') return { triggers: ['no_progress', 'failed'], priority: 'high', text };
      return { triggers: ['failed'], priority: 'critical', text };
    }
  }
}

function waitContents({ until, cause, message }: FactData<'wait.scheduled'>, at: string): readonly Content[] {
  const isPlanned = cause === 'delay' || cause === 'schedule' || cause === 'rate';
  if (isPlanned || Date.parse(until) - Date.parse(at) < minWaitMs) return [];
  return [{ triggers: ['attention'], priority: 'high', text: `The loop waits until ${until}: ${message}` }];
}

function questionContent({ point, iteration, approveAt }: FactData<'question.asked'>): Content {
  const question =
    point === 'iteration'
      ? `whether to start iteration ${iteration}`
      : `whether iteration ${iteration} completes the task`;
  const otherwise = approveAt === undefined ? '' : ` It continues by itself at ${approveAt}.`;
  return { triggers: ['attention'], priority: 'critical', text: `The loop asks ${question}.${otherwise}` };
}

function rebootContent({ ok, cause, message }: FactData<'reboot.finished'>): Content {
  if (ok) return { triggers: ['reboot'], priority: 'low', text: `The agent gets a new session (${cause}).` };
  return { triggers: ['reboot', 'error'], priority: 'normal', text: `A reboot failed: ${message ?? cause}` };
}

function modeContent({ from, to, cause }: FactData<'mode.changed'>): Content {
  const by = cause === 'command' ? 'a command' : 'its own rules';
  return { triggers: ['mode_switch'], priority: 'low', text: `The mode was switched from ${from} to ${to} by ${by}.` };
}

const shares = ['', 'A quarter', 'Half', 'Three quarters', 'All'];

/** Each quarter is reported once, when it is first reached. */
function milestoneContents(before: NoticeMemory, after: NoticeMemory): readonly Content[] {
  const { quarters, failedFirst = 0 } = after;
  if (quarters <= before.quarters) return [];
  const text = `${shares[quarters]} of the ${failedFirst} tests that failed at first pass now.`;
  return [{ triggers: ['milestone'], priority: 'normal', text }];
}

function gateContents(
  { iteration, tests }: FactData<'gate.finished'>,
  before: boolean | undefined,
  isPassing: boolean | undefined,
): readonly Content[] {
  if (isPassing === undefined || isPassing === before) return [];
  const counts = tests === undefined ? '' : ` (${tests.passed} tests passed, ${tests.failed} failed)`;
  const text = `The checks ${isPassing ? 'pass' : 'fail'} after iteration ${iteration}${counts}.`;
  return [{ triggers: [isPassing ? 'tests_passing' : 'tests_failing'], priority: 'normal', text }];
}

function iterationContents(data: FactData<'iteration.finished'>, idle: number): readonly Content[] {
  const { iteration, status, failure } = data;
  const what = failure === undefined ? '' : `: ${failure.message}`;
  const text = `Iteration ${iteration} ${endings[status]}${what}`;
  const isError = status === 'failed' || status === 'timed_out';
  const ended: Content = isError
    ? { triggers: ['error', 'iteration'], priority: 'normal', text }
    : { triggers: ['iteration'], priority: 'low', text };
  if (idle !== idleNotice) return [ended];
  const stuck = `${idleNotice} iterations in a row made no progress.`;
  return [ended, { triggers: ['no_progress'], priority: 'normal', text: stuck }];
}

const endings = {
  completed: 'finished',
  failed: 'failed',
  timed_out: 'took too long',
  skipped: 'was skipped',
} as const;

function interruptedContents({ cause, message, iteration }: FactData<'iteration.interrupted'>): readonly Content[] {
  if (cause === 'request' || cause === 'runner_lost') return [];
  return [{ triggers: ['error'], priority: 'normal', text: `Iteration ${iteration} was interrupted: ${message}` }];
}
