import type { Breakpoint, FactData, Mode, QuestionPoint, RecordedFact } from '../../../src/protocol/index.ts';
import type { World } from '../world/world.ts';
import { type Invariant, on } from './invariant.ts';
import type { Ledger } from './ledger.ts';

/** When the time for a question runs out, on both clocks. */
interface TimeLimit {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** The questions, decisions and mode changes in the facts. */
export interface DecisionLedger {
  mode: Mode;
  /** The sequence number of the fact that set the mode. */
  modeSeq: number;
  /** A requested mode change that is still pending. */
  next?: { readonly mode: Mode; readonly when: string; readonly seq: number };
  question?: { readonly point: QuestionPoint; readonly iteration: number; readonly limit?: TimeLimit };
  /** The person's answer to the question. */
  said?: 'continue' | 'skip';
  decided?: { readonly point: QuestionPoint; readonly iteration: number; readonly decision: 'continue' | 'skip' };
  /** Where the loop asks in every mode. */
  breakpoints: readonly Breakpoint[];
  /** The sequence number of the fact that requests a rollback that is still pending. */
  rollback?: number;
  /** The prompt that replaces the task, and in which iteration. */
  prompt?: { readonly iteration: number; readonly text: string };
}

/** The state before the loop starts. */
export function noDecisions(): DecisionLedger {
  return { mode: 'unattended', modeSeq: 0, breakpoints: [] };
}

/** A loop asks a person wherever its mode requires it, and applies their decision. */
export const decisionInvariants: readonly Invariant[] = [
  on('iteration.started', 'A008: an attended loop starts nothing that nobody approved', (ledger, data, { world }) => {
    const { decided } = ledger.decisions;
    if (!mustAsk(ledger, world) || ledger.config?.ask.before !== 'iteration') return undefined;
    const isApproved = decided?.point === 'iteration' && decided.iteration === data.iteration;
    return !isApproved && `iteration ${data.iteration} was not approved`;
  }),
  on(
    'loop.completing',
    'B066: an attended or hybrid loop completes only when somebody accepted it',
    (ledger, _data, { world }) => {
      const { mode, decided } = ledger.decisions;
      if (mode === 'unattended' || !isDecidable(ledger.decisions.modeSeq, world)) return undefined;
      const isAccepted = decided?.point === 'completion' && decided.decision === 'continue';
      return !(isAccepted && decided.iteration === ledger.finished) && 'nobody accepted it';
    },
  ),
  on('question.asked', 'B065: only a loop that is attended, hybrid or at a breakpoint asks', (ledger, data) => {
    const { mode, breakpoints } = ledger.decisions;
    const isBreakpoint = breakpoints.includes(data.point === 'completion' ? 'completion' : data.iteration);
    const mayAsk = mode !== 'unattended' || isBreakpoint || breakpoints.includes('test_regression');
    return !mayAsk && `it is ${mode}`;
  }),
  on('question.asked', 'B057: what was decided is not asked again', ({ decisions: { decided } }, data) => {
    return decided?.point === data.point && decided.iteration === data.iteration && 'it was decided';
  }),
  on('question.answered', 'B057: nobody decides but a person, or the time that was set', (ledger, data, { world }) => {
    const { question, said } = ledger.decisions;
    if (question?.point !== data.point || question.iteration !== data.iteration) return 'nobody asked';
    if (data.by === 'person') return said !== data.decision && `a person said ${said ?? 'nothing'}`;
    if (data.decision !== 'continue') return 'time alone skipped it';
    return !isOver(question.limit, world) && 'there was time left';
  }),
  on('agent.started', 'B057: an iteration that a person skips runs no agent', ({ decisions: { decided } }, data) => {
    const isSkipped = decided?.point === 'iteration' && decided.decision === 'skip';
    return isSkipped && decided.iteration === data.iteration && 'it was skipped';
  }),
  on('mode.changed', 'B065: a mode is switched when somebody wants it, not before', (ledger, data, seen) => {
    if (data.cause === 'trigger') return ledger.decisions.mode !== 'hybrid' && `it is ${ledger.decisions.mode}`;
    if (data.cause === 'schedule') return wrongSchedule(ledger, data);
    const { next } = ledger.decisions;
    if (next?.mode !== data.to) return 'nobody asked for it';
    if (next.when === 'iteration') return ledger.open !== undefined && 'an iteration is under way';
    return next.when === 'pause' && seen.before.status !== 'paused' && 'the loop is not paused';
  }),
  on('rollback.finished', 'B058: work is undone only on request, and between two iterations', ({ decisions, open }) => {
    if (decisions.rollback === undefined) return 'nobody asked for it';
    return open !== undefined && 'an iteration is under way';
  }),
  on('iteration.started', 'B058: a rollback comes before the next iteration', ({ decisions }, _data, { world }) => {
    const { rollback } = decisions;
    return rollback !== undefined && isDecidable(rollback, world) && 'the rollback is still to come';
  }),
  on(
    'iteration.started',
    'B065: a switch comes before the next iteration',
    ({ decisions: { next } }, _data, { world }) => {
      return (
        next !== undefined && next.when !== 'pause' && isDecidable(next.seq, world) && 'the switch is still to come'
      );
    },
  ),
];

/** A schedule changes the mode only between iterations, and only to another mode that it lists. */
function wrongSchedule({ config, open, decisions }: Ledger, { to }: FactData<'mode.changed'>): string | false {
  if (open !== undefined) return 'an iteration is under way';
  const isListed = config?.modeSchedule.some(({ mode }) => mode === to) === true;
  return (!isListed || decisions.mode === to) && `it is ${decisions.mode}, and switches to ${to}`;
}

/** A prompt written by a person replaces the task in its own iteration only. */
export function wrongTask({ decisions: { prompt }, open }: Ledger, given: string): string | false {
  const expected = prompt !== undefined && prompt.iteration === open?.iteration ? prompt.text : 'fix it';
  return !given.trimEnd().endsWith(expected) && `"${given.trimEnd().slice(-40)}" instead of "${expected}"`;
}

function limitAt(wallMs: number, world: World): TimeLimit {
  return { wallMs, monotonicMs: world.monotonicMs + (wallMs - world.wallMs) };
}

/** Setting the clock back does not extend the time limit. */
function isOver(limit: TimeLimit | undefined, { wallMs, monotonicMs }: World): boolean {
  return limit !== undefined && (wallMs >= limit.wallMs || monotonicMs + 1 >= limit.monotonicMs);
}

/** Records questions, decisions and mode changes. */
export function enterDecisions(ledger: Ledger, { type, data, seq }: RecordedFact, world: World): void {
  const { decisions } = ledger;
  switch (type) {
    case 'loop.started':
      decisions.mode = world.setting.config.mode ?? 'unattended';
      decisions.breakpoints = world.setting.config.ask.breakpoints;
      break;
    case 'rollback.finished':
      delete decisions.rollback;
      break;
    case 'question.asked': {
      const { point, iteration, approveAt } = data;
      const limit = approveAt === undefined ? {} : { limit: limitAt(Date.parse(approveAt), world) };
      decisions.question = { point, iteration, ...limit };
      delete ledger.wait;
      ledger.wishes.retry = false;
      break;
    }
    case 'question.answered':
      enterDecision(ledger, data);
      break;
    case 'command.accepted':
      enterWish(decisions, data, seq);
      break;
    case 'mode.changed':
      decisions.mode = data.to;
      decisions.modeSeq = seq;
      forget(decisions);
      if (data.cause === 'command') delete decisions.next;
      break;
    case 'loop.paused':
      forget(decisions);
      delete decisions.rollback;
      break;
    case 'iteration.finished':
      delete decisions.prompt;
      break;
    default:
  }
}

function enterDecision(ledger: Ledger, { point, iteration, decision, prompt }: FactData<'question.answered'>): void {
  const { decisions } = ledger;
  forget(decisions);
  decisions.decided = { point, iteration, decision };
  if (prompt !== undefined) decisions.prompt = { iteration, text: prompt };
  if (ledger.due === 'delay') delete ledger.due;
  if (point === 'iteration' && decision === 'skip') ledger.wishes.skipped = iteration;
  if (point !== 'completion' || decision !== 'skip') return;
  delete ledger.earned;
  delete decisions.decided;
}

function enterWish(decisions: DecisionLedger, data: FactData<'command.accepted'>, seq: number): void {
  if (data.command === 'continue') decisions.said = 'continue';
  if (data.command === 'skip' && decisions.question !== undefined) decisions.said = 'skip';
  if (data.command === 'rollback') decisions.rollback = seq;
  if (data.breakpoint !== undefined) {
    const others = decisions.breakpoints.filter((each) => each !== data.breakpoint);
    decisions.breakpoints = data.remove === true ? others : [...others, data.breakpoint];
  }
  if (data.command !== 'mode' || data.mode === undefined) return;
  decisions.next = { mode: data.mode, when: data.when ?? 'now', seq };
}

function forget(decisions: DecisionLedger): void {
  delete decisions.question;
  delete decisions.said;
}

function mustAsk({ decisions: { mode, modeSeq } }: Ledger, world: World): boolean {
  return mode === 'attended' && isDecidable(modeSeq, world);
}

/** Whether the latest decision knew this fact. */
function isDecidable(seq: number, { decidedSeq }: World): boolean {
  return seq <= decidedSeq;
}
