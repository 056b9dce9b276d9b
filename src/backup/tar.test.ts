import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../files/testing/temporary-folder.ts';
import { createTarReader, tarEnd, tarHeader, tarPadding } from './tar.ts';

function tarOf(...given: readonly (readonly [name: string, text: string])[]): Buffer {
  const blocks = given.flatMap(([name, text]) => {
    const size = Buffer.byteLength(text);
    return [tarHeader({ name, size }, 1_700_000_000_000), Buffer.from(text), tarPadding(size)];
  });
  return Buffer.concat([...blocks, tarEnd]);
}

function read(archive: Uint8Array, chunkBytes = archive.byteLength, maxBytes = 1_000_000): Record<string, string> {
  const reader = createTarReader({ maxBytes });
  const texts: Record<string, string> = {};
  for (let from = 0; from < archive.byteLength; from += chunkBytes) {
    for (const { name, offset, bytes } of reader.push(archive.subarray(from, from + chunkBytes))) {
      expect(offset).toBe(Buffer.byteLength(texts[name] ?? ''));
      texts[name] = (texts[name] ?? '') + Buffer.from(bytes).toString();
    }
  }
  reader.end();
  return texts;
}

const long = `${'folder-of-forty-characters-in-the-path/'.repeat(4)}file`;
const content = { 'a.txt': 'one', empty: '', [long]: 'x'.repeat(1024) };

test('an archive is read back as it was written, in chunks of any size', () => {
  const archive = tarOf(...Object.entries(content));
  for (const size of [1, 7, 511, 512, 513, archive.byteLength]) expect(read(archive, size)).toEqual(content);
});

test("the system's tar unpacks an archive, and one that it packed is read", () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'ours.tar'), tarOf(...Object.entries(content)));
  execFileSync('tar', ['xf', 'ours.tar'], { cwd: folder });
  for (const [name, text] of Object.entries(content)) expect(readFileSync(path.join(folder, name), 'utf8')).toBe(text);
  execFileSync('tar', ['--format=ustar', '-cf', 'theirs.tar', ...Object.keys(content)], { cwd: folder });
  expect(read(readFileSync(path.join(folder, 'theirs.tar')))).toEqual(content);
});

test('links, devices and extensions in an archive are refused', () => {
  for (const type of ['1', '2', '3', '4', '6', 'x', 'g', 'L']) {
    const archive = tarOf(['a', 'text']);
    const header = archive.subarray(0, 512);
    header.write(type, 156);
    header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
    expect(() => read(archive)).toThrow(/more than plain files/);
  }
});

test('an archive that is cut off, damaged or too long is refused', () => {
  const archive = tarOf(['a', 'text'], ['b', 'more']);
  for (const length of [100, 514, 1024, archive.byteLength - 1024]) {
    expect(() => read(archive.subarray(0, length)), `${length} bytes`).toThrow(/cut off/);
  }
  const flipped = Buffer.from(archive);
  flipped.writeUInt8(flipped.readUInt8(0) ^ 1, 0);
  expect(() => read(flipped)).toThrow(/checksum/);
  expect(() => read(archive, 512, 5)).toThrow(/more than 5 bytes/);
  expect(() => read(Buffer.concat([archive.subarray(0, 1024), tarEnd.subarray(0, 512), tarOf(['c', ''])]))).toThrow(
    /follows its end/,
  );
  expect(() => read(Buffer.alloc(512, 'x'))).toThrow(/not a tar archive/);
});

function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}
