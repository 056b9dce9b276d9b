import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { commandDefinitions } from './definitions.ts';
import { notOfFleets } from './fleet-definitions.ts';
import { parseCommandLine } from './parse.ts';

const own = commandDefinitions.filter(({ aliasOf }) => aliasOf === undefined);
const takesFleet = (name: string) =>
  own.find((each) => each.name === name)?.options.some((option) => option.name === 'db') === true;

test('each command works with --db, or says why it does not and what does instead', () => {
  for (const { name } of own) {
    expect([name, takesFleet(name), name in notOfFleets]).toEqual([name, takesFleet(name), !takesFleet(name)]);
    if (takesFleet(name)) continue;
    try {
      parseCommandLine([name, '--db', 'postgresql://u:secret@h/d']);
      expect.unreachable(name);
    } catch (error) {
      expect(error).toBeInstanceOf(LoopError);
      expect(error).toMatchObject({ code: 'NOT_WITH_FLEET', exitCode: 64 });
      expect(String(error)).not.toContain('secret');
    }
  }
});

test('the page about fleets lists which commands work with --db', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/fleet.md'), 'utf8');
  const working = own.filter(({ name }) => takesFleet(name)).map(({ name }) => `\`${name}\``);
  const sentence = (text: string) =>
    `${text[0]?.toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`.replaceAll(/"([^"]+)"/g, '`$1`');
  const rows = Object.entries(notOfFleets).map(
    ([name, { why, instead }]) => `| \`${name}\` | ${sentence(why)} ${sentence(instead)} |`,
  );
  const table = ['| Command | With `--db` |', '| --- | --- |', `| ${working.join(', ')} | Works. |`, ...rows].join(
    '\n',
  );
  const found = /\| Command \| With `--db` \|[\s\S]*?\n(?=\n)/.exec(page)?.[0].trim();
  expect(found).toBe(table);
});
