import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { runOf, writeBusyAgent, writeCheck } from '../../support/agents.ts';
import { createProject } from '../../support/project.ts';
import { axeFindings, eventually, hasBrowser, openPage } from '../browser.ts';
import { serve } from '../server.ts';

const id = 'ralph-x-00000000';

test.skipIf(!hasBrowser)(
  'everything that is stored can be found, a restored loop is shown as it is now, and a seventh page waits for none of the six that nobody looks at',
  async () => {
    const project = createProject();
    writeCheck(project);
    writeBusyAgent(project);
    await project.ralphd(...runOf('--loop-id', id, '-n', '3', '--on-limit', 'pause'));
    const served = await serve(project, '--port', '0');
    const first = await openPage(served.link);
    await first.getByRole('link', { name: 'x', exact: true }).first().click();
    await expectAllMatches(first, `${served.origin}/loops/${id}/iterations/3`);
    const pages = [first];
    const released = new Set<Page>();
    while (pages.length < 7) {
      const page = await first.context().newPage();
      pages.push(page);
      page.on('requestfailed', (request) => request.url().includes('/events?') && released.add(page));
      await page.goto(`${served.origin}/loops/${id}`, { waitUntil: 'commit' });
      await page.locator('tr[data-iteration]').first().waitFor();
      for (const other of pages.slice(0, -1)) await hide(other, true);
    }
    const [, second = first, third = first, ...others] = pages;
    const newest = others.at(-1) ?? second;
    await eventually(() => released.has(third)).toBe(true);
    // It looks now and then, and shall not learn what happens next.
    await third.route(/\/events\?/u, (route) => route.abort());

    expect(await project.ralphd('restore', id, '--from', 'iteration-001.json.gz')).toMatchObject({ code: 0 });
    await expectRows(newest, 1);
    // Whoever is looked at again shows what has happened meanwhile.
    await hide(second, false);
    await expectRows(second, 1);

    // Also if the loop has gone on since, past all that this page knows.
    await project.ralphd('resume', id, '-n', '5');
    await expectRows(second, 5);
    const readsAgain = third.waitForRequest(`${served.origin}/api/loops/${id}`);
    await third.unroute(/\/events\?/u);
    await hide(third, false);
    await readsAgain;
    await expectRows(third, 5);
  },
);

/** The agent wrote the same word in three iterations; each request finds one of them. */
async function expectAllMatches(page: Page, address: string): Promise<void> {
  await page.route(/\/search\?/u, async (route) => await route.continue({ url: `${route.request().url()}&limit=1` }));
  await page.goto(address);
  await page.getByRole('searchbox').fill('working');
  await page.getByRole('searchbox').press('Enter');
  for (const count of [1, 2, 3]) {
    await eventually(() => page.locator('.matches li').count()).toBe(count);
    if (count === 1) expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Search further back' }).click();
  }
  await eventually(() => page.locator('.matches').textContent()).toContain('3 places in 3 iterations, in everything');
  expect(await page.getByRole('button', { name: 'Search further back' }).count()).toBe(0);
}

/** What a browser tells a page that is in another tab, or covered by a window. */
async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { get: () => ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

async function expectRows(page: Page, count: number): Promise<void> {
  await eventually(() => page.locator('tr[data-iteration]').count()).toBe(count);
}
