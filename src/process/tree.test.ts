import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { identityOf } from './identity.ts';
import { createPulse } from './pulse.ts';
import { runToEnd } from './run-to-end.ts';
import { createAttempt } from './testing/attempt.ts';
import { createTree, type ProcessTree } from './tree.ts';

/** A tree around an agent that is already running. */
async function runWith(script: string) {
  const { options, folder, read } = createAttempt(script);
  const running = runToEnd(options);
  await expect.poll(() => existsSync(path.join(folder, 'ready'))).toBe(true);
  const self = identityOf(Number(read('self')));
  if (self === undefined) throw new Error('the agent is missing');
  const clock = { now: 0 };
  const go = () => writeFileSync(path.join(folder, 'go'), '');
  return { tree: createTree(self, () => clock.now), clock, go, running, read };
}

test('a process once found below an agent is still known after it left the tree and its environment', async () => {
  const escape = 'env -i setsid sh -c "echo \\$\\$ > escaped; exec sleep 600" > /dev/null 2>&1';
  const { tree, go, running, read } = await runWith(
    `echo $$ > self; (exec ${escape}) & until [ -s escaped ]; do :; done; touch ready; until [ -e go ]; do sleep 0.01; done`,
  );
  const escaped = Number(read('escaped'));
  tree.refresh();
  expect(tree.running().map(({ pid }) => pid)).toContain(escaped);
  go();
  await running;
  expect(tree.running().map(({ pid }) => pid)).toEqual([escaped]);
  process.kill(escaped, 'SIGKILL');
  await expect.poll(() => tree.running()).toEqual([]);
});

test('processor time is counted for the whole tree, including children that came and went', async () => {
  const work = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';
  const { tree, go, running } = await runWith(
    `echo $$ > self; touch ready; until [ -e go ]; do sleep 0.01; done; sh -c '${work}'; touch worked; sleep 600`,
  );
  tree.refresh();
  const before = tree.cpuMs();
  go();
  const used = () => {
    tree.refresh();
    return tree.cpuMs() - before;
  };
  await expect.poll(used).toBeGreaterThan(20);
  tree.running().forEach(({ pid }) => process.kill(pid, 'SIGKILL'));
  await running;
});

test('R19: work of at least a twentieth of a processor is a sign of life, less is none', () => {
  const clock = { now: 0, cpuMs: 0 };
  const tree: ProcessTree = { refresh: () => {}, cpuMs: () => clock.cpuMs, known: () => [], running: () => [] };
  const pulse = createPulse({ tree, idleMs: 10_000, now: () => clock.now });
  const after = (now: number, cpuMs: number) => {
    Object.assign(clock, { now, cpuMs });
    return pulse();
  };
  expect([after(999, 900), after(1_000, 49), after(2_000, 99), after(3_000, 148)]).toEqual([0, 0, 1, 1]);
});

test('R19: a sign of life that the caller defines counts when it changes, and a failure to read it does not', async () => {
  const signs = ['a', 'a', undefined, 'b'];
  let asked = 0;
  const signOfLife = async () => {
    const sign = signs[asked++];
    if (sign === undefined) throw new Error('cannot tell');
    return sign;
  };
  const clock = { now: 0 };
  const tree: ProcessTree = { refresh: () => {}, cpuMs: () => 0, known: () => [], running: () => [] };
  const pulse = createPulse({ tree, idleMs: 100, signOfLife, now: () => clock.now });
  pulse();
  const beats: number[] = [];
  for (let round = 1; round <= 4; round += 1) {
    await new Promise(setImmediate);
    clock.now += 10;
    beats.push(pulse());
  }
  expect(beats).toEqual([0, 0, 0, 1]);
});

test('a refresh that took long is not repeated at once', () => {
  const now = { value: 0 };
  const self = identityOf(process.pid);
  if (self === undefined) throw new Error('this process is missing');
  let readings = 0;
  const tree = createTree(self, () => (readings++ % 2 === 1 ? (now.value += 10) : now.value));
  tree.refresh();
  const after = readings;
  tree.refresh();
  expect(readings).toBe(after + 1);
  now.value += 500;
  tree.refresh();
  expect(readings).toBeGreaterThan(after + 2);
});
