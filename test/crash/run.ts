import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { rot } from './harness/bit-rot.ts';
import { type Finding, runSuite } from './harness/suite.ts';
import { sweep } from './harness/sweep.ts';
import { mutants } from './mutants/all.ts';
import { hunt } from './mutants/hunt.ts';
import { encryptedSubject } from './oracle/encrypted.ts';
import { realSubject } from './oracle/subject.ts';
import { countFailures, encryptedIn, encryptedLinesOf, pageOf, type Results, withEncrypted } from './report/page.ts';
import { crashTable, mutantTable, rotTable, sweepTable } from './report/tables.ts';
import { scenarios } from './scenarios/scenarios.ts';

const usage = `Crashes the store everywhere, fails its calls, rots its files, and plants bugs to see that this is noticed.

  npm run reliability -- [--states 1000000] [--bits 200000] [--seed N] [--write]
      --states N   about so many states after crashes
      --bits N     flips every bit of so many bytes
      --seed N     the same seed and number of states give the same images; 1 if left out
      --write      refreshes docs/reliability.md
      --encrypted  the same with encrypted loops, without planted bugs; --write refreshes only what the page says about them
      --steps LIST some of crashes, calls and bits, with --encrypted: the three take their time, and can run side by side
      --only NAME  crashes one scenario alone and shows what led to a violation`;

const { values } = parseArgs({
  options: {
    states: { type: 'string', default: '1000000' },
    bits: { type: 'string', default: '200000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    encrypted: { type: 'boolean', default: false },
    steps: { type: 'string', default: 'crashes,calls,bits' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const steps = values.steps.split(',');
const subject = values.encrypted ? encryptedSubject() : realSubject;

if (values.help) console.log(usage);
else process.exitCode = main();

function main(): number {
  const [states, bits, seed] = [values.states, values.bits, values.seed].map(wholeNumber);
  const isKnown = steps.every((step) => ['crashes', 'calls', 'bits'].includes(step));
  if (
    states === undefined ||
    bits === undefined ||
    seed === undefined ||
    !isKnown ||
    (steps.length < 3 && !values.encrypted)
  ) {
    console.error(usage);
    return 64;
  }
  return values.only === undefined ? everything({ states, bits, seed }) : one(values.only, { states, seed });
}

function everything({ states, bits, seed }: { states: number; bits: number; seed: number }): number {
  const crashes = timed('crashes', () => runSuite({ subject, seed, states }));
  if (crashes.length > 0) console.log(`${crashTable(crashes)}\n`);
  for (const finding of crashes.flatMap((row) => row.violations).slice(0, 5)) explain(finding, seed);
  const caught = values.encrypted ? [] : timed('planted bugs', () => mutants.map(hunt));
  if (caught.length > 0) console.log(`${mutantTable(caught)}\n`);
  const sweeps = timed('calls', () => scenarios.map((scenario) => sweep(scenario, { subject })));
  if (sweeps.length > 0) console.log(`${sweepTable(sweeps)}\n`);
  for (const { scenario, violations } of sweeps) {
    for (const { what, call, fault } of violations.slice(0, 3))
      console.log(`${scenario}, call ${call}, ${fault}: ${what}`);
  }
  const rotten = timed('bits', () => rot({ subject, bytes: bits }));
  if (rotten.length > 0) console.log(`${rotTable(rotten)}\n`);
  for (const what of rotten.flatMap((row) => row.violations).slice(0, 10)) console.log(what);

  const which = `${values.encrypted ? '--encrypted ' : ''}${steps.length < 3 ? `--steps ${steps.join()} ` : ''}`;
  const command = `npm run reliability -- ${which}--states ${states} --bits ${bits} --seed ${seed} --write`;
  const results: Results = { command, crashes, mutants: caught, sweeps, rot: rotten };
  if (values.write) writePage(results);
  const failures = countFailures(results);
  console.log(`${failures} broken promises, seed ${seed}`);
  return failures === 0 ? 0 : 1;
}

function writePage(results: Results): void {
  const file = path.join(import.meta.dirname, '../../docs/reliability.md');
  const page = readFileSync(file, 'utf8');
  const text = values.encrypted ? withEncrypted(page, encryptedLinesOf(results)) : pageOf(results, encryptedIn(page));
  writeFileSync(file, text);
}

function one(only: string, { states, seed }: { states: number; seed: number }): number {
  const rows = runSuite({ subject, seed, states, only });
  console.log(`${crashTable(rows)}\n`);
  const found = rows.flatMap((row) => row.violations);
  for (const finding of found.slice(0, 3)) explain(finding, seed);
  return found.length === 0 && rows.length > 0 ? 0 : 1;
}

function explain({ what, scenario, model, point, choice, trace }: Finding, seed: number): void {
  console.log(`${scenario}, ${model}, crash after operation ${point}, choice ${choice.join()}: ${what}`);
  for (const [at, operation] of trace.operations.slice(0, point).entries()) {
    const from = 'from' in operation ? `${operation.from} -> ` : '';
    const bytes = 'bytes' in operation ? ` (${operation.bytes.byteLength} bytes)` : '';
    console.log(`  ${String(at + 1).padStart(3)} ${operation.kind} ${from}${operation.path}${bytes}`);
  }
  console.log(
    `  again: npm run reliability -- ${values.encrypted ? '--encrypted ' : ''}--seed ${seed} --only "${scenario}"\n`,
  );
}

/** The rows of one step, or none if it is not to run. */
function timed<Row>(what: string, step: () => readonly Row[]): readonly Row[] {
  if (what !== 'planted bugs' && !steps.includes(what)) return [];
  const startedMs = performance.now();
  const rows = step();
  console.log(`${what}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  return rows;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,10}$/u.test(text) ? Number(text) : undefined;
}
