import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LoopError } from '../../base/index.ts';
import { fillIn } from '../../core/index.ts';
import { resolveIncludes } from './includes.ts';

/** A working directory inside a home that prompts must not reach. */
function prepare(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'ralphd-include-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = path.join(home, 'work');
  mkdirSync(folder);
  const write = (name: string, text: string | Uint8Array) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const resolve = async (text: string, file = path.join(folder, 'PROMPT.md')) => {
    writeFileSync(file, text);
    return await resolveIncludes({ file, text, firstLine: 1, workingDirectory: folder });
  };
  const render = async (text: string, values = {}) => fillIn((await resolve(text)).parts, values);
  const refusal = async (text: string, file?: string) => {
    const error = await resolve(text, file).catch((thrown: unknown) => thrown);
    if (!(error instanceof LoopError)) throw new Error('Expected a LoopError.', { cause: error });
    expect(error.failure.exitCode).toBe(78);
    return `${error.failure.code}: ${error.failure.message}`;
  };
  return { home, folder, resolve, render, refusal };
}

test('B003 B008: an include is inserted without its final line break, and is relative to the including file', async () => {
  const { render } = prepare({
    'rules.md': 'Rule one.\nRule two.\n',
    'parts/a.md': 'A, then {{include:more/b.txt}}.\r\n',
    'parts/more/b.txt': 'B',
  });
  expect(await render('{{include:rules.md}}\n\nDo {{ include: parts/a.md }}!\n')).toBe(
    'Rule one.\nRule two.\n\nDo A, then B.!\n',
  );
});

test('B001: included files are listed once, with the newest modification time', async () => {
  const { resolve, folder } = prepare({ 'a.md': '{{include:b.md}}{{include:b.md}}', 'b.md': 'B' });
  utimesSync(path.join(folder, 'a.md'), 1_000, 1_000);
  utimesSync(path.join(folder, 'b.md'), 2_000, 2_000);
  const { includes, modifiedMs } = await resolve('{{include:a.md}} {{include:b.md}}');
  expect(includes).toEqual([path.join(folder, 'a.md'), path.join(folder, 'b.md')]);
  expect(modifiedMs).toBe(2_000_000);
  expect(await resolve('nothing')).toMatchObject({ includes: [], modifiedMs: 0 });
});

test('B003 B012: prompt text has includes and variables of its own; any other file is inserted verbatim', async () => {
  const source = 'const t = "{{name}} \\{{name}} {{include:rules.md}} $& <promise>DONE</promise>";';
  const { render } = prepare({ 'rules.md': '{{name}} \\{{name}}', 'page.ts': source, 'UPPER.MD': '{{name}}' });
  expect(await render('{{include:rules.md}}|{{include:page.ts}}|{{include:UPPER.MD}}', { name: '{{include:x}}' })).toBe(
    `{{include:x}} {{name}}|${source}|{{include:x}}`,
  );
});

test('B012: braces that meet only through an include are not a directive', async () => {
  const { render } = prepare({ 'a.md': '{{na', 'b.md': 'clude:a.md', 'c.md': '\\' });
  const text = '{{include:a.md}}me}} {{in{{include:b.md}}}} {{include:c.md}}{{name}}';
  expect(await render(text, { name: 'X' })).toBe('{{name}} {{include:a.md}} \\X');
});

test('B003 B008: five levels of includes work, a sixth is refused with the chain', async () => {
  const files = Object.fromEntries(
    [1, 2, 3, 4, 5].map((level) => [`${level}.md`, `${level}{{include:${level + 1}.md}}`]),
  );
  const fine = prepare({ ...files, '5.md': '5 end' });
  expect(await fine.render('0{{include:1.md}}')).toBe('012345 end');
  const deep = prepare({ ...files, '6.md': 'too deep' });
  expect(await deep.refusal('0{{include:1.md}}')).toBe(
    'PROMPT_INCLUDE_TOO_DEEP: Includes are nested more than 5 levels deep: PROMPT.md -> 1.md -> 2.md -> 3.md -> 4.md -> 5.md -> 6.md.',
  );
});

