import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { follow } from '../support/project.ts';
import { hasNamespaces } from '../support/system.ts';
import { type Escape, escapes, escapesTable } from './corpus.ts';
import { createEscapeWorld, type World } from './world.ts';

const page = path.join(import.meta.dirname, '../../docs/security.md');

test('each escape has a program, and the documentation lists them all with their results', () => {
  const programs = readdirSync(path.join(import.meta.dirname, 'programs')).map((file) => path.basename(file, '.sh'));
  expect(programs.sort()).toEqual(escapes.map(({ name }) => name).sort());
  expect(escapes.length).toBeGreaterThanOrEqual(40);
  expect(readFileSync(page, 'utf8')).toContain(escapesTable());
});

test.skipIf(!hasNamespaces)('without a sandbox every escape works', async () => {
  const world = await createEscapeWorld();
  const { project, env } = world;
  execFileSync('mkdir', ['-p', '.ralph/loops'], { cwd: project.folder });
  // Not while this process waits: the services are in it.
  project.write('input', 'the task');
  const input = openSync(path.join(project.folder, 'input'), 'r');
  onTestFinished(() => closeSync(input));
  const own = { cwd: project.folder, env: { ...project.env, ...env } };
  const { stdout } = await follow(spawn('sh', ['all.sh'], { ...own, stdio: [input, 'pipe', 'pipe'] })).ended;
  // As ralphd does afterwards.
  for (const folder of ['filtered', 'module', 'partial']) spawnSync('git', ['-C', folder, 'status'], own);
  expect(world.judge(stdout)).toEqual(namesOf(world, () => true));
});

test.skipIf(!hasNamespaces).each(['on', 'strict'] as const)(
  'in a sandbox that is %s, exactly the escapes work that the documentation says',
  async (mode) => {
    const world = await createEscapeWorld();
    const { project, env, allowedPort } = world;
    const network =
      mode === 'strict' ? `network: ["127.0.0.1:${allowedPort}"]\nenvAllow: [${Object.keys(env).join(', ')}]\n` : '';
    project.write(
      'ralphd.yml',
      `sandbox: ${mode}\n${network}agent: command\nagentCommand: [sh, all.sh]\nverify: [test -f done]\nbaseline: false\n`,
    );
    const { code, stderr } = await project.ralphdWith(env, ['run', 'x', '-n', '1']);
    expect(code, stderr).toBe(0);
    const [attempt = ''] = execFileSync('find', ['.ralph/loops', '-name', 'attempt-1'], {
      cwd: project.folder,
      encoding: 'utf8',
    }).split('\n');
    const printed = project.read(path.join(attempt, 'stdout'));
    expect(printed.match(/^(?:escaped|blocked) /gm)).toHaveLength(escapes.length);
    expect(world.judge(printed)).toEqual(namesOf(world, (escape) => escape[mode] === 'possible'));
    if (mode === 'strict') expect(stderr).toMatch(/blocked .*; allow with network: \[.*"localhost:\d+"/);
  },
);

function namesOf({ isRoot }: World, isExpected: (escape: Escape) => boolean): readonly string[] {
  return escapes
    .filter((escape) => (isRoot || escape.needsRoot !== true) && isExpected(escape))
    .map(({ name }) => name)
    .sort();
}
