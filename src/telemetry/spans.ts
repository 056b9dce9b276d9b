import { describeEnding } from '../core/index.ts';
import type { FactData, RecordedFact } from '../protocol/index.ts';
import { agentAttributes, gateAttributes, loopAttributes } from './attributes.ts';
import { names } from './conventions.ts';
import type { Attributes, Instant, LoopSums, Span, TracedLoop } from './span.ts';

/** What the spans of a loop depend on. */
export interface SpanFold {
  readonly loop?: TracedLoop;
  readonly attempt?: OpenAttempt;
  readonly sums: LoopSums;
}

interface OpenAttempt {
  readonly key: string;
  readonly iteration: number;
  readonly attempt: number;
  readonly session: string;
  readonly startMs: number;
  readonly agentMs?: number;
  readonly gateMs?: number;
}

/** Before the first fact. */
export const noSpans: SpanFold = { sums: { iterations: 0, runs: 0 } };

/** The key of the span of a whole loop. */
export const loopKey = 'loop';

/** Takes one more fact, and returns the spans that end with it. */
export function foldSpans(
  fold: SpanFold,
  fact: RecordedFact,
): { readonly fold: SpanFold; readonly spans: readonly Span[] } {
  if (fact.type === 'loop.started') return { fold: { ...fold, loop: tracedLoop(fact.data, msOf(fact)) }, spans: [] };
  const { loop, attempt } = fold;
  if (loop === undefined) return { fold, spans: [] };
  switch (fact.type) {
    case 'baseline.finished':
      return { fold, spans: [baselineSpan(fact)] };
    case 'iteration.started': {
      // An attempt that was left open, of which nothing else tells.
      const { attempt: _left, ...rest } = fold;
      const left = attempt === undefined ? [] : leftSpans(attempt, fact, { loop, why: 'the attempt was given up' });
      return { fold: { ...rest, attempt: openedBy(fact) }, spans: left };
    }
    case 'loop.ended': {
      const { attempt: _left, ...rest } = fold;
      const left = attempt === undefined ? [] : leftSpans(attempt, fact, { loop, why: 'the loop ended' });
      return { fold: rest, spans: [...left, loopSpan(loop, fold.sums, fact)] };
    }
    default:
      return attempt === undefined ? { fold, spans: [] } : foldAttempt({ ...fold, loop, attempt }, fact);
  }
}

/** Whether a place in a journal comes after another. */
export function isAfter(one: Instant, other: Instant): boolean {
  return one.epoch > other.epoch || (one.epoch === other.epoch && one.seq > other.seq);
}

type Attempting = SpanFold & { readonly loop: TracedLoop; readonly attempt: OpenAttempt };

function foldAttempt(fold: Attempting, fact: RecordedFact): ReturnType<typeof foldSpans> {
  const { loop, attempt, sums } = fold;
  const { attempt: _over, ...rest } = fold;
  switch (fact.type) {
    case 'agent.started':
      return { fold: { ...fold, attempt: { ...attempt, agentMs: msOf(fact) } }, spans: [] };
    case 'agent.finished': {
      const { agentMs: _, ...after } = attempt;
      return {
        fold: { ...fold, attempt: after, sums: addRun(sums, fact.data) },
        spans: [agentSpan(attempt, loop, fact)],
      };
    }
    case 'gate.started':
      return { fold: { ...fold, attempt: { ...attempt, gateMs: msOf(fact) } }, spans: [] };
    case 'gate.finished': {
      const { gateMs: _, ...after } = attempt;
      return { fold: { ...fold, attempt: after }, spans: [gateSpan(attempt, fact)] };
    }
    case 'iteration.finished': {
      const { status, failure, completes, progress } = fact.data;
      const attributes = {
        'ralphd.iteration.status': status,
        ...(completes === undefined ? {} : { 'ralphd.iteration.completes': completes }),
        ...(progress.made === null ? {} : { 'ralphd.iteration.progress': progress.made }),
        ...(failure === undefined ? {} : { 'error.type': failure.class }),
      };
      const why = failure?.message ?? (status === 'timed_out' ? 'it took too long' : undefined);
      const left = leftParts(attempt, fact, { loop, why: why ?? status });
      const span = iterationSpan(attempt, fact, { attributes, ...(why === undefined ? {} : { failure: why }) });
      return { fold: { ...rest, sums: { ...sums, iterations: sums.iterations + 1 } }, spans: [...left, span] };
    }
    case 'iteration.interrupted': {
      const { cause, message } = fact.data;
      const attributes = { 'ralphd.iteration.status': 'interrupted', 'error.type': cause };
      const left = leftParts(attempt, fact, { loop, why: message });
      return { fold: rest, spans: [...left, iterationSpan(attempt, fact, { attributes, failure: message })] };
    }
    default:
      return { fold, spans: [] };
  }
}

function tracedLoop(data: FactData<'loop.started'>, startMs: number): TracedLoop {
  const { loopId: id, uuid, agent, traceparent, resumedFrom } = data;
  return {
    id,
    uuid,
    agent,
    startMs,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(resumedFrom === undefined ? {} : { resumedFrom }),
  };
}

type Of<Type extends RecordedFact['type']> = Extract<RecordedFact, { type: Type }>;

