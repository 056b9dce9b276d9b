import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { processesAround } from '../support/processes.ts';
import {
  createProject,
  type Ended,
  eventually,
  follow,
  jsonLines,
  type Project,
  type Running,
} from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface Row {
  readonly name: string;
  readonly result: string;
  readonly finding?: string;
}

function rowsOf({ stdout }: Ended): readonly Row[] {
  return (jsonLines(stdout)[0]?.['scenarios'] ?? []) as readonly Row[];
}

interface StartOptions {
  readonly program?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A project with a temporary folder for the self-test alone, to see what it leaves. */
function createPlace() {
  const project = createProject();
  const scratch = path.join(path.dirname(project.folder), 'scratch');
  mkdirSync(scratch);
  const start = (args: readonly string[], { program = launcher, env = {} }: StartOptions = {}): Running =>
    follow(
      spawn(process.execPath, [program, 'selftest', ...args], {
        cwd: project.folder,
        env: { ...project.env, TMPDIR: scratch, ...env },
      }),
    );
  // The cache of compiled code belongs to Node.
  const left = () => readdirSync(scratch).filter((name) => name !== 'node-compile-cache');
  return { project, scratch, start, left };
}

/** A copy of the package with a fault in it. */
function plant(project: Project, from: RegExp, to: string): string {
  const copy = path.join(path.dirname(project.folder), 'package');
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
  }
  const texts = readdirSync(path.join(copy, 'dist'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.join(copy, 'dist', name))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
    .filter(({ text }) => from.test(text));
  // The library is bundled with the command line, so that each function stands in one file.
  expect(texts).toHaveLength(1);
  for (const { file, text } of texts) writeFileSync(file, text.replace(from, to));
  return path.join(copy, 'bin/ralphd.mjs');
}

test('the self-test passes on a sound build, and leaves no process, no folder and no loop', async () => {
  const { project, scratch, start, left } = createPlace();
  // Without "damage", which takes long for what test/crash covers in depth.
  const names = ['limit', 'kills', 'hang', 'liar', 'disk', 'gate', 'owners', 'sync'];
  const ended = await start(['--json', '--seed', '7', ...names.flatMap((name) => ['--only', name])]).ended;
  expect(rowsOf(ended).filter(({ result }) => result === 'failed')).toEqual([]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(rowsOf(ended).map(({ name }) => name)).toEqual(names);
  expect(jsonLines(ended.stdout)).toMatchObject([{ ok: true, seed: 7, durationMs: expect.any(Number) }]);
  expect(left()).toEqual([]);
  expect(processesAround(scratch)).toEqual([]);
  expect(readdirSync(project.folder)).toEqual([]);
});

test('where no disk can be mounted, a limit on the size of files takes its place, and the row says so', async () => {
  const { project, start, left } = createPlace();
  project.script('unshare', 'exit 1');
  const searchPath = [project.folder, project.env['PATH']].join(path.delimiter);
  const ended = await start(['--json', '--only', 'disk'], { env: { PATH: searchPath } }).ended;
  expect(rowsOf(ended)).toMatchObject([
    { name: 'disk', result: 'ok', remark: 'with a limit on the size of files instead: this user may not mount a disk' },
  ]);
  expect(left()).toEqual([]);
});

test('Ctrl-C ends the self-test and everything that it started, and removes its folder', async () => {
  const { scratch, start, left } = createPlace();
  const running = start(['--only', 'owners', '--only', 'hang']);
  await eventually(() => processesAround(scratch).length).toBeGreaterThan(3);
  running.signal('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toMatch(/\nInterrupted: everything was ended, and the temporary folder was removed\.\n$/);
  expect(left()).toEqual([]);
  expect(processesAround(scratch)).toEqual([]);
});

test.each([
  {
    fault: 'the journal is no longer synced',
    scenario: 'sync',
    from: /syncData:fdatasyncSync\b/u,
    to: 'syncData:()=>{}',
    finding: /^fact \d+ was acknowledged before it was synced to disk$/u,
  },
  {
    fault: 'the gate no longer vetoes a claim',
    scenario: 'liar',
    from: /isProven\(current\)\)return`verified`/u,
    to: 'current.gate)return`verified`',
    finding: /^an agent that claims without doing the work is believed: the loop is completed$/u,
  },
  {
    fault: 'the sweep is gone',
    scenario: 'hang',
    from: /async function killAll\(find\)\{/u,
    to: 'async function killAll(find){return [];',
    finding: /^the hidden process is still alive when the next iteration starts$/u,
  },
])('the self-test fails when $fault', async ({ scenario, from, to, finding }) => {
  const { project, scratch, start, left } = createPlace();
  const ended = await start(['--json', '--only', scenario], { program: plant(project, from, to) }).ended;
  expect(ended.code, ended.stdout + ended.stderr).toBe(1);
  expect(rowsOf(ended)).toMatchObject([{ name: scenario, result: 'failed', finding: expect.stringMatching(finding) }]);
  expect(left()).toEqual([]);
  expect(processesAround(scratch)).toEqual([]);
});
