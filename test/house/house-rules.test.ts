import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findingsIn, readImports, sourcesOf } from '../../tools/check/imports.ts';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

test('every import rule fires on its bad fixture, and on nothing else', async () => {
  const house = await buildHouse('imports');
  const { modules, summary } = await readImports(house);
  const found = summary.violations.map(({ rule, from }) => `${from}: ${rule.name}`);

  expect([...new Set(found)].toSorted()).toEqual(await announced(house));
  expect(modules.length).toBeGreaterThan(50);
});

test('no import rule is without a bad fixture', async () => {
  const config = (await import(path.join(root, '.dependency-cruiser.mjs'))) as {
    default: { forbidden: readonly { name: string }[] };
  };
  const rules = config.default.forbidden.map(({ name }) => name);
  const broken = await announced(path.join(import.meta.dirname, 'fixtures/imports'));
  expect([...new Set(broken.map((line) => line.split(': ')[1]))].toSorted()).toEqual(rules.toSorted());
});

test('every rule about clock, environment, file writes and sound code fires on its bad fixture', async () => {
  const house = await buildHouse('code');
  const { diagnostics, number_of_files } = await lint(house);
  const found = diagnostics.map(({ filename, code }) => `${filename}: ${/\(([^)]*)\)/.exec(code)?.[1]}`);

  expect([...new Set(found)].toSorted()).toEqual(await announced(house));
  expect(number_of_files).toBeGreaterThan(30);
});

test('a broken import rule, a file that was not read and imports that lead nowhere are findings', () => {
  const module = (source: string, ...imports: readonly string[]) => ({
    source,
    dependencies: imports.map((resolved) => ({ resolved })),
  });
  const files = ['src/a.ts', 'src/b.ts'];
  const first = module('src/a.ts', 'src/b.ts', 'src/b.ts');
  const second = module('src/b.ts');
  const sound = { modules: [first, second], summary: { violations: [] } };
  expect(findingsIn(sound, files)).toEqual([]);
  expect(findingsIn(sound, [...files, 'web/c.tsx'])).toEqual(['web/c.tsx: not read']);
  const unresolved = { ...sound, modules: [first, { ...second, couldNotResolve: true }] };
  expect(findingsIn(unresolved, files)).toEqual(['src/b.ts: not read']);
  const leadingNowhere = { ...sound, modules: files.map((file) => module(file, 'node:fs')) };
  expect(findingsIn(leadingNowhere, files)).toEqual(['2 files, and only 0 imports']);
  const violations = [{ from: 'src/a.ts', to: 'src/b.ts', rule: { name: 'no-circular' } }];
  expect(findingsIn({ ...sound, summary: { violations } }, files)).toEqual(['src/a.ts → src/b.ts: no-circular']);
});

test('the linter read every file of the product', async () => {
  const { stdout } = await run('oxlint', ['--debug=files', 'src', 'web'], { cwd: root, env: tools() });
  const read = new Set(stdout.split('\n').map((line) => path.relative(root, path.resolve(root, line.trim()))));
  expect((await sourcesOf(root)).filter((file) => !read.has(file))).toEqual([]);
});

/** A small project of its own under the real rules, because rules name paths from the root. */
async function buildHouse(fixture: string): Promise<string> {
  const house = await mkdtemp(path.join(os.tmpdir(), 'ralphd-house-'));
  onTestFinished(() => rm(house, { recursive: true, force: true }));
  await cp(path.join(import.meta.dirname, 'fixtures', fixture), house, { recursive: true });
  for (const part of ['.dependency-cruiser.mjs', '.oxlintrc.json', 'tsconfig.json', 'package.json', 'tools/house']) {
    await cp(path.join(root, part), path.join(house, part), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules'), path.join(house, 'node_modules'));
  return house;
}

/** What the fixtures say about themselves: `// breaks: rule` in the first line. */
async function announced(house: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const file of await sourcesOf(house)) {
    const rule = /^\/\/ breaks: (\S+)/.exec(await readFile(path.join(house, file), 'utf8'))?.[1];
    if (rule !== undefined) lines.push(`${file}: ${rule}`);
  }
  return lines.toSorted();
}

interface LintReport {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
  readonly number_of_files: number;
}

async function lint(folder: string): Promise<LintReport> {
  return JSON.parse(await outputOf('oxlint', ['--format', 'json', 'src'], folder)) as LintReport;
}

async function outputOf(tool: string, args: readonly string[], cwd: string): Promise<string> {
  const options = { cwd, env: tools(), maxBuffer: 1 << 28 };
  const ended = await run(tool, [...args], options).catch((error: unknown) => error as { stdout: string });
  return ended.stdout;
}

function tools(): NodeJS.ProcessEnv {
  const folders = [path.dirname(process.execPath), path.join(root, 'node_modules/.bin'), process.env['PATH']];
  return { ...process.env, PATH: folders.join(path.delimiter) };
}