/** An attempt that is made again after a restore has the same numbers, but is recorded by a later owner. */
function openedBy(fact: Of<'iteration.started'>): OpenAttempt {
  const { iteration, attempt, session } = fact.data;
  return { key: `${iteration}/${attempt}/${fact.epoch}`, iteration, attempt, session, startMs: msOf(fact) };
}

function addRun(sums: LoopSums, { usage, model }: FactData<'agent.finished'>): LoopSums {
  const costUsd = usage?.costUsd === undefined ? sums.costUsd : (sums.costUsd ?? 0) + usage.costUsd;
  return {
    ...sums,
    runs: sums.runs + 1,
    ...(model === undefined ? {} : { model }),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

function loopSpan(loop: TracedLoop, sums: LoopSums, fact: Of<'loop.ended'>): Span {
  const { status, message } = fact.data;
  return {
    name: names.loopSpan,
    key: loopKey,
    kind: 'internal',
    ...times(loop.startMs, msOf(fact)),
    attributes: loopAttributes(loop, sums, fact.data),
    ...(status === 'completed' ? {} : { failure: message }),
    at: fact,
  };
}

function iterationSpan(
  { key, iteration, attempt, session, startMs }: OpenAttempt,
  fact: RecordedFact,
  { attributes, failure }: { readonly attributes: Attributes; readonly failure?: string },
): Span {
  return {
    name: names.iterationSpan,
    key,
    parent: loopKey,
    kind: 'internal',
    ...times(startMs, msOf(fact)),
    attributes: {
      'ralphd.iteration.number': iteration,
      'ralphd.iteration.attempt': attempt,
      'ralphd.iteration.session': session,
      ...attributes,
    },
    ...(failure === undefined ? {} : { failure }),
    at: fact,
  };
}

/** A run lasted as long as it says: its end may have been recorded much later, by another owner. */
function agentSpan(attempt: OpenAttempt, { agent }: TracedLoop, fact: Of<'agent.finished'>): Span {
  const { outcome, ending, error, durationMs } = fact.data;
  const { startMs, endMs } = times(attempt.agentMs ?? attempt.startMs, msOf(fact));
  const isOver = outcome === 'completed';
  return {
    name: `${names.agentOperation} ${agent}`,
    key: `${attempt.key}/agent`,
    parent: attempt.key,
    kind: 'client',
    startMs,
    endMs: ending.kind === 'lost' ? endMs : Math.min(endMs, startMs + durationMs),
    attributes: { ...agentAttributes(agent, fact.data), ...(isOver ? {} : { 'error.type': outcome }) },
    ...(isOver ? {} : { failure: error ?? `the agent ${describeEnding(ending)}` }),
    at: fact,
  };
}

function gateSpan(attempt: OpenAttempt, fact: Of<'gate.finished'>): Span {
  const { verdict, durationMs } = fact.data;
  const endMs = msOf(fact);
  return {
    name: names.gateSpan,
    key: `${attempt.key}/gate`,
    parent: attempt.key,
    kind: 'internal',
    ...times(attempt.gateMs ?? endMs - durationMs, endMs),
    attributes: gateAttributes(fact.data),
    ...(verdict === 'passed' ? {} : { failure: `the checks: ${verdict}` }),
    at: fact,
  };
}

/** Checks that fail before the first iteration are the reason for the loop, and no failure. */
function baselineSpan(fact: Of<'baseline.finished'>): Span {
  const endMs = msOf(fact);
  const tookMs = fact.data.checks.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return {
    name: names.gateSpan,
    key: `baseline/${fact.epoch}`,
    parent: loopKey,
    kind: 'internal',
    ...times(endMs - tookMs, endMs),
    attributes: { ...gateAttributes(fact.data), 'ralphd.gate.is_baseline': true },
    at: fact,
  };
}

interface Left {
  readonly loop: TracedLoop;
  readonly why: string;
}

/** What an attempt was doing when it was cut off. */
function leftParts(attempt: OpenAttempt, fact: RecordedFact, { loop, why }: Left): readonly Span[] {
  const { key, agentMs, gateMs } = attempt;
  const cut = { parent: key, failure: why, at: fact };
  const agent: readonly Span[] =
    agentMs === undefined
      ? []
      : [
          {
            name: `${names.agentOperation} ${loop.agent}`,
            key: `${key}/agent`,
            kind: 'client',
            ...times(agentMs, msOf(fact)),
            attributes: agentAttributes(loop.agent, {}),
            ...cut,
          },
        ];
  if (gateMs === undefined) return agent;
  const gate = { name: names.gateSpan, key: `${key}/gate`, kind: 'internal', attributes: {}, ...cut } as const;
  return [...agent, { ...gate, ...times(gateMs, msOf(fact)) }];
}

function leftSpans(attempt: OpenAttempt, fact: RecordedFact, left: Left): readonly Span[] {
  const attributes = { 'ralphd.iteration.status': 'interrupted' };
  return [...leftParts(attempt, fact, left), iterationSpan(attempt, fact, { attributes, failure: left.why })];
}

/** The clock may have been set back in between. */
function times(startMs: number, endMs: number): Pick<Span, 'startMs' | 'endMs'> {
  return { startMs, endMs: Math.max(startMs, endMs) };
}

function msOf({ at }: RecordedFact): number {
  return Date.parse(at);
}
