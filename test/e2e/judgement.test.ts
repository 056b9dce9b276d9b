import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, usual, writeCheck } from '../support/agents.ts';
import { createProject, endLine, factsOf, jsonLines, type Project, promptOf, stateOf } from '../support/project.ts';

const claim = 'echo "<promise>DONE</promise>"';
const agent = ['--agent', 'command', '--agent-command', './agent.sh', '--delay', '0'];

/** A project whose agent does this in each run and then claims to be done. */
function projectWhoseAgent(...lines: readonly string[]): Project {
  const project = createProject();
  project.script('agent.sh', 'cat > heard', 'echo more >> work', ...lines, claim);
  writeCheck(project);
  return project;
}

test('R6, B132: an agent that claims falsely in every iteration never completes', async () => {
  const project = projectWhoseAgent();
  const ended = await project.ralphd(...runOf('-n', '4'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', verified: false, exitCode: 2 });
  expect(factsOf(project, 'gate.finished')).toHaveLength(4);
});

test('B132, A171: an agent that finishes in the last allowed iteration completes', async () => {
  const project = projectWhoseAgent('[ $(wc -l < work) -ge 3 ] && touch done');
  const ended = await project.ralphd(...runOf('-n', '3'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 3, exitCode: 0 });
});

test.each([
  ['edits', 'printf "#!/bin/sh\\nexit 0\\n" > check.sh'],
  ['deletes', 'rm check.sh'],
  ['replaces by a link', 'printf "#!/bin/sh\\nexit 0\\n" > mine.sh; chmod +x mine.sh; ln -sf mine.sh check.sh'],
])('R6, B132: an agent that %s the check never completes, and the check is named everywhere', async (_how, line) => {
  const project = projectWhoseAgent(line);
  const ended = await project.ralphd('run', 'x', ...usual, '-n', '2');
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('guards   check.sh');
  expect(ended.stderr).toContain('tampered check.sh was changed');
  expect(stateOf(project)).toMatchObject({ status: 'failed', ralphd: { verified: false } });
  const [gate] = factsOf(project, 'gate.finished');
  expect(gate).toMatchObject({
    verdict: 'unverifiable',
    tampered: ['check.sh'],
    checks: [{ verdict: 'unverifiable' }],
  });
  expect(JSON.stringify(gate)).toContain('Not run. Nothing is proven, because files of the checks were changed');
  expect(promptOf(project, 1)).toContain('Leave these as they are, because the checks depend on them: check.sh');
  expect(promptOf(project, 2)).toContain('## Restore the checks');
  const [status] = jsonLines((await project.ralphd('status', '--json')).stdout);
  expect(status).toMatchObject({ lastGate: { verdict: 'unverifiable', tampered: ['check.sh'] } });
  expect((await project.ralphd('status')).stdout).toContain('check.sh; if you changed this: ralphd resume');
});

test('R6: an agent that puts the check back and does the work completes', async () => {
  const project = projectWhoseAgent(
    'if [ -f original ]; then cp original check.sh; touch done; else cp check.sh original; echo "exit 0" > check.sh; fi',
  );
  const ended = await project.ralphd(...runOf('-n', '5'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 2, exitCode: 0 });
});

test('R6, B132: an agent that edits the test script of package.json never completes; other changes of it do no harm', async () => {
  const manifest = (test: string, version: string) => JSON.stringify({ version, scripts: { test } });
  const project = projectWhoseAgent(`echo '${manifest('true', '1.0.0')}' > package.json`);
  project.write('package.json', manifest('./check.sh', '1.0.0'));
  const ended = await project.ralphd('run', 'x', ...agent, '-n', '1', '--verify', 'npm test', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', exitCode: 2 });
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ tampered: ['package.json#scripts.test'] }]);
  const honest = projectWhoseAgent(`touch done; echo '${manifest('./check.sh', '1.1.0')}' > package.json`);
  honest.write('package.json', manifest('./check.sh', '1.0.0'));
  expect(endLine(await honest.ralphd('run', 'x', ...agent, '-n', '1', '--verify', 'npm test', '--json'))).toMatchObject(
    {
      status: 'completed',
      verified: true,
    },
  );
});

