import type { RotRow } from '../harness/bit-rot.ts';
import type { SuiteRow } from '../harness/suite.ts';
import type { SweepTally } from '../harness/sweep.ts';
import type { Catch } from '../mutants/hunt.ts';
import { crashTable, mutantTable, rotTable, statesOf, sweepTable } from './tables.ts';

/** Everything that one run of the command found. */
export interface Results {
  readonly command: string;
  readonly crashes: readonly SuiteRow[];
  readonly mutants: readonly Catch[];
  readonly sweeps: readonly SweepTally[];
  readonly rot: readonly RotRow[];
}

/** How many promises were broken, planted bugs that nobody noticed included. */
export function countFailures({ crashes, mutants, sweeps, rot }: Results): number {
  const broken = [...crashes, ...sweeps, ...rot].reduce((sum, row) => sum + row.violations.length, 0);
  return broken + mutants.filter(({ by }) => by === undefined).length;
}

/** The page about reliability, with the figures of one run. */
export function pageOf(results: Results): string {
  const { command, crashes, mutants, sweeps, rot } = results;
  const killed = mutants.filter(({ by }) => by !== undefined).length;
  const flips = rot.reduce((sum, row) => sum + row.flips, 0);
  return `# Reliability

This page is written by \`${command}\`; do not edit it by hand.

${count(statesOf(crashes))} states after a crash, ${count(flips)} flipped bits and every failing call: ${count(countFailures(results))} broken promises. ${killed} of ${mutants.length} planted bugs noticed.

## What is promised

1. A fact that was acknowledged is there after any crash: a killed process, a dead machine, a power cut.
2. What is there is a beginning of what was recorded: no holes, no other order, nothing that nobody wrote.
3. Damage is put right or reported, and damaged bytes are kept. A crash alone never makes a loop unusable.
4. Recovering twice gives the same as recovering once, also when the recovery itself is interrupted.
5. A call that the system refuses ends in a failure with a code and leaves what was acknowledged as it was.

## What is assumed of the disk

- After \`fsync\` or \`fdatasync\` returned without an error, the bytes of that file survive. After an \`fsync\` of a folder its names survive.
- A rename replaces its target in one step: the old file or the new one, never neither.
- A sync that failed says nothing about what was written before it, and the next sync does not make up for it.
- Bytes change behind our back only by damage, which the checksums find: a chained CRC-32 in each line of the journal, one in each snapshot.

What nothing on the disk can tell:

- A newest segment that damage cuts exactly at the end of a line looks like a loop that had not got further. It is counted below as "an earlier state".
- Files without a checksum of their own (\`owner.json\`, commands in the inbox, an attempt's files) are not part of the recorded state; a change in them has no effect on it.
- Journals of the first releases do not say whose they are: a whole one of another loop, put in the place of this one's by hand, is sound in itself, and only a snapshot tells it apart. Every segment that is written since then names its loop, and one that names another is damage.
- The copy of a journal outside the work tree is not synced line by line. A power cut in the moment between an agent's harm to the state and its repair may take both.

## How it is tested

**Crashes.** The store does everything to a disk through one port. Scenarios run on a disk in memory that records each change, each sync and each acknowledgement; a test compares that record with the system calls of a real process. After every single operation the power goes, and every image that the disk may then hold is built, under three models:

- *ordered*: everything up to the crash, the last write cut off anywhere. Also what a killed process leaves.
- *ext4-like*: names are saved in order; bytes that were not synced may be missing, so that a file can be empty under its new name.
- *weak*: of everything that was not synced any selection is saved: names missing or old, sectors of 512 and 4096 bytes lost, zeroed, out of order or filled with old content, files longer than their bytes.

*Guarded* loops have a second copy of their journal outside the work tree. There, an agent also deletes or edits the state, before, between and in the middle of the owner's own calls, or while no process runs the loop; copies are out of date or damaged; owners die while they copy and while they put back. Then every acknowledged fact must be there from the state or its copy, a copy must never win over newer sound state, and where an append finds harm it must put it right and go on. Between harm and repair only killed processes are tried, not power cuts.

Above a limit per operation a selection is taken that the seed fixes. On every image the real recovery runs: read, open, die, open again, append, read; on every fourth also a snapshot. Then crashes *in the recovery* start from these images. An image that comes up again in a scenario is recovered once, but counts as a state each time, because what was acknowledged may differ; "distinct images" counts it once.

${crashTable(crashes)}

**Planted bugs.** The same harnesses must notice each of these bugs.

${mutantTable(mutants)}

**Failing calls.** Each scenario is played once for each call that it makes to the disk and each way it can fail: EIO, ENOSPC, EROFS, EACCES, EMFILE, EDQUOT, a short write, a torn write. A failed sync loses the bytes. Guarded loops, whose lives are long, meet EIO and one of the others in turn at each call. Afterwards the loop is opened on a healthy disk; after EIO in a change or a sync also after a power cut.

${sweepTable(sweeps)}

**Bit rot.** Each bit of the files of many small loops is flipped, each file cut to each length, blocks of 512 bytes zeroed, doubled and swapped, lines of another loop put in. Each change is noticed, or the loop reads exactly as before; copies are tried both beside sound state and as all that is left. A registry, whatever its bytes, can be made anew from the loops, and a damaged one is kept.

${rotTable(rot)}

**Real processes.** Two commands do the same to the program as it is installed, on a real disk, and print what they found:

- \`npm run storm\` kills a runner with SIGKILL 200 times, at random moments, and lets the next one take over. Every fact that was printed must be in the journal, no two agents may meet, the loop must load after each kill and reach its end. The tests do it 20 times.
- \`npm run storm -- --writers 300\` lets runners that take one loop over from each other, pauses, backups, \`gc\`, \`doctor\`, \`status\` and a second \`run\` with the same id loose on that loop, all at once, until there were so many attempts to own it. Numbers of lines must have no gaps and epochs only rise; every owner must have an epoch of its own and find all it acknowledged; agents must never overlap; every backup must be restorable. The tests do it with 12 attempts.

## How to see a violation again

The command prints the seed, the scenario and the operation at which the crash came. \`npm run reliability -- --seed SEED --only "SCENARIO"\` repeats that scenario alone and shows the operations before the crash. The same seed and the same number of states give the same images.
`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
