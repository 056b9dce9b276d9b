import { appendFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openGrowingFile } from './growing-file.ts';
import { nodeFiles } from './node-files.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

function textOf(file: ReturnType<typeof openGrowingFile>): string {
  let text = '';
  for (let bytes = file?.next(); bytes; bytes = file?.next()) text += Buffer.from(bytes).toString();
  return text;
}

test('B113: a file is read piece by piece while it grows, and to its end when another one takes its place', () => {
  const place = path.join(temporaryFolder(), 'stdout');
  expect(openGrowingFile(nodeFiles, place)).toBeUndefined();
  const long = 'x'.repeat(200_000);
  writeFileSync(place, long);
  using file = openGrowingFile(nodeFiles, place);
  expect(textOf(file)).toBe(long);
  expect(file?.next()).toBeUndefined();
  appendFileSync(place, 'more');
  expect(textOf(file)).toBe('more');
  appendFileSync(place, 'last');
  writeFileSync(`${place}.cut`, 'short');
  renameSync(`${place}.cut`, place);
  expect(textOf(file)).toBe('last');
});

test('B113: a link in place of the file is refused', () => {
  const folder = temporaryFolder();
  symlinkSync('/etc/passwd', path.join(folder, 'stdout'));
  expect(() => openGrowingFile(nodeFiles, path.join(folder, 'stdout'))).toThrow('a symbolic link');
});
