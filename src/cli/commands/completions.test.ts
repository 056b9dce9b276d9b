import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commandDefinitions } from '../definitions.ts';
import { createCommandLine } from '../testing/command-line.ts';

test.each(['bash', 'zsh', 'fish'])('the script for %s has every command and every flag', async (shell) => {
  const { code, stdout, stderr } = await createCommandLine().run(['completions', shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const words = new Set(stdout.split(/[\s'":|()]+/u));
  const dashes = shell === 'fish' ? '' : '--';
  for (const command of commandDefinitions) {
    expect(words).toContain(command.name);
    for (const { name } of command.options) expect(words).toContain(`${dashes}${name}`);
  }
});

test('what a menu says about a command or a flag is a whole phrase', async () => {
  const { stdout } = await createCommandLine().run(['completions', 'zsh']);
  const phrases = [...stdout.matchAll(/^ +'[\w-]+:(?<phrase>.*)'$/gmu)].map(({ groups }) => groups?.['phrase'] ?? '');
  expect(phrases.length).toBeGreaterThan(100);
  expect(phrases.filter((phrase) => /\([^)]*$|[.;: ]$/u.test(phrase))).toEqual([]);
  expect(phrases).toContain('Show what one iteration did and why it was judged that way');
  expect(phrases).toContain('Print a loop’s state in another system’s format');
});

test('completions ids lists the ids and the names of all loops, and nothing where there is none', async () => {
  const line = createCommandLine();
  expect(await line.run(['completions', 'ids'])).toEqual({ code: 0, stdout: '', stderr: '' });
  for (const id of ['ralph-tests-00000001', 'ralph-tests-00000002']) {
    const journal = path.join(line.folder, '.ralph', 'loops', id, 'journal');
    mkdirSync(journal, { recursive: true });
    writeFileSync(path.join(journal, '0001-0001.jsonl'), '');
  }
  const { stdout } = await line.run(['completions', 'ids']);
  expect(stdout).toBe('ralph-tests-00000001\nralph-tests-00000002\ntests\n');
});

test('a shell that ralphd has no script for is refused', async () => {
  const { code, stdout, stderr } = await createCommandLine().run(['completions', 'tcsh']);
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr).toContain('UNKNOWN_SUBCOMMAND');
  expect(stderr).toContain('bash, zsh, fish');
});
