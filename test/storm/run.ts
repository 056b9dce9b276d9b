import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runStorm } from '../support/storms.ts';
import { stormWithCommands } from './commands.ts';
import { stormNonces } from './nonces.ts';
import { storm } from './storm.ts';
import { letWriters } from './writers.ts';

/*
 * Kills a real ralphd repeatedly: `npm run storm`.
 *   npm run storm -- --kills 200 --seed 7
 * Or runs many processes on one loop, until there were this many attempts to own it:
 *   npm run storm -- --writers 300 --seed 7
 * Or sends commands from many processes to loops that run in parallel:
 *   npm run storm -- --commands 500 --loops 20 --seed 7
 * Or kills processes that write to an encrypted loop, until they have appended this many facts:
 *   npm run storm -- --nonces 1000000 --seed 7
 */
const { values } = parseArgs({
  options: {
    writers: { type: 'string' },
    commands: { type: 'string' },
    nonces: { type: 'string' },
    loops: { type: 'string' },
    seed: { type: 'string' },
  },
  strict: false,
});
if (typeof values.writers === 'string') await runWriters(Number(values.writers), Number(values.seed ?? 1));
else if (typeof values.commands === 'string') {
  await runCommands(Number(values.commands), Number(values.loops ?? 20), Number(values.seed ?? 1));
} else if (typeof values.nonces === 'string') await runNonces(Number(values.nonces), Number(values.seed ?? 1));
else
  await runStorm(200, async (options) => {
    const { killedAfter, acknowledged, refusedOwners, violations } = await storm(options);
    const summary = `${acknowledged} facts acknowledged, ${refusedOwners} second owners refused`;
    return { table: killedAfter, summary, violations };
  });

async function runWriters(attempts: number, seed: number): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-writers-'));
  const { calls, acknowledged, owners, refusedOwners, violations } = await letWriters({ folder, attempts, seed });
  console.table(calls);
  console.log(`${acknowledged} facts acknowledged by ${owners} owners, ${refusedOwners} refused beside them`);
  for (const violation of violations) console.log(`broken: ${violation}`);
  console.log(`${violations.length} violations`);
  if (violations.length === 0) await rm(folder, { recursive: true, force: true });
  else console.log(`the loop is left in ${folder}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function runCommands(commands: number, loops: number, seed: number): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-commands-'));
  const storm = { folder, loops, commands, senders: 4, seed };
  const { calls, medianMs, slowestMs, violations } = await stormWithCommands(storm);
  console.table(calls);
  console.log(`${loops} loops, ${commands} commands; a call took ${medianMs} ms (median), ${slowestMs} ms at most`);
  for (const violation of violations) console.log(`broken: ${violation}`);
  console.log(`${violations.length} violations`);
  if (violations.length === 0) await rm(folder, { recursive: true, force: true });
  else console.log(`the loops are left in ${folder}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

async function runNonces(appends: number, seed: number): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-nonces-'));
  const found = await stormNonces({ folder, appends, perWriter: 20_000, seed });
  console.log(`${found.appends} appends by ${found.killed} killed writers, ${found.restored} older copies put back`);
  console.log(`${found.frames} frames in files with ${found.keys} keys`);
  for (const repeated of found.repeated) console.log(`used twice: ${repeated}`);
  console.log(`${found.repeated.length} nonces used twice`);
  await rm(folder, { recursive: true, force: true });
  process.exitCode = found.repeated.length === 0 ? 0 : 1;
}
