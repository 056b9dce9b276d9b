import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, usual, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, endLine, factsOf, jsonLines, type Project, promptOf, stateOf } from '../support/project.ts';

const claim = 'echo "<promise>DONE</promise>"';

/** A project whose agent does what the lines say and claims to be done. */
function projectWhoseAgent(...lines: readonly string[]): Project {
  const project = createProject();
  project.script('agent.sh', 'cat > /dev/null', ...lines, claim);
  return project;
}

function git(project: Project, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'protocol.file.allow=always'];
  const env = { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...identity, ...args], { cwd: project.folder, env, encoding: 'utf8' });
}

function commitAll(project: Project): void {
  project.write('.gitignore', '.ralph/\n*.log\n');
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
}

/** What the project's own tests say when a person runs them. */
function testsByHand(project: Project): number | null {
  return spawnSync('npm', ['test'], { cwd: project.folder, env: project.env }).status;
}

const threeFailing = `const { test } = require('node:test');
for (const name of ['one', 'two', 'three']) test(name, () => { throw new Error('not done'); });
`;

async function shownIn(project: Project): Promise<readonly string[]> {
  const status = await project.ralphd('status');
  const explained = await project.ralphd('explain');
  return [status.stdout, explained.stdout].map((text) => text.replace(/\s+/g, ' '));
}

test.each(['npm test 2>&1 | tee test.log', 'npm test || true', 'npm test; echo finished'])(
  'R6, A087: failing tests that are counted outrank the exit code of a script that hides theirs: %s',
  async (line) => {
    const project = projectWhoseAgent('echo "export {}" > feature.js');
    project.write('package.json', JSON.stringify({ scripts: { test: 'node --test' } }));
    project.write('a.test.cjs', threeFailing);
    project.script('check.sh', line);
    const ended = await project.ralphd(...runOf('--no-auto-test', '-n', '1'));
    expect(endLine(ended)).toMatchObject({
      status: 'failed',
      reason: 'max_iterations',
      verified: false,
      proof: 'none',
    });
    const [baseline] = factsOf(project, 'baseline.finished');
    expect(baseline).toMatchObject({ verdict: 'contradicted', checks: [{ exitCode: 0 }], tests: { failed: 3 } });
    const [gate] = factsOf(project, 'gate.finished');
    expect(gate).toMatchObject({ verdict: 'contradicted', checks: [{ verdict: 'contradicted', exitCode: 0 }] });
    expect(JSON.stringify(gate)).toContain('iteration.parseTests: false');
    const explained = await project.ralphd('explain');
    expect(explained.stdout).toContain('0 of 3 tests passed');
    expect(explained.stdout).not.toContain('prove it');
    expect(testsByHand(project)).toBe(1);
  },
);

