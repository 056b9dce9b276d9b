import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFleet } from '../../src/fleet/index.ts';
import { endByMarker } from '../../src/process/index.ts';
import { createDatabase, describeWithPostgres } from '../support/postgres/shared.ts';
import { createProject, eventually, type Project, type Running } from '../support/project.ts';
import { serve } from '../support/server.ts';

const patient = { timeout: 150_000, interval: 1_000 };

interface ListedLoop {
  readonly loopId: string;
  readonly status: string;
  readonly iteration: number;
}

const result = (fields: object) =>
  JSON.stringify({ type: 'result', session_id: 's', usage: {}, total_cost_usd: 0, ...fields }).replaceAll("'", '');
const begin = JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: [] });

/** What each loop does: two commits of its own, one per iteration, and then the claim that it is done. */
const agent = [
  '[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit 0; }',
  'task=$(grep -o "story-[a-f]" | head -1)',
  `echo '${begin}'`,
  'if [ "$task" = story-f ] && mv "$STORY/limit" "$STORY/met" 2> /dev/null; then',
  '  echo "{\\"type\\":\\"rate_limit_event\\",\\"rate_limit_info\\":{\\"status\\":\\"rejected\\",\\"resetsAt\\":$(($(date +%s) + 5))}}"',
  `  echo '${result({ subtype: 'success', is_error: true, api_error_status: 429, result: 'You have hit your limit' })}'; exit 1`,
  'fi',
  'echo "$task" >> work.txt',
  'git add -A && git commit -qm "$task $(($(wc -l < work.txt)))"',
  'echo "$task $(($(wc -l < work.txt))) $(pwd | grep -o "machine [0-9]" | tail -c 2)" >> "$STORY/runs"',
  'echo scratch >> notes.txt',
  'sleep 0.5',
  `[ "$(wc -l < work.txt)" -lt 2 ] && { echo '${result({ subtype: 'success', is_error: false, result: 'More.' })}'; exit 0; }`,
  `touch done && git add -A && git commit -qm "$task done" && echo '${result({ subtype: 'success', is_error: false, result: '<promise>DONE</promise>' })}'`,
];

function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: '/usr/bin:/bin', GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@example.org', ...args], { cwd: folder, env })
    .toString()
    .trim();
}

/** One bare repository with the agent and the check of all loops. */
function createShared(project: Project): string {
  const seed = path.join(project.folder, 'seed');
  mkdirSync(seed);
  const put = (name: string, lines: readonly string[]) => {
    writeFileSync(path.join(seed, name), `${['#!/bin/sh', ...lines].join('\n')}\n`);
    chmodSync(path.join(seed, name), 0o755);
  };
  put('check.sh', ['test -f done']);
  git(seed, 'init', '-q', '-b', 'main');
  git(seed, 'add', '.');
  git(seed, 'commit', '-qm', 'first');
  const shared = path.join(project.folder, 'shared.git');
  git(project.folder, 'clone', '-q', '--bare', seed, shared);
  return shared;
}

