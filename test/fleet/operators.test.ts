import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseCommandLine } from '../../src/cli/parse.ts';
import { useEmptyFleet } from '../support/postgres/fleet.ts';
import { createDatabase, describeWithPostgres } from '../support/postgres/shared.ts';
import { createProject } from '../support/project.ts';

interface Row {
  readonly name: string;
  readonly level: string;
  readonly what: string;
  readonly fix?: string;
}

describeWithPostgres('what an operator asks of a fleet', () => {
  const world = useEmptyFleet();

  test('the doctor finds what is wrong with a real database, and each fix is a command that exists', async () => {
    const project = createProject();
    await world.joinAs('w', { trust: ['all'], nowMs: Date.now() - 3_600_000 });
    await world.join('11111111-gone');
    await world.fleet.lose('11111111-gone');
    await world.submit('dead');
    await world.submit('alien', { agent: 'gemini' });
    await world.execute("update ralphd.loops set status = 'held', why = 'its worker died 5 times' where id = 'dead'");
    await world.fleet.limitAccount('pro', { blockedUntil: new Date(Date.now() + 3_600_000).toISOString() });
    const { code, stdout } = await project.ralphd('doctor', '--db', world.url, '--json');
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Row[] };
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    // The server of the tests syncs nothing, and they are its administrator.
    expect(checks.filter(({ level }) => level !== 'ok').map(({ name, level }) => `${level} ${name}`)).toEqual([
      'warning rights',
      'problem safety',
      'problem safety',
      'warning clocks',
      'warning workers',
      'problem queue',
      'problem set aside',
      'warning accounts',
    ]);
    const words = (line: string) => line.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
    const ours = checks.flatMap(({ fix = '' }) => (fix.startsWith('ralphd ') ? [words(fix).slice(1)] : []));
    expect(ours).toHaveLength(4);
    for (const line of ours) {
      const parsed = parseCommandLine(line);
      const { command, args } = 'invocation' in parsed ? parsed.invocation : expect.unreachable();
      if (command.name === 'fleet') expect(command.words).toContain(args[0]);
    }

    for (const line of ours.filter(([name]) => name === 'fleet')) {
      expect(await project.ralphd(...line, '--db', world.url)).toMatchObject({ code: 0, stderr: '' });
    }
    const after = await project.ralphd('doctor', '--db', world.url);
    expect(after.stdout).toContain('✗ fleet checked, 3 problems, 2 warnings');
    expect(after.stdout).not.toMatch(/set aside|blocked|lost/);
  });

  test('the doctor says of a database that is away, or that holds no fleet, what to do', async () => {
    const project = createProject();
    await using empty = await createDatabase();
    const { code, stdout } = await project.ralphd('doctor', '--db', empty.url);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ database  The database');
    expect(stdout).toContain('ralphd fleet migrate');
    const unknown = await project.ralphd('doctor', '--db', `${world.url}_none`, '--json');
    expect(JSON.parse(unknown.stdout)).toMatchObject({ ok: false, checks: [{ name: 'database', level: 'problem' }] });
  });

  test('old loops are listed first and removed only with --yes; how long they are kept can be set', async () => {
    const project = createProject();
    const db = ['--db', world.url];
    await world.join('w');
    await world.submit('old');
    await world.finish('w', 'old');
    await world.execute("update ralphd.loops set ended_at = now() - interval '40 days'");
    expect(await project.ralphd('fleet', 'prune', ...db)).toMatchObject({ code: 64 });
    expect(await project.ralphd('fleet', 'prune', '--older-than', '0', ...db)).toMatchObject({ code: 64 });
    const prune = ['fleet', 'prune', '--older-than', '30d', ...db];
    const listed = await project.ralphd(...prune);
    expect(listed.stdout).toContain('Would remove 1 loop');
    expect(JSON.parse((await project.ralphd(...prune, '--json')).stdout)).toMatchObject({
      isDone: false,
      removed: [{ loop: 'old', facts: 2 }],
    });
    expect((await project.ralphd(...prune, '--yes')).stdout).toContain('Removed 1 loop');
    expect((await project.ralphd(...prune)).stdout).toContain('Nothing to remove');
    expect((await project.ralphd('fleet', 'keep', '90d', ...db)).stdout).toContain('90d after their end');
    expect(await project.ralphd('fleet', 'keep', 'soon', ...db)).toMatchObject({ code: 64 });
    await project.ralphd('fleet', 'keep', 'forever', ...db);
    expect((await world.fleet.status()).keep).toBeNull();
  });

  test('submitting refuses a loop that is to be encrypted, and says which settings do nothing on a worker', async () => {
    const project = createProject();
    writeFileSync(path.join(project.folder, 'ralphd.yml'), 'worktree: true\nstateDir: .loops\n');
    const submit = async (env: NodeJS.ProcessEnv) =>
      await project.ralphdWith(env, [
        'submit',
        'Fix it.',
        '--repo',
        'https://git.example.org/a.git',
        '--db',
        world.url,
      ]);
    const encrypted = await submit({ RALPHD_PERSISTENCE_ENCRYPT: 'true' });
    expect(encrypted).toMatchObject({ code: 78, stdout: '' });
    expect(encrypted.stderr).toContain('FLEET_SETTING');
    expect((await world.fleet.status()).loops).toEqual([]);
    const submitted = await submit({});
    expect(submitted.code).toBe(0);
    expect(submitted.stderr.match(/The setting "\w+" has no effect/g)).toHaveLength(2);
  });

  test('the overview as JSON has the same fields for every loop, worker and account', async () => {
    await world.join('w');
    await world.submit('a', { account: 'pro' });
    await world.fleet.limitAccount('pro', { most: 1 });
    const { stdout } = await createProject().ralphd('fleet', 'status', '--json', '--db', world.url);
    const { workers, loops, accounts } = JSON.parse(stdout) as Record<string, readonly object[]>;
    const fields = [workers, loops, accounts].map((rows) =>
      Object.keys(rows?.[0] ?? {})
        .toSorted()
        .join(' '),
    );
    expect(fields).toMatchInlineSnapshot(`
      [
        "accounts agents capacity clockAheadMs draining host id isLost labels loops lostAt pid startedAt ticksSilent trust version",
        "account agent byPerson commands crashes epoch facts id labels lacks ownedSince priority queuedAt repository status submittedAt submittedBy title wakeAt why worker",
        "atOnce blockedUntil blockedWhy most name reserve used",
      ]
    `);
  });
});
