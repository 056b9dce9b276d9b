import { expect, test } from 'vitest';
import {
  Iteration,
  type IterationConfig,
  IterationExecutor,
  LoopError,
  Session,
  SessionManager,
} from '../../src/tachikoma.ts';
import { type FakeClaude, writeClaude } from '../support/claude.ts';
import { createProject, loopIds, type Project } from '../support/project.ts';

function projectWith(claude: FakeClaude = {}): Project {
  const project = createProject();
  writeClaude(project, 'claude.sh', claude);
  return project;
}

function executorIn({ folder, env }: Project, config: Partial<IterationConfig> = {}): IterationExecutor {
  return new IterationExecutor(config, { cwd: folder, env });
}

const session = () => new Session({ claudeCommand: './claude.sh' });

test('A080 A083 A085 A087 A089 A097: an iteration captures output, changes, tests, context and the summary in one result', async () => {
  const text = '===== 1 failed, 4 passed, 2 skipped in 0.12s =====\n\n## Summary\nFixed the parser.';
  const project = projectWith({
    text,
    used: 50_000,
    work: ['echo new > created', 'echo "$MINE" >&2', 'cat old >> old.copy'],
  });
  project.write('old', 'content');
  project.write('old.copy', 'copy');
  const iteration = new Iteration(7, 'Fix the tests');
  const own = session();
  const result = await executorIn(project, { envVars: { MINE: 'from the caller' } }).execute(iteration, own);
  expect(result).toMatchObject({
    exitCode: 0,
    stderr: 'from the caller\n',
    filesModified: ['old.copy'],
    filesDeleted: [],
    testsRun: true,
    testResults: { total: 7, passed: 4, failed: 1, skipped: 2 },
    contextUsagePercent: 25,
    progressDetected: true,
    summary: 'Fixed the parser.',
  });
  expect(result.filesCreated).toContain('created');
  expect(result.stdout).toContain('"type":"result"');
  expect(result.testResults?.allPassed()).toBe(false);
  expect(iteration).toMatchObject({ status: 'completed', result });
  expect(iteration.duration()).toBeGreaterThanOrEqual(0);
  expect(project.read('heard')).toContain('Fix the tests');
  expect([own.id, own.getContextUsage()]).toEqual(['session-1', 25]);
});

test('A052: iterations of one session continue the conversation in one loop; a fresh session begins another', async () => {
  const project = projectWith({ work: ['echo "$@" >> arguments'] });
  const executor = executorIn(project);
  const sessions = new SessionManager({ claudeCommand: './claude.sh' });
  await executor.execute(new Iteration(1, 'First'), sessions.getOrCreateSession());
  await executor.execute(new Iteration(2, 'Second'), sessions.getOrCreateSession());
  expect(project.read('heard')).toContain('Second');
  await executor.execute(new Iteration(3, 'Third'), sessions.createFreshSession());
  const calls = project.read('arguments').trim().split('\n');
  expect(calls.map((call) => /--resume session-1/.test(call))).toEqual([false, true, false]);
  expect(loopIds(project)).toHaveLength(2);
});

test('A078 A086 A098: an iteration that takes too long is ended with its processes, and the error names it and its limit', async () => {
  const project = projectWith({ work: ['sleep 60'] });
  const iteration = new Iteration(4, 'Take your time');
  const executor = executorIn(project, {
    timeout: '300ms',
    ralphd: { iteration: { killGrace: '100ms', timeout: '300ms' } },
  });
  const error: unknown = await executor.execute(iteration, session()).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(LoopError);
  expect(error).toMatchObject({
    code: 'ITERATION_TIMEOUT',
    message: 'Iteration 4 was ended because it took longer than 300ms.',
    details: { kind: 'IterationTimeout', iteration: 4, timeoutMs: 300 },
  });
  expect(iteration.status).toBe('timed_out');
  expect(iteration.endedAt).toBeInstanceOf(Date);
  expect(project.processes()).toEqual([]);
});

