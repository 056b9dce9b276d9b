import { expect, test } from 'vitest';
import { runOf, writeBusyAgent, writeCheck } from '../support/agents.ts';
import { ask } from '../support/loop-files.ts';
import { createProject, endLine, eventually, factsOf, journalOf, type Project, stateOf } from '../support/project.ts';

type Sets = Readonly<Record<string, unknown>>;

/** A project with a check, an agent that never claims to be done, and conditions. */
function projectWith(stopConditions: Sets, settings: Sets = {}): Project {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  const config = { baseline: false, iteration: { killGrace: '200ms' }, ...settings, stopConditions };
  project.write('ralphd.yml', JSON.stringify(config));
  return project;
}

test('A013: a script that exits with 0 ends the loop with 4 and the reason script; any other exit does not', async () => {
  const project = projectWith({ customScripts: ['exit 1', ['./enough.sh', '$RALPHD_ITERATION']] });
  project.script('enough.sh', 'echo "$1" > argument', 'cat > told', '[ "$RALPHD_ITERATION" = 2 ] && echo enough');
  const ended = await project.ralphd(...runOf('-n', '5'));
  expect(ended.code).toBe(4);
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'script', iterations: 2, exitCode: 4 });
  expect(stateOf(project).ralphd).toMatchObject({
    message: 'the script "./enough.sh $RALPHD_ITERATION" exits with 0 (it exited with code 0: enough)',
  });
  expect(project.read('argument')).toBe('$RALPHD_ITERATION\n');
  expect(JSON.parse(project.read('told'))).toMatchObject({
    condition: 'customScripts.1',
    iteration: 2,
    status: 'verifying',
    claimed: false,
    changes: { modified: expect.arrayContaining(['work']) },
  });
});

test('B041: a script that hangs is ended with everything it started, the user is informed, and the loop continues', async () => {
  const project = projectWith({ customScripts: ['./hang.sh'], scriptTimeout: '500ms' });
  project.script(
    'hang.sh',
    'echo x >> hung',
    'setsid sleep 1000 &',
    'sleep 1000 &',
    'trap "" TERM',
    'while :; do sleep 1; done',
  );
  const ended = await project.ralphd(...runOf('-n', '2').filter((flag) => flag !== '--json'));
  expect(ended.code).toBe(2);
  expect(project.read('hung')).toBe('x\nx\n');
  expect(project.processes()).toEqual([]);
  expect(ended.stdout + ended.stderr).toMatch(
    /unknown +customScripts\.0: it was ended because it took longer than 500ms\n/,
  );
});

test('B038, B040: a file that appears ends the loop with 4 and the reason condition, which status shows', async () => {
  const project = projectWith({ stop: [{ type: 'file_contains', path: 'work', pattern: 'more\nmore\nmore' }] });
  const ended = await project.ralphd(...runOf('-n', '9'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'condition', iterations: 3, exitCode: 4 });
  expect(factsOf(project, 'stop_rule.triggered')).toMatchObject([{ rule: 'condition', condition: 'stop.0' }]);
  const { stdout } = await project.ralphd('status', '--json');
  expect((JSON.parse(stdout) as { rules: unknown[] }).rules).toContainEqual({
    rule: 'condition',
    kind: 'rule',
    near: 1,
    evidence: 'the text was found',
    set: 'stop',
    key: 'stop.0',
    description: 'the file work contains what matches /more\nmore\nmore/',
  });
  expect((await project.ralphd('status')).stdout).toMatch(/stop\.0 +█{8} {2}the file work contains what matches/);
});

test('B038: what the agent says ends the loop, and what its prompt says does not', async () => {
  const project = projectWith({ failure: [{ type: 'output_pattern', pattern: '(?i)i am stuck' }] });
  project.script('agent.sh', 'cat > heard', 'echo x >> work', '[ "$(wc -l < work)" -lt 2 ] || echo "I am STUCK."');
  const ended = await project.ralphd('run', 'say "I am stuck" if so', ...runOf('-n', '9').slice(2));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'pattern', iterations: 2, exitCode: 4 });
});