test('B003: an include cycle is refused with the chain, also one through a link or the prompt itself', async () => {
  const { refusal, folder } = prepare({ 'a.md': '{{include:sub/b.md}}', 'sub/b.md': '{{include:../again.md}}' });
  symlinkSync('a.md', path.join(folder, 'again.md'));
  expect(await refusal('{{include:a.md}}')).toBe(
    'PROMPT_INCLUDE_CYCLE: A prompt file includes itself: PROMPT.md -> a.md -> sub/b.md -> again.md.',
  );
  expect(await refusal('x\n{{include:./PROMPT.md}}')).toContain('PROMPT.md -> PROMPT.md.');
});

test('B003 B008: an unreadable include is refused with its path and the including line', async () => {
  const { refusal, folder } = prepare({
    'a.md': '\n\n{{include:missing.md}}',
    'latin.txt': Uint8Array.of(0xe4),
    'big.bin': 'x'.repeat(8 * 1024 * 1024 + 1),
    'file/.keep': '',
  });
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path.join(folder, 'pipe.md')]);
  expect(await refusal('x\n{{include:a.md}}')).toBe(
    'PROMPT_INCLUDE_UNREADABLE: a.md:3 includes missing.md, which cannot be read: there is no such file.',
  );
  for (const [target, cause] of [
    ['file', 'it is a folder'],
    ['.', 'it is a folder'],
    ['latin.txt/x', 'a part of the path is not a folder'],
    ['latin.txt', 'it is not UTF-8 text'],
    ['pipe.md', 'it is not a regular file'],
    ['big.bin', 'it has 8388609 bytes; the limit is 8388608 bytes (8 MiB)'],
    ['a\0b', 'its name contains an invalid character'],
  ]) {
    const message = await refusal(`\n{{include:${target}}}`);
    expect(message).toContain('PROMPT.md:2 includes ');
    expect(message).toContain(`, which cannot be read: ${cause}.`);
  }
});

test('an include must be in the working directory or in the folder of the prompt, even through links', async () => {
  const { refusal, render, resolve, home, folder } = prepare({ 'real.md': 'fine' });
  mkdirSync(path.join(home, 'workshop'));
  writeFileSync(path.join(home, 'workshop/secret.md'), 'secret');
  symlinkSync('../workshop/secret.md', path.join(folder, 'link.md'));
  symlinkSync('../workshop', path.join(folder, 'linked'));
  symlinkSync('real.md', path.join(folder, 'inside.md'));
  expect(await render(`{{include:inside.md}}{{include:${path.join(folder, 'real.md')}}}`)).toBe('finefine');
  for (const target of ['../workshop/secret.md', 'link.md', 'linked/secret.md', path.join(home, 'workshop/secret.md')])
    expect(await refusal(`{{include:${target}}}`)).toMatch(
      /^PROMPT_INCLUDE_OUTSIDE: PROMPT\.md:1 includes \S+, which is outside the working directory/,
    );
  const { parts } = await resolve(
    '{{include:secret.md}} {{include:../work/real.md}}',
    path.join(home, 'workshop/p.md'),
  );
  expect(fillIn(parts, {})).toBe('secret fine');
});

test('nested includes cannot grow a prompt without bound', async () => {
  const { refusal } = prepare({
    'a.md': '{{include:b.md}}'.repeat(10),
    'b.md': '{{include:c.txt}}'.repeat(10),
    'c.txt': 'x'.repeat(100_000),
    'd.md': '{{include:e.md}}'.repeat(100),
    'e.md': '{{include:empty.txt}}'.repeat(100),
    'empty.txt': '',
  });
  expect(await refusal('{{include:a.md}}')).toMatch(
    /^PROMPT_TOO_LARGE: The prompt file PROMPT\.md is too large: it has at least \d+ bytes with its includes; the limit/,
  );
  expect(await refusal('{{include:d.md}}')).toContain('more than 1000 includes');
});
