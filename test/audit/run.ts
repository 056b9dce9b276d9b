import { parseArgs } from 'node:util';
import { bugs } from './bugs/all.ts';
import { createHunter, type Finding } from './hunt.ts';
import { pending } from './pending.ts';
import type { PlantedBug } from './planted-bug.ts';
import { openRecord } from './record.ts';

/*
 * Plants a bug against each requirement and runs the tests that have to notice it: `npm run audit`.
 *   npm run audit -- --only A078    the bugs of one requirement (repeatable)
 *   npm run audit -- --fresh        all bugs again, also those that were caught in an earlier run over the same code
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    jobs: { type: 'string', default: '2' },
    fresh: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const record = openRecord(values.fresh || values.only !== undefined);
  const chosen = bugs.filter(({ requirement }) => values.only?.includes(requirement) ?? true);
  const left = chosen.filter((bug) => !record.wasCaught(bug));
  const findings: Finding[] = [];
  const queue = [...Map.groupBy(left, ({ test }) => test).values()];
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => work(queue, note)));

  const caught = chosen.length - left.length + findings.filter(({ result }) => result === 'caught').length;
  console.log(`${caught} of ${chosen.length} planted bugs are caught.`);
  if (values.only === undefined)
    for (const { requirement, waitsFor } of pending) console.log(`pending   ${requirement}  waits for ${waitsFor}`);
  return caught === chosen.length ? 0 : 1;

  function note(finding: Finding): void {
    findings.push(finding);
    record.add(finding);
    const { requirement, bug, result, details } = finding;
    console.log(`${result.padEnd(9)} ${requirement}  ${bug}`);
    if (details !== undefined && (values.verbose || result !== 'caught')) console.log(`          ${details}`);
  }
}

async function work(queue: (readonly PlantedBug[])[], onFinding: (finding: Finding) => void): Promise<void> {
  if (queue.length === 0) return;
  await using hunter = await createHunter();
  for (let group = queue.shift(); group !== undefined; group = queue.shift()) await hunter.hunt(group, onFinding);
}