test('R4: a condition for success has the gate tried, and only a gate that passes completes the loop', async () => {
  const project = projectWith({ success: [{ type: 'file_created', path: 'report.txt' }] });
  project.script(
    'agent.sh',
    'cat > heard',
    'echo x >> work',
    'touch report.txt',
    '[ "$(wc -l < work)" -lt 3 ] || touch done',
  );
  const ended = await project.ralphd(...runOf('-n', '9'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 3, exitCode: 0 });
  expect(factsOf(project, 'gate.finished').map(({ verdict }) => verdict)).toEqual(['failed', 'failed', 'passed']);
  expect(factsOf(project, 'gate.started')[0]).toMatchObject({ conditions: ['success.0'] });
});

test('R4: without checks a condition for success completes a loop only when it is trusted, and not as verified', async () => {
  const project = projectWith({ success: [{ type: 'file_created', path: 'done' }] }, { completionPromise: null });
  project.script('agent.sh', 'cat > heard', 'touch done');
  const run = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--json', '-n', '3'];
  expect((await project.ralphd(...run)).code).toBe(78);
  const ended = await project.ralphd(...run, '--trust-promise');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: false, iterations: 1, exitCode: 0 });
});

test('B038: conditions can be combined, and an unknown result does not stop the loop', async () => {
  const untold = { type: 'not', condition: { type: 'custom_script', run: ['./no-such-script'] } };
  const both = {
    type: 'all',
    conditions: [
      { type: 'max_iterations', count: 2 },
      { type: 'any', conditions: [{ type: 'never' }, { type: 'file_created', path: 'work' }] },
    ],
  };
  const project = projectWith({ stop: [untold, both] });
  const ended = await project.ralphd(...runOf('-n', '9'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'condition', iterations: 2, exitCode: 4 });
  expect(factsOf(project, 'stop_rule.triggered')).toMatchObject([{ condition: 'stop.1' }]);
});

test('B038: a person who touches a file ends the loop after the iteration; a file of an earlier loop does not', async () => {
  const project = projectWith({ stop: [{ type: 'user_signal' }] });
  project.script('agent.sh', 'cat > heard', 'echo x >> work', '[ "$(wc -l < work)" -lt 2 ] || touch ralphd.stop');
  const first = await project.ralphd(...runOf('-n', '9'));
  expect(endLine(first)).toMatchObject({ reason: 'condition', iterations: 2 });
  project.script('agent.sh', 'cat > heard', 'echo x >> work');
  // The clock of a file system may know whole seconds only.
  const touchedAt = Math.floor(Date.now() / 1_000);
  await eventually(() => Math.floor(Date.now() / 1_000)).toBeGreaterThan(touchedAt);
  expect(endLine(await project.ralphd(...runOf('-n', '2')))).toMatchObject({ reason: 'max_iterations', iterations: 2 });
});

test('A048: Ctrl-C ends a script at once and leaves the loop paused; a resume looks again and keeps the run', async () => {
  const project = projectWith({ customScripts: [['sh', '-c', 'echo x >> begun; [ -e go ] || sleep 1000; exit 1']] });
  const running = project.start(runOf('-n', '1'));
  await eventually(() => project.has('begun')).toBe(true);
  running.signal('SIGINT');
  expect((await running.ended).code).toBe(130);
  expect(project.processes()).toEqual([]);
  project.write('go', '');
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ reason: 'max_iterations', iterations: 1 });
  expect(project.read('begun')).toBe('x\nx\n');
  expect(project.read('work')).toBe('more\n');
});

test('A084: what a dead owner left of a look is ended, and the next owner looks again', async () => {
  const project = projectWith({
    stop: [{ type: 'custom_script', run: 'echo $$ >> begun; [ -e go ] || sleep 1000', timeout: '1h' }],
  });
  const running = project.start(runOf('-n', '9'));
  await eventually(() => project.has('begun')).toBe(true);
  running.signal('SIGKILL');
  await running.ended;
  project.write('go', '');
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ reason: 'script', iterations: 1 });
  expect(project.read('begun').trimEnd().split('\n')).toHaveLength(2);
  expect(project.read('work')).toBe('more\n');
  expect(project.processes()).toEqual([]);
});

test('B038: a condition with a pattern that cannot be used is refused with 78 before anything is created', async () => {
  const project = projectWith({ success: [{ type: 'not', condition: { type: 'output_pattern', pattern: '(?=x)' } }] });
  const ended = await project.ralphd(...runOf());
  expect(ended.code).toBe(78);
  expect(ended.stderr).toContain('stopConditions.success.0.condition.pattern (ralphd.yml:1:');
  expect(project.has('.ralph')).toBe(false);
});

