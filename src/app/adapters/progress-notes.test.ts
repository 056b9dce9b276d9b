import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createNotesReader } from './progress-notes.ts';

/** A project with an empty state folder, and the reader of its notes. */
function project() {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd-notes-'));
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  const root = path.join(workingDirectory, '.ralph');
  mkdirSync(root);
  const problems: string[] = [];
  const read = createNotesReader({
    root,
    workingDirectory,
    redact: (text) => text.replaceAll('s3cret-value', '[redacted]'),
    report: (problem) => problems.push(problem),
  });
  return { root, file: path.join(root, 'progress.md'), read, problems };
}

test('B081: notes are read again each time, without secrets and under the name that the agent uses', () => {
  const { file, read, problems } = project();
  expect(read()).toBeUndefined();
  writeFileSync(file, 'the key is s3cret-value\n');
  expect(read()).toEqual({ path: '.ralph/progress.md', text: 'the key is [redacted]\n' });
  writeFileSync(file, ' \n');
  expect(read()).toBeUndefined();
  expect(problems).toEqual([]);
});

test('B081: of a huge file only the end is read, and a secret near the cut stays hidden', () => {
  const { file, read } = project();
  writeFileSync(file, `s3cret-value ${'x'.repeat(10_000_000)} s3cret-value\nend\n`);
  const text = read()?.text ?? '';
  expect(text.length).toBeLessThan(70_000);
  expect(text).toMatch(/x \[redacted\]\nend\n$/);
});

test('B081: a link, a pipe, a folder and what is not text are never used, which is said once', () => {
  const { root, file, read, problems } = project();
  const outside = path.join(root, '..', 'outside.md');
  writeFileSync(outside, 'from elsewhere');
  symlinkSync(outside, file);
  expect([read(), read()]).toEqual([undefined, undefined]);
  expect(problems).toEqual([expect.stringMatching(/^The progress notes are not used: .*a symbolic link/)]);
  rmSync(file);
  execFileSync('mkfifo', [file]);
  expect(read()).toBeUndefined();
  rmSync(file);
  mkdirSync(file);
  expect(read()).toBeUndefined();
  rmSync(file, { recursive: true });
  writeFileSync(file, 'a\0b');
  expect(read()).toBeUndefined();
  expect(problems.at(-1)).toContain('is not a text file');
});
