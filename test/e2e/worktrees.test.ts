import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createProject, endLine, eventually, jsonLines } from '../support/project.ts';

test('three loops work at once in their own worktrees and land one after the other, each checked with what landed before', async () => {
  const project = createProject();
  const sh = (line: string) =>
    execFileSync('/bin/sh', ['-c', line], { cwd: project.folder, env: project.env, encoding: 'utf8' }).trim();
  const work = 'echo work > "$name"; git add -A; git commit -qm "add $name"; echo "<promise>DONE</promise>"';
  const wait = 'until [ -e "$HOME/go" ]; do sleep 0.05; done';
  project.script('agent.sh', 'cat > /dev/null', 'name=$(basename "$PWD")', 'echo >> "$HOME/started"', wait, work);
  // Notes which files are there together; two of the loops pass, three do not.
  project.script('check.sh', 'ls | tr "\\n" " " >> "$HOME/seen"', 'echo >> "$HOME/seen"', '[ "$(ls | wc -l)" -lt 5 ]');
  sh(
    'git init -q -b main && git config user.name A && git config user.email a@b && git add -A && git commit -qm first',
  );
  const names = ['one', 'two', 'three'];
  const options = [
    '--agent-command',
    './agent.sh',
    '--verify',
    './check.sh',
    '--delay',
    '0s',
    '--no-baseline',
    '--json',
  ];
  const running = names.map((name) => project.begin(['run', `Make ${name}`, ...options, `--worktree=${name}`]));
  const home = path.dirname(project.folder);
  await eventually(() => sh(`cat "${home}/started" 2>/dev/null | wc -l`)).toBe('3');
  sh(`touch "${home}/go"`);
  const ids: unknown[] = [];
  for (const { ended } of running) {
    const end = await ended;
    expect(endLine(end), end.stderr).toMatchObject({ status: 'completed', verified: true });
    ids.push(endLine(end)['loopId']);
  }
  sh(`: > "${home}/seen"`);
  const land = async (id: unknown) => await project.ralphd('land', String(id), '--json');
  expect(jsonLines((await land(ids[0])).stdout)).toMatchObject([{ result: 'landed', method: 'fast-forward' }]);
  expect(jsonLines((await land(ids[1])).stdout)).toMatchObject([{ result: 'landed', method: 'merge', verified: true }]);
  const third = await land(ids[2]);
  expect(third.code).toBe(1);
  expect(endLine(third)).toMatchObject({ code: 'LANDING_NOT_VERIFIED' });
  expect(sh(`cat "${home}/seen"`).split('\n')).toEqual([
    'agent.sh check.sh one ',
    'agent.sh check.sh one two ',
    'agent.sh check.sh one three two',
  ]);
  expect(sh('ls; git branch --format="%(refname:short)"; git status --short')).toBe(
    'agent.sh\ncheck.sh\none\ntwo\nmain\nralphd/three',
  );
});

test('a worktree whose start was killed before its loop existed is named by doctor and replaced by the next start, unless somebody works in it', async () => {
  const project = createProject();
  const home = path.dirname(project.folder);
  const sh = (line: string) =>
    execFileSync('/bin/sh', ['-c', line], { cwd: project.folder, env: project.env, encoding: 'utf8' }).trim();
  project.script('agent.sh', 'cat > /dev/null', 'touch done', 'echo "<promise>DONE</promise>"');
  project.script('setup.sh', '[ ! -e "$HOME/wait" ] || { echo $$ > "$HOME/waiting"; sleep 600; }');
  project.write('ralphd.yml', 'worktreeSetup: ./setup.sh\n');
  sh(
    'git init -q -b main && git config user.name A && git config user.email a@b && git add -A && git commit -qm first && touch ../wait',
  );
  const options = ['--agent-command', './agent.sh', '--verify', 'test -f done', '--delay', '0s', '--no-baseline'];
  const run = ['run', 'Make it', ...options, '--worktree=feature', '--json'];
  const starting = project.start(run);
  await eventually(() => existsSync(path.join(home, 'waiting'))).toBe(true);
  expect(endLine(await project.ralphd(...run))).toMatchObject({ code: 'WORKTREE_STARTING' });
  expect(endLine(await project.ralphd('doctor', '--json'))['findings']).toEqual([]);
  starting.signal('SIGKILL');
  await starting.ended;
  sh('rm ../wait');
  const place = path.join(home, 'a project.worktrees', 'feature');
  expect(endLine(await project.ralphd('doctor', '--json'))['findings']).toMatchObject([
    { where: place, fix: expect.stringContaining('ralphd run --worktree=feature') },
  ]);
  writeFileSync(path.join(place, 'mine'), 'work of a person');
  expect(endLine(await project.ralphd(...run))).toMatchObject({
    code: 'WORKTREE_LEFT',
    hint: expect.stringContaining('git branch -D ralphd/feature'),
  });
  expect(existsSync(path.join(place, 'mine'))).toBe(true);
  rmSync(path.join(place, 'mine'));
  expect(endLine(await project.ralphd(...run))).toMatchObject({ status: 'completed' });
  expect(endLine(await project.ralphd(...run))).toMatchObject({ code: 'WORKTREE_TAKEN' });
  expect(endLine(await project.ralphd('doctor', '--json'))['findings']).toEqual([]);
  expect(sh('git branch --format="%(refname:short)"; ls .git | grep ralphd || true')).toBe('main\nralphd/feature');
});
