import { spawnSync } from 'node:child_process';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { serveMetrics } from '../../src/app/fleet/metrics-endpoint.ts';
import { createWorkerMetrics } from '../../src/app/fleet/worker-metrics.ts';
import { parseExposition } from '../../src/core/testing/parse-exposition.ts';
import { openFleet } from '../../src/fleet/index.ts';
import { batchOf, useEmptyFleet } from '../support/postgres/fleet.ts';
import { describeWithPostgres } from '../support/postgres/shared.ts';

/** The answer to a request as it stands. */
async function ask(
  url: string,
  { host, path = '/metrics', method = 'GET' }: { host?: string; path?: string; method?: string } = {},
) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; type: string; body: string }>();
  const headers = host === undefined ? {} : { Host: host };
  const asked = request(new URL(path, url), { method, headers }, (response) => {
    const { statusCode = 0, headers: answered } = response;
    text(response).then((body) => resolve({ status: statusCode, type: answered['content-type'] ?? '', body }), reject);
  });
  asked.on('error', reject);
  asked.end();
  return await promise;
}

function valueOf({ samples }: ReturnType<typeof parseExposition>, name: string, labels: Record<string, string> = {}) {
  const found = samples.find((each) => {
    return (
      each.name === `ralph_fleet_${name}` &&
      Object.entries(labels).every(([label, value]) => each.labels[label] === value)
    );
  });
  return found?.value;
}

describeWithPostgres('the metrics of a fleet', () => {
  const world = useEmptyFleet();

  test('a worker counts what it claims, appends and answers, and tells the whole fleet in a text that every reader accepts', async () => {
    const metrics = createWorkerMetrics(4);
    const fleet = metrics.watch(world.fleet);
    await world.join('w', 'v');
    await world.fleet.limitAccount('pro "x"\\\n', { most: 3 });
    for (const id of ['a', 'b']) await world.submit(id, { account: 'pro "x"\\\n' });
    await world.claim('v');
    await world.fleet.lose('v');
    for (const _ of ['a', 'b']) await fleet.claim('w', false);
    metrics.drives(2);
    await world.fleet.send('a', 'c', '{}');
    await fleet.append({ ...batchOf('a', 3, 0), answers: ['c'] });
    await fleet.append(batchOf('a', 1, 0));
    await world.submit('waits');
    const body = await metrics.text(world.fleet);
    const read = parseExposition(body, 'openmetrics');
    const names = [
      'worker_loops',
      'worker_capacity',
      'worker_database_up',
      'worker_claims_total',
      'worker_takeovers_total',
    ];
    expect(names.map((name) => valueOf(read, name))).toEqual([2, 4, 1, 2, 1]);
    expect(valueOf(read, 'worker_fenced_appends_total')).toBe(1);
    expect(valueOf(read, 'worker_append_seconds_count')).toBe(2);
    expect(valueOf(read, 'worker_answer_seconds_count')).toBe(1);
    expect(valueOf(read, 'loops', { state: 'driven', account: 'pro "x"\\' })).toBe(2);
    expect(valueOf(read, 'loops', { state: 'claimable' })).toBe(1);
    expect(valueOf(read, 'workers', { state: 'live' })).toBe(1);
    expect(valueOf(read, 'workers', { state: 'lost' })).toBe(1);
    expect(valueOf(read, 'account_limit')).toBe(3);
    // Where Prometheus' own checker is installed, it has the last word.
    const judged = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
    if (judged.error === undefined) expect(judged.stdout + judged.stderr).not.toMatch(/error/i);
  });

  test('a worker whose database is away still says that', async () => {
    const metrics = createWorkerMetrics(1);
    await using away = openFleet('postgresql://nobody@127.0.0.1:1/none', { connections: 1 });
    const read = parseExposition(await metrics.text(away), 'openmetrics');
    expect(valueOf(read, 'worker_database_up')).toBe(0);
    expect(read.samples.some(({ name }) => name === 'ralph_fleet_loops')).toBe(false);
  });
});

test('metrics are answered to this machine under its own names, and nothing else is', async () => {
  await using endpoint = await serveMetrics({ host: '127.0.0.1', port: 0 }, async () => '# EOF\n');
  const { url } = endpoint;
  expect(await ask(url)).toMatchObject({
    status: 200,
    body: '# EOF\n',
    type: expect.stringContaining('openmetrics-text'),
  });
  expect(await ask(url, { host: 'localhost:9464' })).toMatchObject({ status: 200 });
  expect(await ask(url, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  expect(await ask(url, { host: 'rebound.example:9464' })).toMatchObject({ status: 403 });
  expect(await ask(url, { path: '/' })).toMatchObject({ status: 404 });
  expect(await ask(url, { method: 'POST' })).toMatchObject({ status: 405 });
  const port = Number(new URL(url).port);
  await expect(serveMetrics({ host: '127.0.0.1', port }, async () => '')).rejects.toMatchObject({
    failure: { code: 'ADDRESS_IN_USE' },
  });
});
