import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { runOf, runsOf, writeCheck, writeSteppedAgent } from '../../support/agents.ts';
import { createProject } from '../../support/project.ts';
import { eventually, hasBrowser, openPage } from '../browser.ts';
import { restart, serve } from '../server.ts';

const timeout = 300_000;

test.skipIf(!hasBrowser)(
  'a loop is watched, guided, paused and resumed in two browsers, while the server is killed and comes back',
  { timeout },
  async () => {
    const project = createProject();
    writeCheck(project);
    writeSteppedAgent(project);
    // Its runs without a claim succeed.
    project.write('agent.sh', `${project.read('agent.sh')}\nexit 0\n`);
    project.start(runOf('--max-iterations', '30'));
    await eventually(() => runsOf(project)).toBe(1);
    const served = await serve(project, '--port', '0', '--allow-control');

    const one = await openPage(served.link);
    await one.getByRole('link', { name: 'x', exact: true }).first().click();
    await expectHeading(one, 'Iteration 1 of 30: the agent is working. Nothing needs you.');
    project.write('go-1', '');
    await expectHeading(one, 'Iteration 2 of 30: the agent is working. Nothing needs you.');
    await eventually(() => one.title()).toMatch(/^● x, iteration 2/u);
    await expectRows(one, [2, 1]);

    await one.getByRole('textbox', { name: 'Say one thing to the agent' }).fill('Leave <b>the API</b> alone.');
    await one.getByRole('button', { name: 'Send' }).click();
    await expectText(one, '.guidance', 'no prompt has it yet');

    // A late joiner sees everything.
    const other = await openPage(await linkFrom(one), { width: 390, scheme: 'dark' });
    await expectHeading(other, 'Nothing needs you. 1 is running.');
    await other.goto(one.url());
    await expectHeading(other, 'Iteration 2 of 30: the agent is working. Nothing needs you.');
    await expectRows(other, [2, 1]);
    await expectText(other, '.guidance', 'Leave <b>the API</b> alone.');
    project.write('go-2', '');
    for (const page of [one, other]) await expectText(page, '.guidance', 'read in iteration 3');
    // The agent reads its prompt a moment after the fact that it has one.
    await eventually(() => runsOf(project)).toBe(3);
    await eventually(() => project.has('heard-3') && project.read('heard-3')).toContain('Leave <b>the API</b> alone.');

    // The server dies; the loop does not notice, and the pages say so and catch up.
    served.running.signal('SIGKILL');
    for (const page of [one, other]) await expectText(page, '.notice', 'The loops are not affected.');
    await eventually(() => one.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true);
    project.write('go-3', '');
    await eventually(() => runsOf(project)).toBe(4);
    await restart(project, served, '--allow-control');
    for (const page of [one, other]) {
      await expectHeading(page, 'Iteration 4 of 30: the agent is working. Nothing needs you.');
      await expectText(page, '.notice', /Caught up: [1-9]\d* facts?\./u);
      await expectRows(page, [4, 3, 2, 1]);
    }

    await other.getByRole('button', { name: 'Pause' }).click();
    await expectHeading(one, 'Iteration 4 of 30: the agent is working. It pauses when iteration 4 is over.');
    await one.getByRole('button', { name: 'Take the pause back' }).click();
    await expectHeading(other, 'Iteration 4 of 30: the agent is working. Nothing needs you.');
    await other.getByRole('button', { name: 'Pause' }).click();
    await expectHeading(one, 'Iteration 4 of 30: the agent is working. It pauses when iteration 4 is over.');
    project.write('go-4', '');
    await expectText(one, '.loop-name', 'Paused');
    await one.getByRole('button', { name: 'Resume' }).click();
    await expectHeading(other, 'Iteration 5 of 30: the agent is working. Nothing needs you.');

    project.write('finish', '');
    project.write('go-5', '');
    for (const page of [one, other]) {
      await expectText(page, '.loop-name', 'Proven');
      await expectRows(page, [5, 4, 3, 2, 1]);
    }
    expect(await one.title()).toMatch(/^✓ x/u);
  },
);

test.skipIf(!hasBrowser)('a loop is started from a phone', { timeout }, async () => {
  const project = createProject();
  writeCheck(project);
  project.script('agent.sh', 'cat > heard', 'touch done', 'echo "<promise>DONE</promise>"');
  project.write('ralphd.yml', 'agent: command\nagentCommand: ./agent.sh\nverify: [./check.sh]\n');
  const served = await serve(project, '--port', '0', '--allow-control');
  const page = await openPage(served.link, { width: 390 });
  await expectHeading(page, 'No loops here yet.');
  await page.getByRole('button', { name: 'Start a loop', exact: true }).click();
  await page.getByLabel('Task').fill('Make the check pass');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expectText(page, '.loop-name', 'Proven');
  expect(project.read('heard')).toContain('Make the check pass');
  await page.getByRole('link', { name: 'Loops', exact: true }).first().click();
  await expectHeading(page, 'Nothing needs you. Nothing is running.');
});

async function expectHeading(page: Page, text: string): Promise<void> {
  await eventually(() => page.locator('h1').textContent()).toBe(text);
}

async function expectText(page: Page, place: string, text: string | RegExp): Promise<void> {
  await eventually(async () => (await page.locator(place).allTextContents()).join(' ')).toMatch(
    typeof text === 'string' ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/gu, '\\$&'), 'u') : text,
  );
}

/** Every iteration is in the table exactly once. */
async function expectRows(page: Page, iterations: readonly number[]): Promise<void> {
  const rows = page.locator('.iterations tbody tr:not(.space) td:first-child');
  await eventually(async () => (await rows.allTextContents()).map(Number)).toEqual(iterations);
}

/** A link for another browser, as the page asks the server for it. */
async function linkFrom(page: Page): Promise<string> {
  const url: unknown = await page.evaluate(`(async () => {
    const headers = { 'x-ralphd-key': localStorage.getItem('ralphd-session-key'), 'content-type': 'application/json' };
    const response = await fetch('/api/session/links', { method: 'POST', headers, body: '{}' });
    return (await response.json()).url;
  })()`);
  return String(url);
}
