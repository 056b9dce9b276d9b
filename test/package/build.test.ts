import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { surfaceChange } from '../../tools/build/api-report.ts';
import { asciiOnly } from '../../tools/build/ascii.ts';
import { noticesFor } from '../../tools/build/notices.ts';

test('a public surface that is not the accepted one is shown with its changes and the command that accepts it', () => {
  expect(surfaceChange({ surface: 'index', committed: 'same\nold\n', fresh: 'same\nold\n' })).toEqual([]);
  expect(surfaceChange({ surface: 'index', committed: 'same\nold\n', fresh: 'same\nnew\n' })).toEqual([
    'The public surface of the library is not what docs/reference/library.api.md says:',
    '  - old',
    '  + new',
    'If users should get this change, run "npm run api", commit the report, and describe the change in CHANGELOG.md.',
  ]);
});

test('every bundled package is named once with its licence, and one without a licence stops the build', async () => {
  const root = await mkdtemp(path.join(os.tmpdir(), 'ralphd-notices-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const licensed = path.join(root, 'node_modules/@some/tool');
  const bare = path.join(root, 'node_modules/bare');
  for (const [folder, name] of [
    [licensed, '@some/tool'],
    [bare, 'bare'],
  ] as const) {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name, version: '1.2.3', license: 'MIT' }));
  }
  await writeFile(path.join(licensed, 'LICENSE.txt'), 'You may.\n');
  const modules = [path.join(licensed, 'a.js'), path.join(licensed, 'lib/b.js'), path.join(root, 'src/own.ts')];
  expect(await noticesFor(modules)).toBe(
    '# Third-party notices\n\nThe files of this package contain code of the packages below.\n\n## @some/tool 1.2.3\n\nLicence: MIT\n\n```text\nYou may.\n```\n',
  );
  await expect(noticesFor([...modules, path.join(bare, 'c.js')])).rejects.toThrow('The package bare is bundled, but');
});

test('a character beyond ASCII is written as its escape, unless that would change what the program says', () => {
  const code = "const a = '● 🚀'; const b = `…`; const c = /[é🚀]/u; const d = { µ: 1 };";
  const ascii = asciiOnly(`${code} [a, b, c.test('🚀'), d]`);
  expect(ascii).toMatch(/^[ -~]*$/);
  expect(runInNewContext(ascii)).toEqual(['● 🚀', '…', true, { µ: 1 }]);
  expect(() => asciiOnly('String.raw`ℹ`')).toThrow('An escape would change the text of String.raw`ℹ`.');
});
