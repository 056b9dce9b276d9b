import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { createImporter, type PlannedLoop, planLoop } from './importer.ts';

/*
 * Takes the pictures of the page: runs real loops with a script as their agent, serves them, and looks at them with
 * Chromium, light and dark, wide and on a phone.
 *   npm run build && node tools/picture/page.ts
 */
const root = path.resolve(import.meta.dirname, '../..');
const launcher = path.join(root, 'bin', 'ralphd.mjs');
const target = path.join(root, 'docs', 'images');
const home = mkdtempSync(path.join(os.tmpdir(), 'ralphd-picture-'));
const project = path.join(home, 'importer');
const env = { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8' };
const deadlineMs = 120_000;
const started: ChildProcess[] = [];

createImporter(project, env);
try {
  await makeLoops();
  await takePictures(await serve());
} finally {
  for (const child of started) child.kill('SIGTERM');
  await Promise.all(started.map(ended));
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}

async function makeLoops(): Promise<void> {
  const finished: readonly PlannedLoop[] = [
    { name: 'a11y-audit', task: 'No serious axe finding on any page', first: 23, plan: ['14', '9', '9', '3', '0'] },
    {
      name: 'queue-retries',
      task: 'Retries with back-off and a lease that expires',
      first: 44,
      plan: ['31', '11', '12', '12', '12', '12'],
    },
    {
      name: 'react-19-upgrade',
      task: 'Upgrade the app to React 19, without forwardRef',
      first: 44,
      plan: ['40', '31', '22', '14', '8'],
      options: ['-n', '5', '--on-limit', 'pause'],
    },
  ];
  for (const loop of finished) await ended(run(loop));
  const importer = {
    name: 'streaming-importer',
    task: 'Port the CSV importer to the streaming parser; every test in packages/import passes, and the 2 GB file stays under 200 MB of memory',
    first: 61,
    plan: ['44', '31', '=', '35', '22', '-', '17', '14'],
    options: ['-n', '40'],
  };
  run(importer);
  await until(() => linesIn('.runs-streaming-importer') === importer.plan.length + 1);
  execFileSync(
    process.execPath,
    [launcher, 'guide', 'streaming', 'Quoted fields may span chunks; see RFC 4180, section 2.'],
    { cwd: project, env },
  );
}

function run(loop: PlannedLoop): ChildProcess {
  return start(...planLoop(project, loop));
}

function start(...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(child);
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  child.stdout?.resume();
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}

/** Serves the loops; returns a link. */
async function serve(): Promise<string> {
  const child = start('serve', '--port', '0', '--allow-control');
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await until(() => text.includes('#token='));
  return /http:\S+/u.exec(text)?.[0] ?? '';
}

async function until(isSo: () => boolean): Promise<void> {
  const startedMs = performance.now();
  while (!isSo()) {
    if (performance.now() - startedMs > deadlineMs) throw new Error('The loops did not get there.');
    await delay(50);
  }
}

function linesIn(name: string): number {
  const file = path.join(project, name);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

async function takePictures(link: string): Promise<void> {
  await using browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(link);
  await page.locator('.rows').first().waitFor();
  const loop = '/loops/ralph-streaming-importer-a1b2c3d4';
  const views = [
    { name: 'fleet', address: '/', ready: '.rows' },
    { name: 'loop', address: loop, ready: '.tool strong' },
    { name: 'report', address: '/report', ready: '.report-foot' },
  ] as const;
  const looks = [
    { name: 'light', width: 1280, height: 800, colorScheme: 'light' },
    { name: 'dark', width: 1280, height: 800, colorScheme: 'dark' },
    { name: 'phone', width: 390, height: 844, colorScheme: 'light' },
  ] as const;
  for (const { name, address, ready } of views) {
    for (const look of looks) {
      await page.setViewportSize(look);
      await page.emulateMedia({ colorScheme: look.colorScheme });
      await page.goto(new URL(address, link).href);
      await page.locator(ready).first().waitFor();
      await page.locator('.standing-live').waitFor();
      const file = path.join(target, `page-${name}-${look.name}.png`);
      await page.screenshot({ path: file });
      console.log(path.relative(root, file));
    }
  }
}
