import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, runsOf, writeCheck } from '../support/agents.ts';
import { pathIn, readJson } from '../support/loop-files.ts';
import { createProject, endLine, eventually, follow, journalOf, jsonLines, type Project } from '../support/project.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The program as it is built, but for the size at which a segment of a journal is full; returns its launcher. */
function programWithSmallSegments(project: Project, bytes: number): string {
  const folder = path.join(path.dirname(project.folder), 'program');
  mkdirSync(folder);
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const inside = path.join(folder, 'dist');
  const changed = readdirSync(inside, { recursive: true, encoding: 'utf8' }).filter((name) => {
    if (!name.endsWith('.js')) return false;
    const text = readFileSync(path.join(inside, name), 'utf8');
    const small = text.replace(/\.segmentBytes\s*\?\?\s*[\w$]+/u, `.segmentBytes ?? ${bytes}`);
    if (small !== text) writeFileSync(path.join(inside, name), small);
    return small !== text;
  });
  expect(changed).toHaveLength(1);
  return path.join(folder, 'bin/ralphd.mjs');
}

/** Run N prints a line, waits for `go-N` and prints another; with `finish` it does the work. */
function writeTalkingAgent(project: Project): void {
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo $$ >> started',
    'n=$(($(wc -l < started)))',
    'echo "run $n begins"',
    'until [ -e go-$n ]; do sleep 0.05; done',
    'echo more >> work',
    'echo "run $n ends"',
    '[ -e finish ] && touch done && echo "<promise>DONE</promise>"',
  );
}

test('B113: who follows events and logs gets each once, over full segments, a killed owner and a resume', async () => {
  const project = createProject();
  writeTalkingAgent(project);
  writeCheck(project);
  const launcher = programWithSmallSegments(project, 1_500);
  const start = (...args: readonly string[]) =>
    follow(spawn(process.execPath, [launcher, ...args], { cwd: project.folder, env: project.env }));
  const first = start(...runOf('-n', '9'));
  await eventually(() => runsOf(project)).toBe(1);
  const events = start('events', '-f', '--json');
  const logs = start('logs', '-f');
  await eventually(() => logs.output().stdout).toContain('run 1 begins');
  project.write('go-1', '');
  await eventually(() => runsOf(project)).toBe(2);
  process.kill(Number(readJson(project, 'owner.json')['pid']), 'SIGKILL');
  await first.ended;
  project.write('finish', '');
  project.write('go-2', '');
  expect(endLine(await start('resume', '--json').ended)).toMatchObject({ status: 'completed', iterations: 2 });

  const recorded = journalOf(project).filter(({ type }) => type !== 'segment.opened');
  const followed = jsonLines((await events.ended).stdout);
  expect(followed.map(({ seq, type }) => `${String(seq)} ${String(type)}`)).toEqual(
    recorded.map(({ seq, type }) => `${seq} ${type}`),
  );
  const segments = readdirSync(pathIn(project, 'journal'));
  const epochs = new Set(recorded.map(({ epoch }) => epoch));
  expect(epochs.size).toBe(2);
  expect(segments.length).toBeGreaterThan(epochs.size + 2);
  const spoken = (await logs.ended).stdout.match(/run \d (?:begins|ends)/gu);
  expect(spoken).toEqual(['run 1 begins', 'run 1 ends', 'run 2 begins', 'run 2 ends']);
});
