import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stormFleet } from './storm.ts';

/*
 * Lets faults happen to a fleet of real workers: `npm run fleet-storm`.
 *   npm run fleet-storm -- --faults 500 --seed 7
 */
const { values } = parseArgs({ options: { faults: { type: 'string' }, seed: { type: 'string' } } });
const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-fleet-storm-'));
let number = 0;
const since = performance.now();
const { played, violations, pace, ...figures } = await stormFleet({
  folder,
  faults: Number(values.faults ?? 40),
  seed: Number(values.seed ?? 1),
  // Most of the fleet works most of the time.
  atOnce: 2,
  onFault: (name) => console.log(`${(number += 1)} ${((performance.now() - since) / 1_000).toFixed(1)} s ${name}`),
});
console.table(played);
console.table(figures);
console.table(pace);
const slow = [
  ...(pace.quiet.slowest > 12 ? [`a takeover took ${pace.quiet.slowest} s`] : []),
  ...(pace.withDatabaseFaults.slowestOfItsOwn > 14
    ? [`a takeover took ${pace.withDatabaseFaults.slowestOfItsOwn} s beyond the time for which the database was down`]
    : []),
];
const broken = [...violations, ...slow];
for (const violation of broken.slice(0, 50)) console.log(`broken: ${violation}`);
console.log(`${broken.length} violations`);
if (broken.length === 0) await rm(folder, { recursive: true, force: true });
else console.log(`everything is left in ${folder}`);
process.exitCode = broken.length === 0 ? 0 : 1;
