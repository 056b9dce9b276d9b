import { type RecordedFact, type TraceVariables, traceparentOf } from '../protocol/index.ts';
import type { Cursor } from './cursor.ts';
import { metricRequest, traceRequest } from './otlp.ts';
import { type Posted, postOnce } from './post.ts';
import { foldRunMetrics, noRunMetrics, type RunMetrics } from './run-metrics.ts';
import type { TelemetrySettings } from './settings.ts';
import type { Instant, Span } from './span.ts';
import { type SpanIds, spanIdsOf } from './span-ids.ts';
import { foldSpans, isAfter, loopKey, noSpans, type SpanFold } from './spans.ts';

/** The time as an export needs it. */
export interface TelemetryClock {
  nowMs(): number;
  waitUntil(instantMs: number, signal: AbortSignal): Promise<void>;
}

/** What an export needs. */
export interface TelemetryPorts {
  readonly clock: TelemetryClock;
  /** Every fact recorded so far. */
  facts(): Iterable<RecordedFact>;
  /** Keeps how far the spans have been sent; never throws. */
  save(cursor: Cursor): void;
  /** Removes secrets from a value. */
  redact<Value>(value: Value): Value;
  /** Names a problem to the user. */
  report(message: string): void;
  /** Whether only codes and numbers may leave the machine, and no text. */
  readonly isTerse: boolean;
  /** How long a loop that rests or is over waits for what is being sent. */
  readonly graceMs: number;
}

/** Sends what a loop did as traces and metrics. Nothing in it can delay or fail the loop. */
export interface Telemetry {
  /** Notes facts that were just recorded. */
  observe(facts: readonly RecordedFact[]): void;
  readonly variables: TraceVariables;
  /** Sends everything without further delay, within the grace period; what is left is for the next process. */
  settle(): Promise<void>;
}

const maxBatch = 512;
/** Spans beyond that are read from the journal again once there is room. */
const maxWaiting = 2_048;
const collectMs = 1_000;
const firstRetryMs = 1_000;
const lastRetryMs = 60_000;

/** An export that continues where an earlier process stopped. */
export function createTelemetry(settings: TelemetrySettings, { sent }: Cursor, ports: TelemetryPorts): Telemetry {
  const telemetry = new LoopTelemetry(settings, sent, ports);
  telemetry.start();
  return telemetry;
}

class LoopTelemetry implements Telemetry {
  readonly #settings: TelemetrySettings;
  /** The newest fact that was noted. */
  #noted: Instant = { epoch: 0, seq: 0 };
  readonly #ports: TelemetryPorts;
  #sent: Instant;
  #fold: SpanFold = noSpans;
  #metrics: RunMetrics = noRunMetrics;
  #ids: SpanIds | undefined;
  #waiting: readonly Span[] = [];
  /** Whether there are more than those that wait. */
  #isCut = false;
  #hasNewMetrics = false;
  #batch = maxBatch;
  #afterMs: number | undefined;
  #failures = 0;
  #why = '';
  #sending: Promise<void> | undefined;
  #isResting = false;
  #pause = new AbortController();
  #stop = new AbortController();

  constructor(settings: TelemetrySettings, sent: Instant, ports: TelemetryPorts) {
    this.#settings = settings;
    this.#sent = sent;
    this.#ports = ports;
  }

