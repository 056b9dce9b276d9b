import { expect, test } from 'vitest';
import { readSettings } from './settings.ts';

const base = 'http://collector:4318';

test('without any of the variables, or with OTEL_*_EXPORTER=none, nothing is sent anywhere', () => {
  expect(readSettings({})).not.toHaveProperty('traces');
  const none = { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'console' };
  const settings = readSettings(none);
  expect(settings).not.toHaveProperty('traces');
  expect(settings).not.toHaveProperty('metrics');
  expect(settings.problems).toEqual([]);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: base }, `${base}/v1/traces`, `${base}/v1/metrics`],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${base}/otlp/` }, `${base}/otlp/v1/traces`, `${base}/otlp/v1/metrics`],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${base}/here` }, `${base}/here`, undefined],
  [{ OTEL_TRACES_EXPORTER: 'otlp,console' }, 'http://localhost:4318/v1/traces', undefined],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${base}/m` },
    `${base}/v1/traces`,
    `${base}/m`,
  ],
])('%j sends traces to %s and metrics to %s', (env, traces, metrics) => {
  const settings = readSettings(env);
  expect([settings.traces?.url, settings.metrics?.url, settings.problems]).toEqual([traces, metrics, []]);
});

test('headers are decoded, those of a kind replace those of all, and credentials of an address become a header', () => {
  const { traces, metrics, problems } = readSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://ana:p%40ss@collector',
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=all, tenant=a%20b',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=traces',
  });
  const authorization = `Basic ${Buffer.from('ana:p@ss').toString('base64')}`;
  expect(traces?.url).toBe('https://collector/v1/traces');
  expect(traces?.headers).toEqual({ authorization, 'x-key': 'traces', tenant: 'a b' });
  expect(metrics?.headers).toEqual({ authorization, 'x-key': 'all', tenant: 'a b' });
  expect(problems).toEqual([]);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"'],
  [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' }, 'Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL'],
])('%j is not guessed at: no traces are sent, and the user is told', (env, told) => {
  const { traces, problems } = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: base, ...env });
  expect(traces).toBeUndefined();
  expect(problems.join('\n')).toContain(told);
});

test('a protocol of one kind replaces that of all, so that an agent can keep its own', () => {
  const { traces, metrics } = readSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
  });
  expect(traces?.url).toBe(`${base}/v1/traces`);
  expect(metrics).toBeUndefined();
});

test('a header or a time limit that is none is named without its value, and the rest still counts', () => {
  const { traces, problems } = readSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'good=1,hunter2,b a d=hunter2',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: 'soon',
  });
  expect(traces).toMatchObject({ headers: { good: '1' }, timeoutMs: 10_000 });
  expect(problems).toEqual([
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS has no valid header at position 2, which is left out.',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS has no valid header at position 3, which is left out.',
    'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT is not a number of milliseconds, so 10000 are used.',
  ]);
});

test('the service is named by OTEL_SERVICE_NAME, else by the resource, else ralphd', () => {
  const nameWith = (env: Record<string, string>) => readSettings(env).resource['service.name'];
  expect(nameWith({})).toBe('ralphd');
  expect(nameWith({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=nightly,team=a%2Cb' })).toBe('nightly');
  expect(nameWith({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=nightly', OTEL_SERVICE_NAME: 'mine' })).toBe('mine');
  expect(readSettings({ OTEL_RESOURCE_ATTRIBUTES: 'team=a%2Cb' }).resource['team']).toBe('a,b');
  expect(readSettings({ OTEL_RESOURCE_ATTRIBUTES: 'nonsense' }).problems).toHaveLength(1);
});
