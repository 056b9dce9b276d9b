import { expect, test } from 'vitest';
import type { FilePort } from '../../src/files/index.ts';
import { rot } from './harness/bit-rot.ts';
import { runSuite } from './harness/suite.ts';
import { sweep } from './harness/sweep.ts';
import { encryptedSubject } from './oracle/encrypted.ts';
import { statesOf } from './report/tables.ts';
import { played, scenarios } from './scenarios/scenarios.ts';

// `npm run reliability -- --encrypted` does this with every scenario, bit and call.

test.for(['snapshots and new segments', 'an agent that deletes the state of its loop'])(
  'A115, A130: an encrypted loop survives a crash anywhere: %s',
  (only) => {
    const rows = runSuite({ subject: encryptedSubject(), seed: 20261118, states: 100, only });
    expect(rows.flatMap((row) => row.violations.map(({ what, point }) => `${point}: ${what}`))).toEqual([]);
    expect(statesOf(rows)).toBeGreaterThan(300);
  },
);

test('A115, A132: a flipped bit, a cut, a mixed block or an inserted line in any file of an encrypted loop is detected', () => {
  const rows = rot({ subject: encryptedSubject(), bytes: 600, isQuick: true, every: 5 });
  expect(rows.flatMap((row) => row.violations)).toEqual([]);
  expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['key.json', 'journal segment']));
});

test('A115, A121: whichever call fails, an encrypted loop loses nothing that was acknowledged', () => {
  const name = 'make a loop and record facts';
  for (const scenario of scenarios.filter((each) => each.name === name)) {
    expect(sweep(scenario, { subject: encryptedSubject(), isQuick: true }).violations).toEqual([]);
  }
});

test('A115: in every scenario of crashes, failed writes and takeovers, no nonce is used twice with one key', () => {
  const frames = new Map<string, string>();
  for (const scenario of scenarios) {
    const subject = encryptedSubject(scenario.name);
    played(scenario, { ...subject, wrap: (files) => noteFrames(files, frames) });
  }
  expect(frames.size).toBeGreaterThan(300);
});

/** Remembers what was sealed with each salt and number, and fails if it was anything else before. */
function noteFrames(files: FilePort, frames: Map<string, string>): FilePort {
  const salts = new Map<number, string>();
  return {
    ...files,
    create(place) {
      const file = files.create(place);
      salts.delete(file);
      return file;
    },
    write(file, bytes) {
      for (const line of Buffer.from(bytes).toString('latin1').split('\n')) {
        const salt = /"salt":"([^"]+)"/.exec(line)?.[1];
        if (salt !== undefined) salts.set(file, salt);
        const [, n, box] = /^\{"n":(\d+),.*"box":"([^"]+)"/.exec(line) ?? [];
        if (n === undefined || box === undefined) continue;
        const name = `${salts.get(file) ?? ''} ${n}`;
        expect(frames.get(name) ?? box).toBe(box);
        frames.set(name, box);
      }
      return files.write(file, bytes);
    },
  };
}
