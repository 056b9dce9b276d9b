import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type Story, startedStory } from '../core/testing/story.ts';
import type { RecordedFact } from '../protocol/index.ts';
import { type Cursor, readCursor, writeCursor } from './cursor.ts';
import { readSettings } from './settings.ts';
import { createTelemetry } from './telemetry.ts';
import { type Collector, startCollector } from './testing/collector.ts';

const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 1_000, costUsd: 0.5 };
const broken = { outcome: 'unknown', error: 'it broke', ending: { kind: 'exited', code: 1 } } as const;
const graceMs = 7_777;

/** A loop that fails once, is cut off once, and then does its task. */
function eventful(): Story {
  const story = startedStory({ config: { maxIterations: 50 } });
  story
    .run({ usage, model: 'opus', sessionId: 's-1', ...broken })
    .pass(1_000)
    .advance();
  story
    .begin()
    .tell({ type: 'agent.started', data: { ...story.attempt, process: anyProcess } })
    .pass(5_000)
    .takeOver();
  story.tell({
    type: 'iteration.interrupted',
    data: { ...story.attempt, cause: 'runner_lost', message: 'the process of the loop died', elapsedMs: 0 },
  });
  story.run({ usage, model: 'opus', claimed: true }).pass(2_000);
  story.gate({ verdict: 'passed', proof: 'tree' }).pass(1_000).advance();
  const end = { status: 'completed', reason: 'completed', message: 'done', verified: true, elapsedMs: 0 } as const;
  return story.tell({ type: 'loop.ended', data: end });
}

const anyProcess = { host: 'here', bootId: 'b', pid: 7, startTime: '1' };

/** A process that exports a loop; its clock jumps over every wait but that for a grace period. */
function exporter(collector: Pick<Collector, 'url'>, facts: readonly RecordedFact[], more: Setting = {}) {
  const { env, cursor } = more;
  const waits: number[] = [];
  const reports: string[] = [];
  let kept = cursor;
  let nowMs = 0;
  let seen = facts;
  const telemetry = createTelemetry(
    readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env }),
    readCursor(cursor && writeCursor(cursor)),
    {
      clock: {
        nowMs: () => nowMs,
        waitUntil: async (untilMs, signal) => {
          if (untilMs - nowMs !== graceMs) {
            waits.push(untilMs - nowMs);
            nowMs = untilMs;
            return await new Promise((resolve) => setImmediate(resolve));
          }
          await new Promise<void>((resolve) => {
            if (more.isImpatient === true) resolve();
            signal.addEventListener('abort', () => resolve());
          });
        },
      },
      facts: () => seen,
      save: (reached) => {
        kept = reached;
      },
      redact: (value) => value,
      report: (message) => reports.push(message),
      isTerse: more.isTerse === true,
      graceMs,
    },
  );
  return {
    telemetry,
    waits,
    reports,
    cursor: () => kept,
    observe: (added: readonly RecordedFact[]) => {
      seen = [...seen, ...added];
      telemetry.observe(added);
    },
  };
}

interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly cursor?: Cursor | undefined;
  readonly isImpatient?: boolean;
  readonly isTerse?: boolean;
}

/** What a collector got, with every span once. */
function unique({ spans }: Collector) {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  for (const span of spans) expect(span).toEqual(byId.get(span.spanId));
  return [...byId.values()].toSorted((one, other) => one.spanId.localeCompare(other.spanId));
}

