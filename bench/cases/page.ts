import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { BenchCase } from '../case.ts';
import { launcher } from '../time-node.ts';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-page-'));
const children: ChildProcess[] = [];
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

const browserProgram = '/usr/bin/chromium';
const iterations = 5_000;
const frames = 180;

/** How smoothly the page of a long loop moves. Measured in the browser; without Chromium there is nothing to measure. */
export const cases: readonly BenchCase[] = existsSync(browserProgram)
  ? [
      {
        name: `slowest of 20 frames while the table of ${iterations.toLocaleString('en')} iterations scrolls`,
        against: 'an empty page',
        unit: 'ms',
        budget: { times: 3 },
        runs: 5,
        warmUps: 1,
        floor: async () => await framesOf(await emptyPage(), '() => {}'),
        subject: async () => await framesOf(await longPage(), scroll),
      },
      {
        name: 'the same while the figure of its iterations is dragged',
        against: 'an empty page',
        unit: 'ms',
        budget: { times: 3 },
        runs: 5,
        warmUps: 1,
        floor: async () => await framesOf(await emptyPage(), '() => {}'),
        subject: async () => await framesOf(await longPage(), drag),
      },
    ]
  : [];

const scroll = '(share) => scrollTo(0, share * (document.documentElement.scrollHeight - innerHeight))';
const drag = `(share) => {
  const slider = document.querySelector('.night-slider');
  const { left, width, top } = slider.getBoundingClientRect();
  const at = { clientX: left + share * width, clientY: top + 20, buttons: 1, bubbles: true };
  slider.dispatchEvent(new PointerEvent('pointermove', at));
}`;

/** The time between two frames that one of twenty exceeds, while something moves in each. */
async function framesOf(page: Page, move: string): Promise<number> {
  const times: unknown = await page.evaluate(`(async () => {
    const move = ${move};
    const times = [];
    let last = performance.now();
    for (let frame = 0; frame < ${frames}; frame += 1) {
      move(frame / ${frames});
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times.sort((one, other) => one - other);
  })()`);
  return (times as readonly number[])[Math.floor(frames * 0.95)] ?? Number.NaN;
}

let browser: Promise<Browser> | undefined;
let empty: Promise<Page> | undefined;
let long: Promise<Page> | undefined;

async function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: browserProgram, args: ['--no-sandbox', '--disable-gpu'] });
  return await browser;
}

async function emptyPage(): Promise<Page> {
  empty ??= (async () => await (await openBrowser()).newPage())();
  return await empty;
}

async function longPage(): Promise<Page> {
  long ??= openLong();
  return await long;
}

async function openLong(): Promise<Page> {
  const folder = mkdtempSync(path.join(scratch, 'long-'));
  const program = path.join(import.meta.dirname, '../programs/write-long-loop.ts');
  await end(spawn(process.execPath, [program, path.join(folder, '.ralph'), String(iterations)], { stdio: 'ignore' }));
  const token = 'bench'.repeat(10);
  writeFileSync(path.join(folder, 'token'), token, { mode: 0o600 });
  const server = spawn(process.execPath, [launcher, 'serve', '--json', '--port', '0', '--token-file', 'token'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(server);
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const { origin } = JSON.parse(line.toString()) as { readonly origin: string };
  const page = await (await openBrowser()).newPage({ extraHTTPHeaders: { authorization: `Bearer ${token}` } });
  await page.goto(`${origin}/loops/ralph-long-00000001`);
  await page.locator('.iterations tbody tr').nth(20).waitFor();
  return page;
}

async function end(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error('the loop could not be written');
}
