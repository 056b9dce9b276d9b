import { expect, test } from 'vitest';
import { usual, writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, endLine, factsOf, type Project } from '../support/project.ts';

const settings = 'onLimit: pause\niterationDelay: "0"\nbaseline: false\nagent: command\nagentCommand: ./agent.sh\n';

/** A loop that is paused after one iteration; its settings are those of ralphd.yml. */
async function pausedLoop(more: string, ...args: readonly string[]): Promise<Project> {
  const project = createProject();
  writeBusyAgent(project);
  writeCheck(project);
  project.write('ralphd.yml', settings + more);
  const paused = await project.ralphd('run', 'x', '--json', ...args);
  expect(paused.code, paused.stderr).toBe(2);
  return project;
}

test('a resume says which settings have changed and keeps the own ones of the loop, and --reload takes them', async () => {
  const project = await pausedLoop('verify: [./check.sh]\nmaxIterations: 1\n');
  project.write('ralphd.yml', `${settings}verify: [./check.sh]\nmaxIterations: 3\nprotect: strict\n`);
  const refused = await project.ralphd('resume');
  expect(refused.code).toBe(64);
  const kept = await project.ralphd('resume', '-n', '2');
  expect(kept.code).toBe(2);
  expect(kept.stderr).toContain('the loop keeps its own; "resume --reload" applies them:');
  expect(kept.stderr).toContain('    protect');
  // An option given to a resume is chosen for the loop: no file changes it.
  expect(kept.stderr).not.toContain('    maxIterations');
  writeHonestAgent(project);
  project.write('ralphd.yml', `${settings}verify: [./check.sh]\niteration: { timeout: 7m }\nprotect: strict\n`);
  const ended = await project.ralphd('resume', '--reload', '-n', '4');
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toContain('setting  iteration.timeout: 30m -> 7m');
  expect(ended.stderr).toContain('These settings cannot change once a loop exists');
  expect(factsOf(project, 'config.changed').at(-1)).toMatchObject({
    config: { maxIterations: 4, iteration: { timeout: '7m' } },
    changes: [
      { setting: 'maxIterations', from: '2', to: '4' },
      { setting: 'iteration.timeout', from: '30m', to: '7m' },
    ],
  });
});

test('what a flag or a variable chose for a loop is never reported or reloaded from a file', async () => {
  const project = await pausedLoop('', ...usual, '-n', '1');
  project.write('ralphd.yml', `${settings}maxIterations: 50\nverify: ["true"]\n`);
  const ended = await project.ralphd('resume', '-n', '2');
  expect(ended.code).toBe(2);
  expect(ended.stderr).not.toContain('have changed');
});

test('reloaded checks judge the work, and a guarded file that changed still refuses until it is accepted', async () => {
  const project = await pausedLoop('verify: [./check.sh]\nmaxIterations: 1\n');
  project.script('check.sh', 'true');
  project.script('more.sh', 'test -f done');
  project.write('ralphd.yml', `${settings}verify: [./check.sh, ./more.sh]\nmaxIterations: 2\n`);
  writeHonestAgent(project);
  const refused = await project.ralphd('resume', '--reload', '--json');
  expect(endLine(refused)).toMatchObject({ status: 'paused', reason: 'max_iterations' });
  expect(factsOf(project, 'gate.finished').at(-1)).toMatchObject({
    tampered: ['check.sh'],
    checks: [{ command: './check.sh' }, { command: './more.sh' }],
  });
  const ended = await project.ralphd('resume', '-n', '3', '--accept-gate', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true });
});

test('a reload that cannot work is refused, and nothing is written', async () => {
  const project = await pausedLoop('verify: [./check.sh]\nmaxIterations: 1\n');
  const before = factsOf(project, 'segment.opened').length;
  project.write('ralphd.yml', `${settings}verify: ["this is no command"]\nmaxIterations: 2\n`);
  const refused = await project.ralphd('resume', '--reload', '--json');
  expect(endLine(refused)).toMatchObject({ type: 'error', code: 'CRITERION_NOT_A_COMMAND' });
  const missing = await project.ralphd('resume', '--agent-command', './nobody.sh', '-n', '2', '--json');
  expect(endLine(missing)).toMatchObject({ type: 'error', code: 'AGENT_NOT_FOUND' });
  expect(factsOf(project, 'segment.opened')).toHaveLength(before);
});

test('another agent can continue a resting loop', async () => {
  const project = await pausedLoop('verify: [./check.sh]\nmaxIterations: 1\n');
  project.script('other.sh', 'cat > heard', 'touch done', 'echo "<promise>DONE</promise>"');
  const ended = await project.ralphd('resume', '-n', '2', '--agent-command', './other.sh', '--json');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 2 });
  expect(project.read('heard')).toContain('## Handover');
});
