import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeCheck } from '../support/agents.ts';
import { createProject, endLine, jsonLines, loopIds, type Project } from '../support/project.ts';

/** An agent that harms the loop's own files in its second run and does the work in its third. */
function writeHarmfulAgent(project: Project, harm: string): void {
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo run >> runs',
    'n=$(wc -l < runs)',
    `if [ "$n" -eq 2 ]; then ${harm}; fi`,
    'if [ "$n" -ge 3 ]; then touch done; echo "<promise>DONE</promise>"; fi',
    'exit 0',
  );
}

test.each([
  ['deletes all of it, as git clean does', 'rm -rf .ralph'],
  ['deletes the journal', 'rm -rf .ralph/loops/*/journal'],
  ['deletes the lock', 'rm -f .ralph/loops/*/lock'],
  ['empties the journal', 'for f in .ralph/loops/*/journal/*.jsonl; do : > "$f"; done'],
  ['edits the journal', 'sed -i s/iteration/irritation/ .ralph/loops/*/journal/*.jsonl'],
  ['replaces the loop by a link', 'mv .ralph/loops elsewhere && ln -s "$PWD/elsewhere" .ralph/loops'],
  ['spoils the snapshot', 'echo spoiled > "$(echo .ralph/loops/*/state.json)"'],
])('A132 R22: an agent that %s loses the loop nothing, and the journal says so', async (_harm, harm) => {
  const project = createProject();
  writeHarmfulAgent(project, harm);
  const ended = await project.ralphd(...runOf('-n', '6'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 3, exitCode: 0 });
  const facts = jsonLines(ended.stdout);
  const isSnapshot = harm.includes('state.json');
  expect(facts.some(({ type }) => type === 'state.restored')).toBe(!isSnapshot);
  const loopId = String(endLine(ended)['loopId']);
  const status = await project.ralphd('status', loopId, '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ status: 'completed', iteration: 3 });
});

test('A132: the state of a loop stays out of the commits of an agent that ran "git clean -fdx"', async () => {
  const project = createProject();
  execFileSync('git', ['init', '-q'], { cwd: project.folder, env: project.env });
  project.write('tracked', '');
  writeHarmfulAgent(project, 'git clean -fdxq -e runs -e "*.sh"');
  project.script('commit.sh', 'git add -A && git -c user.name=a -c user.email=a@b commit -qm work');
  const agent = project.read('agent.sh').replace('exit 0', './commit.sh || exit 1');
  project.script('agent.sh', ...agent.split('\n').slice(1));
  expect(endLine(await project.ralphd(...runOf('-n', '6')))).toMatchObject({ status: 'completed', iterations: 3 });
  const tracked = execFileSync('git', ['ls-files'], { cwd: project.folder, env: project.env, encoding: 'utf8' });
  expect(tracked).toContain('tracked');
  expect(tracked).not.toContain('.ralph');
});

test('A131 R22: a loop whose folder was deleted while no process ran it is restored by its full id', async () => {
  const project = createProject();
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo run >> runs',
    'if [ -e go ]; then touch done; echo "<promise>DONE</promise>"; fi',
    'exit 0',
  );
  project.write('ralphd.yml', 'onLimit: pause\n');
  const paused = await project.ralphd(...runOf('-n', '2'));
  expect(endLine(paused)).toMatchObject({ status: 'paused', reason: 'max_iterations' });
  const [loopId = ''] = loopIds(project);
  rmSync(path.join(project.folder, '.ralph'), { recursive: true });
  project.write('go', '');
  const resumed = await project.ralphd('resume', loopId, '-n', '5', '--json');
  expect(endLine(resumed)).toMatchObject({ status: 'completed', verified: true, iterations: 3 });
});
