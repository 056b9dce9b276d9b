import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migrateFleet, openFleet, parseFleetAddress } from '../../../src/fleet/index.ts';
import { createDatabase, describeWithPostgres } from '../../support/postgres/shared.ts';
import { type Control, controls, pushLate } from './controls.ts';
import { witnesses } from './oracle.ts';

/** What the witnesses see of an attack on a fleet as it is, or without one of its parts. */
async function seenOf({ spoils, attack }: Control, isSpoilt: boolean): Promise<readonly string[]> {
  await using database = await createDatabase();
  await migrateFleet(parseFleetAddress(database.url));
  await using fleet = openFleet(database.url);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(witnesses);
    for (const [name, from, to] of isSpoilt ? spoils : []) await client.query(await spoilt(client, name, from, to));
    return await attack({ url: database.url, fleet, client }, isSpoilt);
  } finally {
    await client.end();
  }
}

async function spoilt(client: Client, name: string, from: string, to: string): Promise<string> {
  const { rows } = await client.query<{ text: string }>('select pg_get_functiondef($1::regproc) as text', [
    `ralphd.${name}`,
  ]);
  const text = rows[0]?.text ?? '';
  if (!text.includes(from)) throw new Error(`${name} does not contain "${from}".`);
  return text.replace(from, to);
}

describeWithPostgres('a fleet under attack', () => {
  test.each(controls)('nothing is broken, and with $name the witnesses see that something is', async (control) => {
    expect(await seenOf(control, false)).toEqual([]);
    expect(await seenOf(control, true)).not.toEqual([]);
  });
});

test('a late push of a lost owner is harmless, and would not be if the branch decided', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-late-push-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(pushLate(mkdtempSync(path.join(folder, 'journal-')), 'journal')).toEqual([]);
  expect(pushLate(mkdtempSync(path.join(folder, 'branch-')), 'branch')).toHaveLength(1);
});