test('A076: without test counts, only the exit code decides', async () => {
  const project = projectWhoseAgent('echo "export {}" > feature.js');
  project.write('package.json', JSON.stringify({ scripts: { test: 'node --test' } }));
  project.write('a.test.cjs', threeFailing);
  project.script('check.sh', 'npm test || true');
  project.write('ralphd.yml', 'iteration:\n  parseTests: false\n');
  const ended = await project.ralphd(...runOf('--no-auto-test', '-n', '1'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', doubts: [{ code: 'already_green' }] });
});

test.each([
  ['does nothing at all', 'true'],
  ['writes a file and removes it', 'echo x > feature.js; rm feature.js'],
  ['makes an empty commit', 'git -c user.name=B -c user.email=b@c commit -q --allow-empty -m work'],
  ['writes only ignored files', 'echo x > trace.log'],
])('R6: an agent that %s completes nothing, and learns why', async (_what, line) => {
  const project = projectWhoseAgent(line);
  // What the check itself writes is no work either.
  project.script('check.sh', 'date +%N > report.txt');
  commitAll(project);
  const ended = await project.ralphd(...runOf('-n', '3'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', verified: false, exitCode: 2 });
  expect(factsOf(project, 'gate.finished')).toMatchObject(
    Array.from({ length: 3 }, () => ({ verdict: 'unchanged', changedFiles: 0, checks: [{ verdict: 'passed' }] })),
  );
  expect(promptOf(project, 2)).toContain('no file differs from when the loop began');
});

test('R6: what one iteration writes and the next one reverts is no change, even across a resume', async () => {
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > /dev/null',
    `if [ -e feature.js ]; then rm feature.js; ${claim}; else echo x > feature.js; fi`,
  );
  project.script('check.sh', 'exit 0');
  project.write('ralphd.yml', 'onLimit: pause\n');
  const paused = await project.ralphd(...runOf('-n', '1'));
  expect(endLine(paused)).toMatchObject({ status: 'paused', reason: 'max_iterations', iterations: 1 });
  const resumed = await project.ralphd('resume', '-n', '2', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'paused', verified: false, iterations: 2 });
  expect(factsOf(project, 'gate.finished')).toMatchObject([{ verdict: 'unchanged', changedFiles: 0 }]);
});

test('R6: a trusted promise completes without any change, verified by the checks all the same', async () => {
  const project = projectWhoseAgent();
  project.script('check.sh', 'exit 0');
  const ended = await project.ralphd(...runOf('-n', '1', '--trust-promise'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, proof: 'tree' });
});

test('R6: work on checks that were green all along completes, and every face says how little that proves', async () => {
  const project = projectWhoseAgent('echo x > feature.js');
  project.script('check.sh', 'exit 0');
  const ended = await project.ralphd('run', 'Add feature X', ...usual, '-n', '1');
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain('all checks already pass; add one that fails until the task is done\n');
  expect(ended.stderr).not.toContain('that is what the loop is for');
  expect(ended.stdout).toMatch(/^✓ completed and verified \(proof: tree\), 1 iteration in .*, with reservations\n/);
  const message =
    'all checks passed before the first iteration, and no more tests pass now: they show that nothing broke, not that the task is done';
  expect(ended.stdout).toContain(`  check this: ${message}\n`);
  for (const shown of await shownIn(project)) expect(shown).toContain(message);
  expect((await shownIn(project)).join()).not.toContain('prove it');
  const doubts = [{ code: 'already_green', message }];
  expect(stateOf(project)).toMatchObject({ ralphd: { verified: true, proof: 'tree', doubts, warnings: [] } });
  for (const command of ['status', 'explain']) {
    const [line] = jsonLines((await project.ralphd(command, '--json')).stdout);
    expect(line).toMatchObject({ proof: 'tree', doubts });
  }
  expect(jsonLines((await project.ralphd('ls', '--json')).stdout)).toMatchObject([{ loops: [{ proof: 'tree' }] }]);
});

test('R6: a test that is new and passes shows that something was done, and is no reason for doubt', async () => {
  const test = (name: string) => `require('node:test').test('${name}', () => {});`;
  const project = projectWhoseAgent(`echo "${test('new')}" > new.test.cjs`);
  project.write('old.test.cjs', test('old'));
  const ended = await project.ralphd(
    ...runOf('--verify', 'node --test', '--no-auto-test', '-n', '1').filter(isNoCheck),
  );
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, doubts: [] });
});

/** Leaves out the check that every run has. */
function isNoCheck(word: string, index: number, words: readonly string[]): boolean {
  return word !== './check.sh' && !(word === '--verify' && words[index + 1] === './check.sh');
}

test('R6, B132: edited tests are a doubt in the last JSON line, in explain and in state.json', async () => {
  const project = projectWhoseAgent('echo "exit 0" > tests/one.sh; echo x > feature.js');
  mkdirSync(path.join(project.folder, 'tests'));
  project.write('tests/one.sh', 'exit 1\n');
  project.script('check.sh', 'for one in tests/*; do sh "$one" || exit 1; done');
  const ended = await project.ralphd(...runOf('-n', '1'));
  const doubt = { code: 'edited_tests', files: ['tests/one.sh'] };
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, doubts: [doubt], exitCode: 0 });
  expect(jsonLines((await project.ralphd('explain', '--json')).stdout)).toMatchObject([{ doubts: [doubt] }]);
  expect(stateOf(project)).toMatchObject({ ralphd: { doubts: [doubt] } });
});