test('R1: while conditions are observed, status shows that the loop verifies, not that it executes', async () => {
  const project = projectWith({ customScripts: ['touch looking; until [ -e go ]; do sleep 0.05; done; exit 1'] });
  const running = project.begin(runOf('-n', '1'));
  await eventually(() => project.has('looking')).toBe(true);
  expect(await ask(project, 'status')).toMatchObject({ status: 'running', phase: 'verifying' });
  expect(await ask(project, 'explain')).toMatchObject({
    headline: 'Iteration 1 is running: the agent has finished, and its work is being judged.',
  });
  project.write('go', '');
  expect((await running.ended).code).toBe(2);
});

test('B042: a resume accepts changed conditions on request, and the facts record it', async () => {
  const limit = (count: number) => ({ type: 'max_iterations', count });
  const project = projectWith({ stop: [limit(1)] }, { onLimit: 'pause' });
  expect(endLine(await project.ralphd(...runOf('-n', '9')))).toMatchObject({ status: 'paused', iterations: 1 });
  const settings = JSON.parse(project.read('ralphd.yml')) as Sets;
  const write = (stop: readonly Sets[]) =>
    project.write('ralphd.yml', JSON.stringify({ ...settings, maxIterations: 1, stopConditions: { stop } }));
  write([{ type: 'file_contains', path: 'work', pattern: '(?=x)' }]);
  const bad = await project.ralphd('resume', '--accept-conditions', '--json');
  expect(endLine(bad)).toMatchObject({ code: 'BAD_PATTERN', exitCode: 78 });
  write([limit(5), { type: 'file_contains', path: 'work', text: 'more\nmore\nmore' }]);
  expect(endLine(await project.ralphd('resume', '--json'))).toMatchObject({ code: 'RESUME_NEEDS_ROOM', exitCode: 64 });
  const ended = await project.ralphd('resume', '--accept-conditions', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'condition', iterations: 3, exitCode: 4 });
  expect(factsOf(project, 'config.changed')).toMatchObject([{ config: { maxIterations: 9 } }]);
  expect(factsOf(project, 'conditions.observed')).toMatchObject([
    { iteration: 2, results: [{ key: 'stop.1', met: false }] },
    { iteration: 3, results: [{ key: 'stop.1', met: true }] },
  ]);
  const types = journalOf(project).map(({ type }) => type);
  const expectedTypes = ['iteration.started', 'conditions.observed', 'stop_rule.triggered', 'loop.ended'];
  expect(types.filter((type) => expectedTypes.includes(type)).slice(-4)).toEqual(expectedTypes);
});

test('B041: explain tells how the conditions moved, iteration by iteration, and what stopped the loop', async () => {
  const slow = { type: 'custom_script', run: '[ "$RALPHD_ITERATION" != 2 ] || sleep 1000; exit 1', timeout: '300ms' };
  const project = projectWith({ stop: [slow], failure: [{ type: 'max_iterations', count: 3 }] });
  await project.ralphd(...runOf('-n', '10'));
  const { history } = (await ask(project, 'explain', '--history')) as { history: readonly Sets[] };
  expect(history).toMatchObject([
    { iteration: 1, verdict: 'continue', moved: [{ name: 'failure.0', near: 1 / 3 }, { name: 'max_iterations' }] },
    { iteration: 2, verdict: 'continue', moved: [{ name: 'failure.0' }, {}, { name: 'stop.0', near: null }] },
    { iteration: 3, verdict: 'failure', by: ['failure.0'], moved: [{}, {}, { name: 'stop.0', near: 0 }] },
  ]);
  expect(factsOf(project, 'conditions.observed')[1]).toMatchObject({
    results: [{ key: 'stop.0', met: null, detail: 'it was ended because it took longer than 300ms' }],
  });
  const { stdout } = await project.ralphd('explain', '--history');
  expect(stdout).toMatch(/ 3 {2}stopped \(failure\.0\); failure\.0 1\.000 \(\+0\.333\)/);
  expect(await ask(project, 'explain')).not.toHaveProperty('history');
});
