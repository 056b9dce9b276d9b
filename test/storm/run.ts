import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { storm } from './storm.ts';

/*
 * Kills a real ralphd again and again: `npm run storm`.
 *   npm run storm -- --kills 200 --seed 7
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-storm-'));
console.log(`seed ${values.seed}, ${values.kills} kills`);
const report = await storm({ folder, kills: Number(values.kills), seed: Number(values.seed) });
console.table(report.killedAfter);
console.log(`${report.acknowledged} facts acknowledged, ${report.refusedOwners} second owners refused`);
for (const violation of report.violations) console.log(`broken: ${violation}`);
console.log(`${report.violations.length} violations`);
if (report.violations.length === 0) await rm(folder, { recursive: true, force: true });
else console.log(`the loop is left in ${folder}`);
process.exitCode = report.violations.length === 0 ? 0 : 1;
