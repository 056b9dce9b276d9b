import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';

const program = '/usr/bin/chromium';

/** Whether pages can be tested here; the title of every test that needs it says so. */
export const hasBrowser = existsSync(program);

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Nothing leaves the machine, whatever a page asks for.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

let started: Promise<{ readonly browser: Browser; readonly folder: string }> | undefined;

/** The one browser of this process. */
async function openBrowser(): Promise<Browser> {
  started ??= (async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-browser-'));
    const env = { HOME: folder, TMPDIR: folder, PATH: '/usr/bin:/bin' };
    return { browser: await chromium.launch({ executablePath: program, args: flags, env, timeout: 120_000 }), folder };
  })();
  return (await started).browser;
}

/** Closes the browser after the tests of a file. */
export function closeBrowserAfterwards(): void {
  afterAll(async () => {
    if (started === undefined) return;
    const { browser, folder } = await started;
    started = undefined;
    await browser.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
}

/** A look at the page. */
export interface Look {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
}

/** A browser of its own kind: own cookies, own storage. Every error in the page fails the test. */
export async function openPage(address: string, { width = 1280, scheme = 'light' }: Look = {}): Promise<Page> {
  const browser = await openBrowser();
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, locale: 'en-GB' });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const errors = errorsOf(page);
  onTestFinished(() => expect(errors).toEqual([]));
  await page.goto(address);
  return page;
}

/** What went wrong in a page. A request that fails because a server is gone is what some tests are about. */
function errorsOf(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|ERR_/u.test(message.text()))
      errors.push(message.text());
  });
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1') errors.push(`asked ${request.url()}`);
  });
  return errors;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kinds = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules whose result depends on colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

type Question = readonly [scheme: 'light' | 'dark', rules: readonly string[]];

/** Everything in light, and in dark what that changes. */
const bothSchemes: readonly Question[] = [
  ['dark', colourRules],
  ['light', kinds],
];
/** For another width of a page that was looked at in light. */
export const inDark: readonly Question[] = [['dark', kinds]];

/** What axe finds on a page, in a line each. */
export async function axeFindings(page: Page, questions = bothSchemes): Promise<readonly string[]> {
  // The page's own policy forbids foreign scripts; the debugger may run them.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe);
  const found: string[] = [];
  for (const [colorScheme, runOnly] of questions) {
    await page.emulateMedia({ colorScheme });
    const lines =
      await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`);
    found.push(...(lines as readonly string[]).map((line) => `${colorScheme} ${line}`));
  }
  return found;
}

/** Goes to another view of the open page, as its links do. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState(undefined, '', ${JSON.stringify(address)});
    dispatchEvent(new PopStateEvent('popstate'));
    new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));`);
}

/** Asks until it is so. Each question takes a turn of the browser too, so not as often as elsewhere. */
export function eventually<Value>(read: () => Value): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(read, { interval: 100 });
}

/** How far the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
}
