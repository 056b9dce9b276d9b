import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Collector, startCollector } from '../../src/telemetry/testing/collector.ts';
import { usual, writeCheck, writeHonestAgent, writeSteppedAgent } from '../support/agents.ts';
import { createProject, endLine, eventually, factsOf, type Project } from '../support/project.ts';

const token = 'Bearer sesame-Open-9f8e7d6c';
const headers = { OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(token)},x-tenant=mine` };
const outer = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function to({ url }: Pick<Collector, 'url'>): NodeJS.ProcessEnv {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...headers };
}

/** Every span below the loop, each with a parent that was sent too. */
function expectWhole({ spans, faults }: Collector, parent?: string): void {
  expect(faults).toEqual([]);
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const orphans = spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? '') && parentSpanId !== parent);
  expect(orphans).toEqual([]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
}

function stateFiles(project: Project): readonly string[] {
  const root = path.join(project.folder, '.ralph');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => path.join(root, name));
  return files.filter((file) => statSync(file).isFile());
}

test('a loop within a trace is exported into it, and what it starts learns its place there; the headers are told nowhere', async () => {
  const collector = await startCollector();
  const project = createProject();
  const tell = (name: string) => `env | grep -E '^(TRACEPARENT|OTEL_)' | sort > ${name}`;
  project.script('agent.sh', 'cat > heard', tell('agent-env'), 'touch done', 'echo "<promise>DONE</promise>"');
  project.script('check.sh', '[ -z "$RALPHD_ITERATION" ] || ' + tell('gate-env'), 'test -f done');
  project.script('hook.sh', tell('hook-env'));
  project.write('ralphd.yml', 'hooks:\n  - name: tell\n    at: [post_iteration]\n    run: ./hook.sh\n');
  const run = await project.ralphdWith({ ...to(collector), TRACEPARENT: outer }, ['run', 'x', ...usual, '--json']);
  expect(endLine(run)).toMatchObject({ status: 'completed', verified: true });
  expect(run.stderr).toBe('');
  expectWhole(collector, 'b7ad6b7169203331');
  expect(collector.spans.map(({ name }) => name)).toEqual([
    'ralphd.gate',
    'invoke_agent command',
    'ralphd.gate',
    'ralphd.iteration',
    'ralphd.loop',
  ]);
  expect([...collector.points.values()].map(({ metric }) => metric)).toEqual(['gen_ai.client.operation.duration']);
  for (const each of collector.headers) expect(each).toMatchObject({ authorization: token, 'x-tenant': 'mine' });
  const [, agent, gate, iteration] = collector.spans;
  const placeOf = (spanId = '') => `TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-${spanId}-01\n`;
  expect(project.read('agent-env')).toContain(placeOf(agent?.spanId));
  // Checks and hooks are the user's own commands: they have the user's environment.
  expect(project.read('gate-env')).toContain(placeOf(gate?.spanId));
  expect(project.read('hook-env')).toContain(placeOf(iteration?.spanId));
  expect(factsOf(project, 'loop.started')).toMatchObject([{ traceparent: outer }]);
  const told = [run.stdout, run.stderr, ...stateFiles(project).map((file) => readFileSync(file, 'utf8'))].join('\n');
  expect(told).not.toContain('sesame');
});

test('without the variables a loop sends nothing, and passes a trace on as it is', async () => {
  const collector = await startCollector();
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > heard',
    'echo "$TRACEPARENT" > place',
    'touch done',
    'echo "<promise>DONE</promise>"',
  );
  writeCheck(project);
  const off = { ...to(collector), OTEL_SDK_DISABLED: 'true', TRACEPARENT: outer };
  expect((await project.ralphdWith(off, ['run', 'x', ...usual])).code).toBe(0);
  expect(project.read('place')).toBe(`${outer}\n`);
  expect(collector.requests()).toBe(0);
  expect(stateFiles(project).filter((file) => file.endsWith('telemetry.json'))).toEqual([]);
});

test('a loop whose process is killed and that is resumed leaves every span, under one id, in one trace', async () => {
  const collector = await startCollector();
  const project = createProject();
  writeSteppedAgent(project);
  writeCheck(project);
  const first = project.start(['run', 'x', ...usual, '--no-baseline'], to(collector));
  project.write('go-1', '');
  await eventually(() => project.has('heard-2')).toBe(true);
  await eventually(() => collector.spans.length).toBe(2);
  first.signal('SIGKILL');
  await first.ended;
  project.write('finish', '');
  project.write('go-2', '');
  project.write('go-3', '');
  const resumed = await project.ralphdWith(to(collector), ['resume']);
  expect(resumed.code).toBe(0);
  expectWhole(collector);
  // A process that dies right after the collector's answer has not written down that it has it: then it is sent again, unchanged.
  const spans = new Map(collector.spans.map((span) => [span.spanId, span]));
  for (const span of collector.spans) expect(span).toEqual(spans.get(span.spanId));
  const names = [...spans.values()].map(({ name }) => name);
  expect(names.filter((name) => name === 'ralphd.loop')).toHaveLength(1);
  expect(names.filter((name) => name === 'ralphd.iteration').length).toBe(factsOf(project, 'iteration.started').length);
}, 60_000);

test('a collector that is down costs a loop one warning; the next loop sends what was left of one that is over', async () => {
  const collector = await startCollector((response) => {
    if (isUp) return false;
    response.writeHead(503).end();
    return true;
  });
  let isUp = false;
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const run = await project.ralphdWith(to(collector), ['run', 'x', ...usual, '--no-baseline']);
  expect(run.code).toBe(0);
  expect(run.stdout + run.stderr).toContain('4 spans were not sent: it answered with HTTP 503.');
  expect(run.stdout + run.stderr).toContain('The next loop that runs here sends them.');
  expect(collector.spans).toEqual([]);
  isUp = true;
  const env = { ...to(collector), OTEL_METRICS_EXPORTER: 'none' };
  for (let next = 0; next < 2; next += 1) {
    expect((await project.ralphdWith(env, ['run', 'y', ...usual, '--no-baseline'])).code).toBe(0);
  }
  const loops = collector.spans.filter(({ name }) => name === 'ralphd.loop');
  expect(loops.map(({ attributes }) => attributes['ralphd.loop.id'])).toHaveLength(3);
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(collector.spans.length);
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(3);
});

test('a collector that takes requests and never answers neither changes the result nor keeps the process', async () => {
  const collector = await startCollector(() => true);
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const ended = await project.start(['run', 'x', ...usual, '--json'], to(collector)).ended;
  expect([ended.code, ended.signal]).toEqual([0, null]);
  expect(endLine(ended)).toMatchObject({ status: 'completed' });
}, 60_000);

test('another protocol than JSON over HTTP is not guessed at: the loop runs, and says what to set', async () => {
  const collector = await startCollector();
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const env = { ...to(collector), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_METRICS_EXPORTER: 'none' };
  const run = await project.ralphdWith(env, ['run', 'x', ...usual]);
  expect(run.code).toBe(0);
  expect(run.stdout + run.stderr).toContain('Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json');
  expect(collector.requests()).toBe(0);
});