test.each([
  ['that is not found', 'npm run no-such-script-here || exit 127', 'was not found (exit 127)'],
  ['that cannot be executed', './data.txt', 'cannot be executed (exit 126)'],
  ['that runs no test', "printf 'TAP version 13\\n1..0\\n'", 'proves nothing'],
  ['that never ends', 'sleep 1000', 'did not end in time'],
])(
  'R6: a check %s pauses the loop before the first iteration, with the reason and the fix',
  async (_what, line, why) => {
    const project = projectWhoseAgent('touch done');
    project.write('data.txt', 'no program');
    project.script('check.sh', `[ -e repaired ] && exec test -f done; ${line}`);
    project.write('ralphd.yml', 'verifyTimeout: 2s\n');
    const ended = await project.ralphd('run', 'x', ...usual, '-n', '5');
    expect(ended.code).toBe(78);
    expect(ended.stderr).not.toContain('that is what the loop is for');
    expect(ended.stdout).toContain('paused (configuration): The check "./check.sh"');
    expect(ended.stdout).toContain(why);
    expect(ended.stdout).toContain('--allow-broken-baseline');
    expect(factsOf(project, 'iteration.started')).toEqual([]);
    const explained = await project.ralphd('explain');
    expect(explained.stdout).toContain('the checks cannot prove anything in their current state');
    expect(explained.stdout).not.toContain('--max-iterations');
    expect((await project.ralphd('resume', '--json')).code).toBe(78);
    expect(factsOf(project, 'baseline.finished')).toHaveLength(2);
    project.write('repaired', '');
    const resumed = await project.ralphd('resume', '--json');
    expect(endLine(resumed)).toMatchObject({ status: 'completed', verified: true, doubts: [], exitCode: 0 });
  },
);

test('a task that is to write the check starts with --allow-broken-baseline, at the start or on a resume', async () => {
  const write = 'printf "#!/bin/sh\\ntest -f done\\n" > check.sh; chmod +x check.sh; touch done';
  const project = projectWhoseAgent(write);
  const ended = await project.ralphd(...runOf('-n', '1', '--allow-broken-baseline'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true });
  const later = projectWhoseAgent(write);
  expect((await later.ralphd(...runOf('-n', '1'))).code).toBe(78);
  const resumed = await later.ralphd('resume', '--allow-broken-baseline', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', verified: true });
});

test('R6: a submodule with --verify-in clean is refused before the first iteration', async () => {
  const library = createProject();
  library.write('a', '1');
  commitAll(library);
  const project = projectWhoseAgent('echo more >> work');
  writeCheck(project);
  commitAll(project);
  git(project, 'submodule', '--quiet', 'add', library.folder, 'lib');
  git(project, 'commit', '-qm', 'library');
  const ended = await project.ralphd(...runOf('-n', '9', '--verify-in', 'clean'));
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'configuration', iterations: 0, exitCode: 78 });
  expect(factsOf(project, 'baseline.finished')).toMatchObject([{ obstacle: { code: 'CLEAN_NESTED_REPOSITORY' } }]);
  const explained = (await project.ralphd('explain')).stdout.replace(/\s+/g, ' ');
  expect(explained).toContain('lib is a nested repository');
  expect(explained).toContain('--verify-in tree');
});

test('R6: a repository that appears inside later pauses the loop at the second gate, with the fix', async () => {
  const project = projectWhoseAgent(
    'echo more >> work',
    '[ -e lib ] || { git init -q lib && git -C lib -c user.name=B -c user.email=b@c commit -q --allow-empty -m x; }',
  );
  writeCheck(project);
  commitAll(project);
  const ended = await project.ralphd(...runOf('-n', '9', '--verify-in', 'clean'));
  expect(endLine(ended)).toMatchObject({ status: 'paused', reason: 'environment', iterations: 2, exitCode: 5 });
  const explained = (await project.ralphd('explain')).stdout.replace(/\s+/g, ' ');
  expect(explained).toContain('Paused: the checks cannot run: lib is a nested repository');
  expect(explained).not.toContain('--max-iterations');
});

test('the level of proof is reported for a clean checkout and for a trusted promise', async () => {
  const project = projectWhoseAgent('touch done');
  writeCheck(project);
  commitAll(project);
  const clean = await project.ralphd(...runOf('-n', '1', '--verify-in', 'clean'));
  expect(endLine(clean)).toMatchObject({ status: 'completed', verified: true, proof: 'clean', doubts: [] });
  const trusting = createProject();
  writeHonestAgent(trusting);
  const args = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--trust-promise', '--json'];
  expect(endLine(await trusting.ralphd(...args))).toMatchObject({
    status: 'completed',
    verified: false,
    proof: 'none',
  });
});
