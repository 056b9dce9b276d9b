import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { identityOf, isAlive, type ProcessIdentity } from './identity.ts';
import { endByIdentity, endByMarker, findByMarker } from './reap.ts';
import { runToEnd } from './run-to-end.ts';
import { signalProcess } from './signals.ts';
import { type SuperviseOptions, supervise } from './supervise.ts';

const stubborn = path.join(import.meta.dirname, 'fixtures/stubborn-agent.sh');
const polite = path.join(import.meta.dirname, 'fixtures/polite-agent.sh');

/** Has a supervisor of its own start the command and then die by SIGKILL; returns who was left and what it prints. */
async function abandon(marker: string, command: readonly string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-reap-'));
  onTestFinished(async () => {
    await endByMarker(marker);
    rmSync(folder, { recursive: true });
  });
  const options: SuperviseOptions = {
    command,
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    marker,
    stdoutPath: path.join(folder, 'stdout'),
    stderrPath: path.join(folder, 'stderr'),
  };
  const program = `
    import { writeFileSync } from 'node:fs';
    import { supervise } from ${JSON.stringify(path.join(import.meta.dirname, 'supervise.ts'))};
    const onStarted = (identity) => {
      writeFileSync('identity.json', JSON.stringify(identity));
      process.kill(process.pid, 'SIGKILL');
    };
    await supervise({ ...${JSON.stringify(options)}, onStarted });`;
  const killed = await superviseAlone([process.execPath, '--input-type=module', '-e', program], folder);
  expect(killed).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  const identity = JSON.parse(readFileSync(path.join(folder, 'identity.json'), 'utf8')) as ProcessIdentity;
  return { identity, stdout: () => readFileSync(options.stdoutPath, 'utf8') };
}

async function superviseAlone(command: readonly string[], cwd: string) {
  const { ending } = await runToEnd({ command, cwd, env: { PATH: '/usr/bin:/bin' } });
  return ending;
}

test('an agent left by a killed ralphd is found and ended by its identity, with all it hid', async () => {
  const marker = randomUUID();
  const { identity } = await abandon(marker, [stubborn]);
  await expect.poll(() => findByMarker(marker)).toHaveLength(3);
  expect(isAlive(identity)).toBe(true);
  expect(await endByIdentity(identity, marker, 50)).toEqual([]);
  expect(isAlive(identity)).toBe(false);
  expect(findByMarker(marker)).toEqual([]);
});

test('an agent left by a killed ralphd has its grace too', async () => {
  const marker = randomUUID();
  const { identity, stdout } = await abandon(marker, [polite]);
  await expect.poll(stdout).toBe('ready\n');
  expect(await endByIdentity(identity, marker, 3_600_000)).toEqual([]);
  expect(stdout()).toBe('ready\nsaved\n');
});

test('a process that was given the number of another one is not touched', async () => {
  const marker = randomUUID();
  const { identity, stdout } = await abandon(marker, [polite]);
  await expect.poll(stdout).toBe('ready\n');
  const former = { ...identity, startTime: '1' };
  expect(await endByIdentity(former, randomUUID(), 50)).toEqual([]);
  signalProcess({ ...former, groupId: former.pid, zombie: false }, 'SIGKILL');
  // Had one of these reached it, it could not say this any more, or would have said it before.
  expect(stdout()).toBe('ready\n');
  await endByIdentity(identity, marker, 3_600_000);
  expect(stdout()).toBe('ready\nsaved\n');
});

test('everything that carries a marker is ended, and nothing that carries another', async () => {
  const marker = randomUUID();
  const other = randomUUID();
  await abandon(marker, [stubborn]);
  const { identity: bystander } = await abandon(other, ['sleep', '600']);
  await expect.poll(() => findByMarker(marker)).toHaveLength(3);
  expect(await endByMarker(marker)).toEqual([]);
  expect(findByMarker(marker)).toEqual([]);
  expect(isAlive(bystander)).toBe(true);
});

test('a marker that is the beginning of another one is not mistaken for it', async () => {
  const marker = randomUUID();
  const longer = `${marker}-2`;
  await abandon(longer, ['sleep', '600']);
  await expect.poll(() => findByMarker(longer)).toHaveLength(1);
  expect(findByMarker(marker)).toEqual([]);
});

test('a process that is gone needs no ending', async () => {
  const marker = randomUUID();
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-reap-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { stdoutPath: path.join(folder, 'stdout'), stderrPath: path.join(folder, 'stderr') };
  const run = await supervise({ command: ['true'], cwd: folder, env: {}, marker, ...files });
  const { identity } = run;
  expect(identity && identityOf(identity.pid)).toBeUndefined();
  expect(identity && (await endByIdentity(identity, marker, 3_600_000))).toEqual([]);
});