test('A079: an agent that exits with an error makes the iteration fail, and its output is in the result', async () => {
  const project = projectWith({ work: ['echo "no such branch" >&2', 'exit 3'] });
  const iteration = new Iteration(1, 'Fix the tests');
  const result = await executorIn(project).execute(iteration, session());
  expect(result).toMatchObject({ exitCode: 3, stderr: 'no such branch\n' });
  expect(iteration.status).toBe('failed');
  expect(iteration.metadata['error']).toContain('exited with code 3');
});

test('A079: an agent that is not there fails the iteration, and the error is passed on', async () => {
  const iteration = new Iteration(1, 'Fix the tests');
  const missing = new Session({ claudeCommand: './nobody.sh' });
  const running = executorIn(createProject()).execute(iteration, missing);
  await expect(running).rejects.toMatchObject({ kind: 'SessionStartFailed', code: 'AGENT_NOT_FOUND' });
  expect(iteration.status).toBe('failed');
  expect(iteration.metadata['error']).toContain('nobody.sh');
});

test('A080: a provider that refuses breaks the iteration off instead of waiting, and the error says why', async () => {
  const limit = {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    result: "You've hit your usage limit",
  };
  const project = projectWith({ work: [`echo '${JSON.stringify(limit).replaceAll("'", "'\\''")}'`, 'exit 1'] });
  const iteration = new Iteration(1, 'Fix the tests');
  const error: unknown = await executorIn(project)
    .execute(iteration, session())
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ kind: 'CommandFailed', code: 'ITERATION_BROKEN_OFF' });
  expect(iteration.status).toBe('failed');
});

test('A081 A084: hooks run before and after the agent, and the status follows', async () => {
  const project = projectWith({ work: ['echo agent >> order'] });
  const hook = (name: string, at: 'pre_iteration' | 'post_iteration') => ({
    name,
    at: [at],
    run: `echo ${name} >> order`,
  });
  const seen = new Set<string>();
  const iteration = new Proxy(new Iteration(1, 'Fix the tests'), {
    set(target, name, value: unknown) {
      if (name === 'status') seen.add(String(value));
      return Reflect.set(target, name, value);
    },
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const hooks = [hook('before', 'pre_iteration'), hook('after', 'post_iteration')];
  await executorIn(project, { ralphd: { hooks } }).execute(iteration, session());
  expect(project.read('order').split('\n')).toEqual(['before', 'agent', 'after', '']);
  expect([...seen]).toEqual(['pending', 'pre_hooks', 'executing', 'post_hooks']);
});

test('B014 B016 B017 B020: a session takes one prompt at a time, and knows what it has had', async () => {
  const project = projectWith({ used: 50_000, work: ['[ -e slow ] && sleep 600', 'true'] });
  const executor = executorIn(project);
  const own = session();
  expect(own.info()).toMatchObject({ status: 'ready', promptCount: 0, totalExecutionMs: 0, contextUsage: 0 });
  expect(own.sessionId).toMatch(/^ses_[0-9a-f]{8}-/);
  await executor.execute(new Iteration(1, 'First'), own);
  expect(own.info()).toMatchObject({ agentSessionId: 'session-1', status: 'ready', promptCount: 1, contextUsage: 25 });
  expect(own.info().totalExecutionMs).toBeGreaterThan(0);
  project.write('slow', '');
  const running = executor.execute(new Iteration(2, 'Second'), own);
  expect(own.status).toBe('executing');
  const second = executor.execute(new Iteration(3, 'Third'), own);
  await expect(second).rejects.toMatchObject({ kind: 'CommandFailed', code: 'SESSION_NOT_READY' });
  await own.terminate();
  await expect(running).rejects.toBeInstanceOf(LoopError);
  expect([own.status, own.isTerminal]).toEqual(['terminated', true]);
  expect(project.processes()).toEqual([]);
});