describeWithPostgres('a fleet', () => {
  test('three workers carry six loops of three priorities and two accounts to a verified end, though a machine is lost and a limit is met', async () => {
    await using database = await createDatabase();
    const project = createProject();
    const shared = createShared(project);
    const story = path.join(project.folder, 'story');
    mkdirSync(story);
    project.script('claude', `STORY='${story}'`, ...agent);
    writeFileSync(path.join(story, 'limit'), '');
    const db = ['--db', database.url];
    expect(await project.ralphd('fleet', 'migrate', ...db)).toMatchObject({ code: 0 });
    await project.ralphd('fleet', 'account', 'two', '--max-loops', '2', ...db);

    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const [index, name] of names.entries()) {
      const how = ['--agent', 'claude', '--verify', './check.sh', '--delay', '0'];
      const where = ['--repo', shared, '--ref', 'main', '--account', index % 2 === 0 ? 'one' : 'two'];
      const which = ['--priority', String(Math.floor(index / 2) * 5), '--loop-id', `story-${name}`];
      const submitted = await project.ralphd('submit', `Do story-${name}.`, ...how, ...where, ...which, ...db);
      expect(submitted).toMatchObject({ code: 0, stderr: '' });
    }

    const markers = ['11111111', '22222222', '33333333'].map(
      (each) => `${each}-0000-4000-8000-${String(process.pid).padStart(12, '0')}`,
    );
    onTestFinished(async () => {
      for (const marker of markers) await endByMarker(marker);
    });
    const workers: Running[] = markers.map((marker, index) => {
      const folder = path.join(project.folder, `machine ${index}`);
      const search = `${project.folder}:${project.env['PATH']}`;
      const env = { RALPHD_ATTEMPT: marker, GIT_CONFIG_GLOBAL: '/dev/null', PATH: search, ...person };
      return project.start(['worker', ...db, '--trust', 'all', '--offer', 'claude', '--dir', folder], env);
    });
    const runs = () => readIfThere(path.join(story, 'runs'));
    // The second machine burns down in the middle of its work.
    await expect.poll(() => runs().some((line) => line.endsWith(' 2 1')), patient).toBe(true);
    workers[1]?.signal('SIGKILL');
    await endByMarker(markers[1] ?? '');
    rmSync(path.join(project.folder, 'machine 1'), { recursive: true, force: true, maxRetries: 10 });

    await using fleet = openFleet(database.url, { connections: 1 });
    await expect.poll(async () => (await fleet.status()).loops, { ...patient, interval: 200 }).toEqual([]);
    const { stdout } = await project.ralphd('ls', '--json', ...db);
    const { loops } = JSON.parse(stdout) as { readonly loops: readonly ListedLoop[] };
    expect(loops.map(({ status }) => status)).toEqual(names.map(() => 'completed'));

    for (const name of names) {
      const id = loops.find(({ loopId }) => loopId.includes(`story-${name}-`))?.loopId ?? '';
      await eventually(() => git(shared, 'log', '--format=%s', `ralphd/${id}`).split('\n')).toEqual([
        `story-${name} done`,
        ...[2, 1].map((run) => `story-${name} ${run}`),
        'first',
      ]);
      const events = (await project.ralphd('events', id, '--json', ...db)).stdout;
      expect(events).toContain('"type":"gate.finished"');
      // Only the loop that met the limit waited.
      expect(events.includes('"type":"wait.scheduled"')).toBe(name === 'f');
    }
    expect(readIfThere(path.join(story, 'met'))).toEqual([]);

    for (const index of [0, 2]) workers[index]?.signal('SIGTERM');
    for (const index of [0, 2]) expect(await workers[index]?.ended).toMatchObject({ code: 0 });
  }, 240_000);

  test('a loop that was paused from anywhere is resumed from anywhere, and the page shows and steers it too', async () => {
    await using database = await createDatabase();
    const project = createProject();
    const shared = createShared(project);
    const go = path.join(project.folder, 'go');
    project.script(
      'claude',
      '[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit 0; }',
      `echo '${begin}'`,
      `until [ -e '${go}' ]; do sleep 0.05; done`,
      `touch done && echo '${result({ subtype: 'success', is_error: false, result: '<promise>DONE</promise>' })}'`,
    );
    const db = ['--db', database.url];
    await project.ralphd('fleet', 'migrate', ...db);
    const how = ['--agent', 'claude', '--verify', './check.sh', '--delay', '0', '--loop-id', 'rest'];
    await project.ralphd('submit', 'Rest.', ...how, '--repo', shared, '--ref', 'main', ...db);
    const marker = `44444444-0000-4000-8000-${String(process.pid).padStart(12, '0')}`;
    onTestFinished(async () => void (await endByMarker(marker)));
    const search = `${project.folder}:${project.env['PATH']}`;
    const env = { RALPHD_ATTEMPT: marker, GIT_CONFIG_GLOBAL: '/dev/null', PATH: search, ...person };
    const folder = path.join(project.folder, 'machine');
    const worker = project.start(['worker', ...db, '--trust', 'all', '--offer', 'claude', '--dir', folder], env);
    const fleet = async () => {
      const { stdout } = await project.ralphd('fleet', 'status', '--json', ...db);
      const { loops } = JSON.parse(stdout) as { loops: { id: string; status: string; worker?: string | null }[] };
      return loops.map(({ status, worker: by }) => `${status}${by ? ' by a worker' : ''}`);
    };
    await expect
      .poll(async () => (await project.ralphd('events', 'rest', '--json', ...db)).stdout, patient)
      .toContain('"type":"agent.started"');

    const page = await serve(project, [...db, '--allow-control']);
    const [row] = (await page.get('/api/loops'))['loops'] as readonly { key: string; state: string }[];
    const loop = `/api/loops/${row?.key}`;
    expect(row?.state).toBe('running');
    expect(await page.get('/api/server')).toMatchObject({ control: true, starts: false });
    expect((await page.post('/api/loops', { task: 'x' })).json).toMatchObject({ error: { code: 'START_ELSEWHERE' } });
    const shown = await page.follow(`${loop}/events?after=0`);
    const factsShown = () => shown.messages.map(({ data }) => (data as { readonly type?: string } | null)?.type);
    expect(await page.post(`${loop}/commands`, { command: 'pause', now: true })).toMatchObject({ status: 200 });
    await expect.poll(fleet, patient).toEqual(['paused']);
    await expect.poll(factsShown, patient).toContain('loop.paused');
    expect((await page.post(`${loop}/resume`, { force: true })).json).toMatchObject({
      error: { code: 'REQUEST_INVALID' },
    });
    expect(await page.post(`${loop}/resume`, {})).toMatchObject({ status: 200, json: { loopId: row?.key } });
    await expect.poll(factsShown, patient).toContain('loop.resumed');
    expect(await project.ralphd('pause', 'rest', '--now', ...db)).toMatchObject({ code: 0 });
    await expect.poll(fleet, patient).toEqual(['paused']);

    writeFileSync(go, '');
    expect(await project.ralphd('resume', 'rest', '-n', '3', ...db)).toMatchObject({ code: 64 });
    expect(await project.ralphd('resume', 'rest', ...db)).toMatchObject({ code: 0, stderr: '' });
    await expect.poll(fleet, patient).toEqual([]);
    expect((await project.ralphd('status', 'rest', '--json', ...db)).stdout).toContain('"status":"completed"');
    await expect.poll(factsShown, patient).toContain('loop.ended');
    // What the agent wrote stays on its worker; nothing of this machine is shown in its place.
    for (const address of [
      'iterations/1',
      'iterations/1/transcript',
      'iterations/1/diff',
      'diff',
      'search?q=x',
      'report',
    ]) {
      expect([address, (await page.ask(`${loop}/${address}`)).status]).toEqual([
        address,
        expect.toBeOneOf([200, 404, 409]),
      ]);
    }
    expect(await project.ralphd('resume', 'rest', ...db)).toMatchObject({ code: 64 });
    worker.signal('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
  }, 240_000);
});

const person = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

function readIfThere(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return ['missing'];
  }
}