test('R6: code under test that rewrites the check while the checks run proves nothing', async () => {
  const project = projectWhoseAgent('echo "exit 0" > work.sh');
  project.write('work.sh', 'exit 1\n');
  project.script('agent.sh', 'echo more >> work', 'echo "echo exit 0 > check.sh" > code.sh', claim);
  project.write('code.sh', 'exit 1\n');
  project.script('first.sh', 'sh ./code.sh');
  const ended = await project.ralphd(
    'run',
    'x',
    ...agent,
    '-n',
    '2',
    '--verify',
    './first.sh',
    '--verify',
    './check.sh',
    '--json',
  );
  expect(endLine(ended)).toMatchObject({ status: 'failed', verified: false, exitCode: 2 });
});

test('a check that the user changed is accepted with "resume --accept-gate", and only then', async () => {
  const project = projectWhoseAgent();
  project.write('ralphd.yml', 'onLimit: pause\n');
  expect((await project.ralphd(...runOf('-n', '1'))).code).toBe(2);
  project.script('check.sh', 'test -f work');
  expect(endLine(await project.ralphd('resume', '-n', '2', '--json'))).toMatchObject({ status: 'paused', exitCode: 2 });
  const ended = await project.ralphd('resume', '-n', '3', '--accept-gate', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 3 });
  expect(factsOf(project, 'gate.accepted')).toMatchObject([{ changed: ['check.sh'] }]);
});

test('a file that the checks change themselves is guarded no longer once the baseline has shown it', async () => {
  const project = projectWhoseAgent('touch done');
  project.write('count', '0\n');
  project.script('check.sh', 'echo run >> count', 'test -f done');
  const ended = await project.ralphd('run', 'x', ...agent, '-n', '1', '--verify', './check.sh count');
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('count is changed by the checks themselves and is not guarded');
});

test('with --no-guard the agent may change what the checks name', async () => {
  const project = projectWhoseAgent('echo "exit 0" > check.sh');
  expect(endLine(await project.ralphd(...runOf('-n', '1', '--no-guard')))).toMatchObject({ status: 'completed' });
});

test('B132: an agent that edits or deletes tests is named on the screen, in status and in the last lines', async () => {
  const project = projectWhoseAgent(
    'if [ -f tests/new.sh ]; then echo more >> tests/new.sh; touch done; fi',
    'echo "exit 0" > tests/one.sh; rm -f tests/two.sh; echo "exit 0" > tests/new.sh',
  );
  mkdirSync(path.join(project.folder, 'tests'));
  project.write('tests/one.sh', 'exit 1\n');
  project.write('tests/two.sh', 'exit 1\n');
  const ended = await project.ralphd('run', 'x', ...usual, '-n', '2');
  expect(ended).toMatchObject({ code: 0 });
  const doubt = 'tests that existed before the loop were changed: tests/one.sh, tests/two.sh';
  expect(ended.stdout).toContain(`  check this: ${doubt}\n`);
  expect(ended.stderr).toContain('protect  changed existing files: tests/one.sh, tests/two.sh');
  expect(factsOf(project, 'agent.finished')[0]).toMatchObject({
    changes: { protected: { changed: ['tests/one.sh', 'tests/two.sh'], created: ['tests/new.sh'] } },
  });
  expect(factsOf(project, 'agent.finished')[1]?.['changes']).not.toHaveProperty('protected');
  const [status] = jsonLines((await project.ralphd('status', '--json')).stdout);
  const files = ['tests/one.sh', 'tests/two.sh'];
  expect(status).toMatchObject({ changedProtected: files, doubts: [{ code: 'edited_tests', message: doubt, files }] });
});

test('a pattern of "protect" that could never match is refused before anything is created', async () => {
  const project = projectWhoseAgent();
  const ended = await project.ralphd(...runOf('--protect', 'tests[/'));
  expect(endLine(ended)).toMatchObject({ code: 'BAD_GLOB', exitCode: 78 });
  expect(project.has('.ralph')).toBe(false);
});
