import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject } from '../support/project.ts';

const counter = path.resolve(import.meta.dirname, '../../bench/programs/record-calls.ts');
const iterations = 12;
const settled = 4;

/** How often ralphd called the system in an iteration, by the name of the call; the first ones are not counted. */
function callsOf(file: string) {
  const calls = JSON.parse(readFileSync(file, 'utf8')) as readonly (readonly [name: string, about: string])[];
  const runs = calls.flatMap(([name, about], at) => (name === 'mkdirSync' && about.endsWith('/attempt-1') ? [at] : []));
  const counted = calls.slice(runs.at(settled), runs.at(-1));
  const each = (matches: (name: string, about: string) => boolean) =>
    counted.filter(([name, about]) => matches(name, about)).length / (runs.length - 1 - settled);
  return {
    // A busy machine has more processes to look at, and a slow one saves more often.
    files: each((name, about) => !about.startsWith('/proc') && name !== 'spawn'),
    syncs: each((name) => name === 'fsyncSync' || name === 'fdatasyncSync'),
    journalSyncs: each((name) => name === 'fdatasyncSync'),
    starts: each((name) => name === 'spawn'),
  };
}

test.for(['a plain folder', 'a repository'])(
  'in %s an iteration needs few calls and two syncs of the journal, and ralphd starts no process for it',
  async (kind) => {
    const project = createProject();
    project.script('agent.sh', 'cat > /dev/null', 'sleep 0.05');
    const git = (...args: readonly string[]) =>
      execFileSync('git', [...args], { cwd: project.folder, env: project.env });
    if (kind === 'a repository')
      for (const words of ['init -q', 'add .', '-c user.name=x -c user.email=x@y commit -qm x'])
        git(...words.split(' '));
    const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-calls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'calls');
    const env = { NODE_OPTIONS: `--import ${counter}`, CALLS_FILE: file };
    project.write('ralphd.yml', 'stopConditions: { maxNoProgressIterations: 0, maxIterationFailureStreak: 0 }\n');
    const words = ['run', 'x', '--trust-promise', '--delay', '0', '-n', `${iterations}`];
    await project.start([...words, '--agent-command', './agent.sh'], env).ended;
    const calls = callsOf(file);
    // Three times what it is: only a gross regression fails.
    expect(calls.files).toBeLessThan(500);
    expect(calls.syncs).toBeLessThan(25);
    expect(calls.journalSyncs).toBeLessThanOrEqual(2);
    expect(calls.starts).toBe(0);
  },
);