test('a loop is one trace: attempts below the loop, agents and checks below their attempt, failures marked', async () => {
  const collector = await startCollector();
  const { telemetry } = exporter(collector, eventful().facts);
  await telemetry.settle();
  const { spans, faults } = collector;
  expect(faults).toEqual([]);
  const names = new Map(spans.map((span) => [span.spanId, span.name]));
  const tree = spans.map((span) => [names.get(span.parentSpanId ?? ''), span.name, span.kind, span.status?.code]);
  expect(tree).toEqual([
    ['ralphd.iteration', 'invoke_agent command', 3, 2],
    ['ralphd.loop', 'ralphd.iteration', 1, 2],
    ['ralphd.iteration', 'invoke_agent command', 3, 2],
    ['ralphd.loop', 'ralphd.iteration', 1, 2],
    ['ralphd.iteration', 'invoke_agent command', 3, undefined],
    ['ralphd.iteration', 'ralphd.gate', 1, undefined],
    ['ralphd.loop', 'ralphd.iteration', 1, undefined],
    [undefined, 'ralphd.loop', 1, undefined],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(names.size).toBe(spans.length);
  const [agent] = spans;
  expect(agent?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'command',
    'gen_ai.request.model': 'opus',
    'gen_ai.conversation.id': 's-1',
    'gen_ai.usage.input_tokens': 1_100,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cache_read.input_tokens': 1_000,
    'ralphd.usage.cost_usd': 0.5,
    'error.type': 'unknown',
  });
  expect(agent?.status?.message).toBe('it broke');
  expect(spans.at(-1)?.attributes).toMatchObject({ 'ralphd.loop.verified': true, 'ralphd.loop.iterations': 2 });
  for (const span of spans) expect(span.endMs).toBeGreaterThanOrEqual(span.startMs);
});

test('of an encrypted loop only codes and numbers are sent, and no text', async () => {
  const collector = await startCollector();
  await exporter(collector, eventful().facts, { isTerse: true }).telemetry.settle();
  expect(collector.spans).toHaveLength(8);
  expect(collector.spans.flatMap(({ status }) => status ?? [])).toEqual(
    Array.from({ length: 4 }, () => ({ code: 2, message: '' })),
  );
});

test('the metrics are totals since the start of the loop, by agent and model', async () => {
  const collector = await startCollector();
  await exporter(collector, eventful().facts).telemetry.settle();
  const read = [...collector.points.values()].map(({ metric, attributes, count, sum }) => [
    metric,
    attributes['gen_ai.token.type'] ?? attributes['error.type'],
    count,
    sum,
  ]);
  expect(read).toEqual([
    ['gen_ai.client.token.usage', 'input', 2, 2_200],
    ['gen_ai.client.token.usage', 'output', 2, 40],
    ['gen_ai.client.operation.duration', 'unknown', 1, 1],
    ['gen_ai.client.operation.duration', undefined, 1, 1],
  ]);
});

test('wherever a process dies, the next one sends what is missing, with the same ids and the same content', async () => {
  const { facts } = eventful();
  const whole = await startCollector();
  await exporter(whole, facts).telemetry.settle();
  for (let cut = 0; cut <= facts.length; cut += 1) {
    const collector = await startCollector();
    const first = exporter(collector, facts.slice(0, cut));
    await first.telemetry.settle();
    const second = exporter(collector, facts.slice(0, cut), { cursor: first.cursor() });
    second.observe(facts.slice(cut));
    await second.telemetry.settle();
    // Nothing was sent twice, because the first process said how far it came.
    expect(collector.spans.length, `cut at ${cut}`).toBe(whole.spans.length);
    expect(unique(collector), `cut at ${cut}`).toEqual(unique(whole));
  }
  const forgotten = await startCollector();
  await exporter(forgotten, facts).telemetry.settle();
  await exporter(forgotten, facts).telemetry.settle();
  expect(forgotten.spans.length).toBe(2 * whole.spans.length);
  expect(unique(forgotten)).toEqual(unique(whole));
});

test('attempts that are made again after a restore are sent, as other spans than those that no longer count', async () => {
  const collector = await startCollector();
  const story = startedStory({ config: { maxIterations: 50 } });
  const { facts: before } = story;
  story.run().advance();
  const first = exporter(collector, story.facts);
  await first.telemetry.settle();
  const again = startedStory({ config: { maxIterations: 50 } });
  again.epoch = 2;
  again.run().advance();
  const restored = [...before, ...again.facts.slice(before.length)];
  await exporter(collector, restored, { cursor: first.cursor() }).telemetry.settle();
  expect(collector.spans.map(({ name }) => name)).toEqual(
    Array.from({ length: 2 }, () => ['invoke_agent command', 'ralphd.iteration']).flat(),
  );
  expect(unique(collector)).toHaveLength(4);
});

test('a collector that is busy or down is tried again, ever later and at most once a minute, and gets everything once', async () => {
  const collector = await startCollector((response: ServerResponse, request) => {
    if (request > 9) return false;
    if (request === 3) response.writeHead(429, { 'retry-after': '20' }).end();
    else if (request === 4) response.destroy();
    else response.writeHead(503).end();
    return true;
  });
  const { facts } = eventful();
  const process = exporter(collector, facts.slice(0, -1), { env: { OTEL_METRICS_EXPORTER: 'none' } });
  await expect.poll(() => collector.spans.length).toBe(7);
  expect(process.waits).toEqual([1_000, 1_000, 2_000, 20_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  process.observe(facts.slice(-1));
  await process.telemetry.settle();
  expect(collector.spans).toHaveLength(8);
  expect(process.reports.every((each) => each.startsWith('Traces to http://127.0.0.1:'))).toBe(true);
});

test('a loop that rests does not wait for a collector that is down, and names what was not sent', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const nobody = { url: `http://127.0.0.1:${(closed.address() as AddressInfo).port}` };
  closed.close();
  const process = exporter(nobody, eventful().facts);
  await process.telemetry.settle();
  await process.telemetry.settle();
  expect(process.reports.at(-1)).toBe(
    '8 spans were not sent: it cannot be reached (ECONNREFUSED). The next loop that runs here sends them.',
  );
  const collector = await startCollector();
  await exporter(collector, eventful().facts, { cursor: process.cursor() }).telemetry.settle();
  expect(collector.spans).toHaveLength(8);
});

test('a collector that never answers is given up after the grace period', async () => {
  const collector = await startCollector(() => true);
  const process = exporter(collector, eventful().facts, { isImpatient: true });
  await process.telemetry.settle();
  expect(process.reports.at(-1)).toContain('8 spans were not sent: ');
  expect(collector.requests()).toBeLessThanOrEqual(1);
});

test('a span that a collector refuses is left out alone, and named', async () => {
  const accepting = await startCollector();
  const { facts } = eventful();
  await exporter(accepting, facts).telemetry.settle();
  // Refuses every request with more than three spans, and every one with a gate.
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const spans = body.split('"spanId"').length - 1;
      const isRefused = spans > 3 || body.includes('ralphd.gate"');
      if (!isRefused) bodies.push(body);
      response.writeHead(isRefused ? 413 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const process = exporter({ url: `http://127.0.0.1:${port}` }, facts, { env: { OTEL_METRICS_EXPORTER: 'none' } });
  await process.telemetry.settle();
  server.close();
  expect(bodies.join('').split('"spanId"').length - 1).toBe(7);
  expect(process.reports).toEqual([
    `Traces to http://127.0.0.1:${port} were refused: it answered with HTTP 413. They are left out.`,
  ]);
  expect(process.cursor()?.isOver).toBe(true);
});

test('a loop with more spans than may wait sends every one of them once', async () => {
  const story = startedStory({ config: { maxIterations: 5_000 } });
  const start = story.facts[0];
  const attempt = eventful().facts.filter(({ type }) => type === 'iteration.started' || type === 'iteration.finished');
  const many = Array.from({ length: 2_500 }, (_, index) =>
    attempt.slice(0, 2).map((fact, of) => ({
      ...fact,
      seq: 2 + 2 * index + of,
      data: { ...fact.data, iteration: index + 1, attempt: 1 },
    })),
  ).flat() as readonly RecordedFact[];
  const collector = await startCollector();
  await exporter(collector, start === undefined ? [] : [start, ...many]).telemetry.settle();
  expect(collector.spans).toHaveLength(2_500);
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(2_500);
});

const outer = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';

function startedIn(traceparent: string): Story {
  const story = startedStory({ config: { maxIterations: 50 } });
  story.facts = story.facts.map((fact) =>
    fact.type === 'loop.started' ? { ...fact, data: { ...fact.data, traceparent } } : fact,
  );
  return story;
}

test('a loop that was started within a trace belongs to it, and what it starts belongs to its attempt', async () => {
  const collector = await startCollector();
  const story = startedIn(`${outer}-01`).reach('verifying');
  const process = exporter(collector, story.facts);
  const parentOf = (step: 'agent' | 'gate' | 'iteration', of?: typeof story.attempt) =>
    process.telemetry.variables(step, of)['TRACEPARENT']?.split('-');
  const { attempt } = story;
  const shown = {
    agent: parentOf('agent', attempt),
    gate: parentOf('gate', attempt),
    hook: parentOf('iteration', attempt),
  };
  const baseline = parentOf('gate', {} as never);
  story.tell({
    type: 'loop.ended',
    data: { status: 'aborted', reason: 'user_abort', message: 'x', verified: false, elapsedMs: 0 },
  });
  process.observe(story.facts.slice(-1));
  await process.telemetry.settle();
  const idOf = (name: string) => collector.spans.find((span) => span.name.startsWith(name))?.spanId;
  expect(shown).toEqual({
    agent: ['00', '0af7651916cd43dd8448eb211c80319c', expect.any(String), '01'],
    gate: ['00', '0af7651916cd43dd8448eb211c80319c', idOf('ralphd.gate'), '01'],
    hook: ['00', '0af7651916cd43dd8448eb211c80319c', idOf('ralphd.iteration'), '01'],
  });
  expect(baseline?.[2]).toBe(idOf('ralphd.loop'));
  expect(collector.spans.find(({ name }) => name === 'ralphd.loop')).toMatchObject({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
    status: { code: 2, message: 'x' },
  });
});

test.each([
  ['a trace that is not recorded', `${outer}-00`, {}, []],
  ['a sampler that wants none', `${outer}-01`, { OTEL_TRACES_SAMPLER: 'always_off' }, []],
  ['a sampler that wants all', `${outer}-00`, { OTEL_TRACES_SAMPLER: 'always_on' }, ['ralphd.loop']],
])('%s is obeyed', async (_what, traceparent, env, names) => {
  const collector = await startCollector();
  const story = startedIn(traceparent).tell({
    type: 'loop.ended',
    data: { status: 'aborted', reason: 'user_abort', message: 'x', verified: false, elapsedMs: 0 },
  });
  const { telemetry } = exporter(collector, story.facts, { env });
  await telemetry.settle();
  expect(collector.spans.map(({ name }) => name)).toEqual(names);
  expect(telemetry.variables('agent')['TRACEPARENT']?.slice(-2)).toBe(names.length === 0 ? '00' : '01');
});
