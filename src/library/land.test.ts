import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLoops } from './open-loops.ts';
import { runLoop } from './run-loop.ts';

test('a program lands the branch of a loop, and learns by code why a landing is refused', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'ralphd-library-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { PATH: '/usr/bin:/bin', HOME: home };
  const cwd = path.join(home, 'repo');
  const sh = (line: string) => execFileSync('/bin/sh', ['-c', line], { cwd, env, encoding: 'utf8' }).trim();
  execFileSync('git', ['init', '-q', '-b', 'main', cwd]);
  const work =
    'cat > /dev/null; touch done; git add -A; git commit -qm done; touch left; echo "<promise>DONE</promise>"';
  writeFileSync(path.join(cwd, 'agent.sh'), `#!/bin/sh\n${work}\n`, { mode: 0o755 });
  sh('git config user.name A; git config user.email a@b; git add -A; git commit -qm first');
  const context = { cwd, env, demoProgram: [] };
  const config = { prompt: 'Do it', agent: 'command' as const, agentCommand: './agent.sh', verify: ['test -f done'] };
  const loop = await runLoop({ ...config, worktree: 'alpha', baseline: false, iterationDelay: '0' }, {}, context);
  const { loopId, verified } = await loop.result;
  expect(verified).toBe(true);

  const loops = openLoops({}, context);
  await expect(loops.land(loopId)).rejects.toMatchObject({
    code: 'LANDING_UNCOMMITTED',
    hint: 'Commit or remove them, or call openLoops().land() with `commit: true`.',
  });
  await expect(loops.land(loopId, { commit: true, into: 'nowhere' })).rejects.toMatchObject({
    code: 'LANDING_NEEDS_BRANCH',
  });
  expect(await loops.land(loopId, { commit: true, dryRun: true })).toMatchObject({ id: loopId, result: 'would_land' });
  expect(sh('git log --format=%s')).toBe('first');
  const landed = { id: loopId, result: 'landed', into: 'main', method: 'squash', verified: true, checks: 1, kept: [] };
  expect(await loops.land(loopId, { commit: true, method: 'squash' })).toMatchObject(landed);
  expect(sh('git log --format=%s; git status --short')).toBe('Do it\nfirst');
  expect([existsSync(path.join(cwd, 'done')), existsSync(path.join(cwd, 'left'))]).toEqual([true, true]);
  expect(await loops.land(loopId)).toMatchObject({ result: 'already_landed' });
});
