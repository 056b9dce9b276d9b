import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { runOf, runsOf, writeCheck, writeSteppedAgent } from '../../support/agents.ts';
import { createProject, factsOf, stateOf } from '../../support/project.ts';
import { eventually, hasBrowser, openPage } from '../browser.ts';
import { serve } from '../server.ts';

test.skipIf(!hasBrowser)('every action can be done with the keyboard alone', async () => {
  const project = createProject();
  writeCheck(project);
  writeSteppedAgent(project);
  project.write('ralphd.yml', 'agent: command\nagentCommand: ./agent.sh\nverify: [./check.sh]\n');
  const agent = project.read('agent.sh').replace('until ', 'echo "I begin."\nuntil ');
  project.write('agent.sh', `${agent}\nexit 0\n`);
  project.start(runOf('--max-iterations', '30'));
  await eventually(() => runsOf(project)).toBe(1);
  const served = await serve(project, '--port', '0', '--allow-control');
  const page = await openPage(served.link);
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const entryInFocus = () => page.locator('[role=menuitem]:focus strong').textContent();

  await page.locator('a[data-row]').first().waitFor();
  await press('Tab', 'Enter');
  expect(await page.evaluate('location.hash')).toBe('#main');
  await press('/');
  await page.keyboard.type('nothing has this name?');
  await eventually(() => page.locator('main').textContent()).toContain('No loop has');
  await press('Control+A', 'Delete', 'Escape', 'j');
  await eventually(() => page.locator('a:focus').textContent()).toBe('x');
  await press('Enter');
  await heading(page, 'Iteration 1 of 30: the agent is working. Nothing needs you.');
  project.write('go-1', '');
  await heading(page, 'Iteration 2 of 30: the agent is working. Nothing needs you.');

  // The figure is one control; the table follows it.
  await page.getByRole('slider', { name: 'Iteration' }).focus();
  await press('Home');
  await eventually(() => page.locator('tr.chosen').getAttribute('data-iteration')).toBe('1');
  await press('End');
  await eventually(() => page.locator('tr.chosen').getAttribute('data-iteration')).toBe('2');

  await press('g');
  await page.locator('main').focus();
  await press('g');
  await page.keyboard.type('jkpx?: letters are text here');
  await press('Control+Enter');
  await eventually(() => page.locator('.guidance').textContent()).toContain('jkpx?: letters are text here');
  await press('Escape', 'f');
  await eventually(() => page.locator('.follow').getAttribute('aria-pressed')).toBe('false');
  await press('f', '?');
  await eventually(() => page.getByRole('dialog').textContent()).toContain('Single keys act on this page');
  await press('Escape');
  await eventually(() => page.getByRole('dialog').count()).toBe(0);

  await eventually(() => page.getByRole('button', { name: 'Pause' }).isEnabled()).toBe(true);
  await press('p');
  await heading(page, 'Iteration 2 of 30: the agent is working. It pauses when iteration 2 is over.');
  await eventually(() => page.getByRole('button', { name: 'Take the pause back' }).isEnabled()).toBe(true);
  await press('p');
  await heading(page, 'Iteration 2 of 30: the agent is working. Nothing needs you.');

  await eventually(() => page.getByRole('button', { name: 'More actions' }).isEnabled()).toBe(true);
  await press('x');
  await eventually(entryInFocus).toBe('Skip');
  await press('Escape');
  await eventually(() => page.getByRole('menu').count()).toBe(0);
  await press('x');
  await eventually(entryInFocus).toBe('Skip');
  await press('Enter');
  await heading(page, 'Iteration 3 of 30: the agent is working. Nothing needs you.');
  await eventually(() => page.getByRole('button', { name: 'More actions' }).isEnabled()).toBe(true);
  await press('x');
  await eventually(entryInFocus).toBe('Skip');
  await press('ArrowDown');
  await eventually(entryInFocus).toBe('Reboot');
  await press('Enter');
  await eventually(() => factsOf(project, 'command.accepted').map(({ command }) => command)).toEqual([
    'guide',
    'pause',
    'resume',
    'skip',
    'reboot',
  ]);

  // Paused after the iteration, and resumed in a process of its own.
  await eventually(() => page.getByRole('button', { name: 'Pause' }).isEnabled()).toBe(true);
  await press('p');
  await heading(page, 'Iteration 3 of 30: the agent is working. It pauses when iteration 3 is over.');
  project.write('go-3', '');
  await eventually(() => page.getByRole('button', { name: 'Resume' }).isEnabled()).toBe(true);
  await press('p');
  await heading(page, 'Iteration 4 of 30: the agent is working. Nothing needs you.');

  await eventually(() => page.getByRole('button', { name: 'More actions' }).isEnabled()).toBe(true);
  await press('x');
  await eventually(entryInFocus).toBe('Skip');
  await press('ArrowUp');
  await eventually(entryInFocus).toBe('Abort');
  await press('ArrowUp', 'Enter');
  await eventually(() => page.getByRole('dialog').textContent()).toContain('the work stays in the work tree');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).focus();
  await press('Enter');
  await eventually(() => page.locator('.loop-name').textContent()).toContain('Aborted');
  await eventually(() => stateOf(project)).toMatchObject({ status: 'aborted' });

  await press('Enter');
  await heading(page, /^Iteration 2: /u);
  await press('ArrowLeft');
  await heading(page, /^Iteration 1: /u);
  await press('Escape');
  await eventually(() => page.locator('.loop-name').textContent()).toContain('Aborted');
  await press('Escape');
  await heading(page, 'Nothing needs you. Nothing is running.');

  project.write('finish', '');
  for (const run of [4, 5, 6]) project.write(`go-${run}`, '');
  await page.getByRole('button', { name: 'Start a loop', exact: true }).focus();
  await press('Enter');
  await page.getByLabel('Task').focus();
  await page.keyboard.type('Make the check pass');
  await page.getByRole('button', { name: 'Start', exact: true }).focus();
  await press('Enter');
  await eventually(() => page.locator('.loop-name').textContent()).toContain('Proven');
});

async function heading(page: Page, text: string | RegExp): Promise<void> {
  await eventually(() => page.locator('h1').textContent()).toMatch(text);
}