  start(): void {
    for (const fact of this.#ports.facts()) this.#read(fact);
    this.#wake();
  }

  observe(facts: readonly RecordedFact[]): void {
    this.#isResting = false;
    for (const fact of facts) this.#read(fact);
    this.#wake();
  }

  readonly variables: TraceVariables = (step, of) => {
    const { attempt } = this.#fold;
    const ids = this.#ids;
    if (ids === undefined || this.#settings.traces === undefined) return {};
    const isCurrent = attempt?.iteration === of?.iteration && attempt?.attempt === of?.attempt;
    const key = attempt === undefined || !isCurrent ? loopKey : attempt.key;
    const spanId = ids.spanId(step === 'iteration' || key === loopKey ? key : `${key}/${step}`);
    return { TRACEPARENT: traceparentOf({ traceId: ids.traceId, spanId, isSampled: this.#isTraced() }) };
  };

  async settle(): Promise<void> {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#pause.abort();
    this.#wake();
    const { clock, graceMs } = this.#ports;
    const grace = new AbortController();
    await Promise.race([this.#sending, clock.waitUntil(clock.nowMs() + graceMs, grace.signal)]);
    grace.abort();
    this.#stop.abort();
    await this.#sending;
    this.#stop = new AbortController();
    this.#reportLeft();
  }

  #read(fact: RecordedFact): void {
    const { fold, spans } = foldSpans(this.#fold, fact);
    this.#fold = fold;
    this.#noted = { epoch: fact.epoch, seq: fact.seq };
    if (fact.type === 'loop.started' && fold.loop !== undefined) this.#ids = spanIdsOf(fold.loop);
    const before = this.#metrics;
    this.#metrics = foldRunMetrics(before, fact);
    if (this.#settings.metrics !== undefined && this.#metrics.series !== before.series) this.#hasNewMetrics = true;
    if (this.#settings.traces === undefined || !this.#isTraced()) return;
    for (const span of spans) this.#add(span);
  }

  #add(span: Span): void {
    if (!isAfter(span.at, this.#sent)) return;
    if (this.#isCut || this.#waiting.length >= maxWaiting) this.#isCut = true;
    else this.#waiting = [...this.#waiting, this.#ports.isTerse ? withoutText(span) : span];
  }

  #isTraced(): boolean {
    const { sampling } = this.#settings;
    const outer = this.#ids?.outer;
    return outer === undefined || !sampling.isParentObeyed ? sampling.isRootSampled : outer.isSampled;
  }

  #wake(): void {
    if (this.#sending !== undefined || (this.#waiting.length === 0 && !this.#hasNewMetrics)) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /** One request at a time, so that a slow collector cannot pile them up. */
  async #sendAll(): Promise<void> {
    await this.#waitFor(collectMs);
    while (this.#waiting.length > 0 || this.#hasNewMetrics) {
      const isSent = await this.#sendNext();
      if (this.#stop.signal.aborted || (!isSent && this.#isResting)) return;
      if (!isSent) await this.#waitFor(this.#retryMs());
    }
  }

  #retryMs(): number {
    return this.#afterMs ?? Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(this.#failures - 1, 10));
  }

  /** A loop that rests waits for nothing. */
  async #waitFor(ms: number): Promise<void> {
    if (this.#isResting) return;
    this.#pause = new AbortController();
    const { clock } = this.#ports;
    await clock.waitUntil(clock.nowMs() + ms, this.#pause.signal);
  }

  async #sendNext(): Promise<boolean> {
    const areSpansSent = await this.#sendSpans();
    const areMetricsSent = await this.#sendMetrics();
    const isSent = areSpansSent && areMetricsSent;
    this.#failures = isSent ? 0 : this.#failures + 1;
    return isSent;
  }

  async #sendSpans(): Promise<boolean> {
    const { traces, resource } = this.#settings;
    if (traces === undefined || this.#ids === undefined || this.#waiting.length === 0) return true;
    const batch = this.#waiting.slice(0, this.#batch);
    const body = this.#ports.redact(traceRequest(batch, this.#ids, resource));
    const posted = await postOnce(traces, body, this.#stop.signal);
    if (posted.kind === 'refused' && batch.length > 1) {
      // Perhaps only one of them is at fault, or they are too many.
      this.#batch = Math.ceil(batch.length / 2);
      return true;
    }
    if (!this.#isSettled(posted, `Traces to ${originOf(traces.url)}`)) return false;
    this.#batch = maxBatch;
    this.#advance(batch);
    return true;
  }

  #advance(batch: readonly Span[]): void {
    this.#waiting = this.#waiting.slice(batch.length);
    const last = batch.at(-1);
    // Spans that end with the same fact are sent together or again.
    const isSplit = this.#waiting[0]?.at.seq === last?.at.seq;
    const reached = isSplit ? batch.findLast(({ at }) => at.seq !== last?.at.seq) : last;
    if (reached !== undefined) {
      this.#sent = { epoch: reached.at.epoch, seq: reached.at.seq };
      this.#ports.save({ sent: this.#sent, isOver: reached.key === loopKey });
    }
    if (this.#waiting.length === 0 && this.#isCut) this.#readAgain();
  }

  #readAgain(): void {
    this.#isCut = false;
    let fold = noSpans;
    for (const fact of this.#ports.facts()) {
      if (isAfter(fact, this.#noted)) return;
      const next = foldSpans(fold, fact);
      ({ fold } = next);
      for (const span of next.spans) this.#add(span);
    }
  }

  async #sendMetrics(): Promise<boolean> {
    const { metrics: target, resource } = this.#settings;
    const { loop } = this.#fold;
    if (target === undefined || loop === undefined || !this.#hasNewMetrics) return true;
    this.#hasNewMetrics = false;
    const body = metricRequest(this.#metrics, { ...resource, 'service.instance.id': loop.uuid });
    if (body === undefined) return true;
    const posted = await postOnce(target, this.#ports.redact(body), this.#stop.signal);
    const isSettled = this.#isSettled(posted, `Metrics to ${originOf(target.url)}`);
    if (!isSettled) this.#hasNewMetrics = true;
    return isSettled;
  }

  /** Whether the receiver has what it wants of it; otherwise it is worth another try. */
  #isSettled(posted: Posted, what: string): boolean {
    switch (posted.kind) {
      case 'accepted':
        if (posted.rejected !== undefined)
          this.#report(`${what} were accepted only in part: it rejected ${posted.rejected}.`);
        return true;
      case 'refused':
        this.#report(`${what} were refused: ${posted.why}. They are left out.`);
        return true;
      case 'failed':
        this.#afterMs = posted.afterMs;
        this.#why = posted.why;
        if (!this.#stop.signal.aborted) this.#report(`${what} were not sent: ${posted.why}. They are sent later.`);
        return false;
    }
  }

  #reportLeft(): void {
    if (this.#waiting.length === 0) return;
    const count = this.#isCut ? `more than ${this.#waiting.length}` : this.#waiting.length;
    const why = this.#why === '' ? 'the collector takes too long' : this.#why;
    this.#report(`${count} spans were not sent: ${why}. The next loop that runs here sends them.`);
  }

  #report(message: string): void {
    this.#ports.report(this.#ports.redact(message));
  }
}

function withoutText(span: Span): Span {
  return span.failure === undefined ? span : { ...span, failure: '' };
}

/** Without the path, which may have a key in it. */
function originOf(url: string): string {
  return new URL(url).origin;
}
