import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { runOf, runsOf, usual, writeCheck, writeSteppedAgent } from '../../support/agents.ts';
import { createProject, type Project } from '../../support/project.ts';
import { axeFindings, eventually, hasBrowser, openPage, overflow, visit } from '../browser.ts';
import { type Served, serve } from '../server.ts';

const escape = '\u001b';
const hostile = [
  '<script>window.pwned = 1</script><img src=x onerror="window.pwned = 1">',
  '[click](javascript:window.pwned=1) https://evil.example/ <a href="https://evil.example/">link</a>',
  `${escape}[31mred${escape}[0m ${escape}]8;;https://evil.example/${escape}\\hidden${escape}]8;;${escape}\\`,
  'abc\u202edef\u2066ghi',
  '日本語のテキスト',
];

test.skipIf(!hasBrowser)(
  'every view in every state is accessible, in light and dark, and fits every width',
  async () => {
    const project = createProject();
    const names = await makeLoops(project);
    const served = await serve(project, '--port', '0', '--allow-control');
    const page = await openPage(served.link);
    await page.locator('.rows').first().waitFor();
    const keys = await keysIn(page);
    const found: string[] = [];
    const look = async (address: string, ready: string) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await visit(page, address);
      await page.locator(ready).first().waitFor();
      found.push(...(await axeFindings(page)).map((line) => `${address} ${line}`));
      for (const width of [320, 390, 768, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        if ((await overflow(page)) > 0) found.push(`${address} is too wide at ${width}`);
      }
    };
    await look('/', '.needs .need');
    expect(await page.locator('main').textContent()).toMatch(/newer/u);
    for (const name of names)
      await look(`/loops/${keys.find((key) => key.startsWith(`ralph-${name}-`))}`, '.loop-name');
    const running = keys.find((key) => key.startsWith('ralph-running-'));
    await look(`/loops/${running}/iterations/1`, '.receipt');
    await look('/report', '.report-foot');
    await look('/numbers', '.number-section');
    await look('/loops/ralph-nothing-00000000', '.sentence-page');
    await look('/loops/nothing', '.sentence-page');
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${served.origin}/loops/${running}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    found.push(...(await axeFindings(page)));
    await page.getByRole('menuitem', { name: 'Stop' }).click();
    found.push(...(await axeFindings(page)));
    await page.keyboard.press('Escape');
    await page.goto(served.origin);
    await page.getByRole('button', { name: 'Start a loop' }).click();
    found.push(...(await axeFindings(page)));
    expect(found).toEqual([]);

    // Whatever agents wrote is text.
    for (const address of [`/loops/${running}`, `/loops/${running}/iterations/1`, '/report', '/']) {
      await visit(page, address);
      await page.locator('h1').waitFor();
      if (address.includes('loops')) await eventually(() => page.locator('.said').allTextContents()).not.toEqual([]);
      await expectHarmless(page);
    }
  },
);

test.skipIf(!hasBrowser)(
  'a page that may only read, a link that was used, and a server that is gone say so',
  async () => {
    const project = createProject();
    project.script('agent.sh', 'cat > heard', 'touch done', 'echo "<promise>DONE</promise>"');
    writeCheck(project);
    await project.ralphd('run', 'x', ...usual);
    const served = await serve(project, '--port', '0');
    const page = await openPage(served.link);
    await page.locator('.rows').waitFor();
    expect(await page.locator('.read-only').textContent()).toContain('ralphd serve --allow-control');
    expect(await page.getByRole('button', { name: 'Start a loop' }).count()).toBe(0);
    await page.locator('a[data-row]').first().click();
    await page.locator('.night').waitFor();
    expect(await page.locator('.actions, .guide form').count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);

    // Paper is white, whatever theme the browser prefers.
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });

    const late = await openPage(served.link);
    await eventually(() => late.locator('h1').textContent()).toBe('This link has expired.');
    expect(await axeFindings(late)).toEqual([]);

    await page.goto(served.origin);
    await page.locator('.rows').waitFor();
    await expectGone(page, served);
  },
);

async function expectGone(page: Page, served: Served): Promise<void> {
  served.running.signal('SIGKILL');
  await eventually(() => page.locator('.notice').textContent()).toContain('trying again');
  expect(await page.locator('.standing').textContent()).toContain('Lost');
  expect(await axeFindings(page)).toEqual([]);
}

/** Loops in every state that a loop can be left in, one that runs, and one from the future. */
async function makeLoops(project: Project): Promise<readonly string[]> {
  const write = (name: string, ...lines: readonly string[]) =>
    project.script(`${name}.sh`, 'cat > /dev/null', ...lines);
  const says = hostile.map((text) => `printf '%s\\n' '${text.replaceAll("'", "'\\''")}'`);
  write('proves', ...says, 'echo more >> work', 'touch done', 'echo "<promise>DONE</promise>"');
  write('claims', 'echo "<promise>DONE</promise>"');
  write('works', 'echo more >> work', 'echo working');
  writeCheck(project);
  const run = async (name: string, agent: string, ...more: readonly string[]) => {
    const args = ['run', `${name} ${hostile[0]}`, '--loop-id', `ralph-${name}-00000000`, '--agent', 'command'];
    await project.ralphd(...args, '--agent-command', `./${agent}.sh`, '--delay', '0', ...more);
  };
  const checked = ['--verify', './check.sh'];
  await run('stopped', 'works', '-n', '2', ...checked);
  await run('failing', 'nothing', ...checked);
  await run('paused', 'works', '-n', '1', '--on-limit', 'pause', ...checked);
  await run('claimed', 'claims', '--trust-promise');
  await run('proven', 'proves', ...checked);
  await run('green', 'proves', ...checked);
  await run('newer', 'claims', '--trust-promise');
  makeNewer(project, 'ralph-newer-00000000');
  writeSteppedAgent(project);
  project.write('agent.sh', `${project.read('agent.sh').replace('until ', `${says.join('\n')}\nuntil `)}\nexit 0\n`);
  project.start(runOf('--loop-id', 'ralph-running-00000000', '--max-time', '8h'));
  await eventually(() => runsOf(project)).toBe(1);
  project.write('go-1', '');
  await eventually(() => runsOf(project)).toBe(2);
  return ['stopped', 'paused', 'claimed', 'proven', 'green', 'running'];
}

/** Makes the state of a loop one that a later version has written. */
function makeNewer(project: Project, loopId: string): void {
  const name = `.ralph/loops/${loopId}/state.json`;
  const document = JSON.parse(project.read(name)) as { readonly ralphd: object };
  project.write(name, JSON.stringify({ ...document, ralphd: { ...document.ralphd, format: 99 } }));
}

async function keysIn(page: Page): Promise<readonly string[]> {
  const links = await page.locator('a[data-row]').all();
  const addresses = await Promise.all(links.map((link) => link.getAttribute('href')));
  return addresses.map((address) => address?.replace('/loops/', '') ?? '');
}

async function expectHarmless(page: Page): Promise<void> {
  const seen: unknown = await page.evaluate(`({
    pwned: window.pwned,
    text: document.body.innerText,
    links: [...document.querySelectorAll('a')].map((each) => each.href),
    foreign: document.querySelectorAll('main img, main script, main iframe').length,
  })`);
  const { pwned, text, links, foreign } = seen as Harm;
  expect(pwned).toBeUndefined();
  expect(foreign).toBe(0);
  expect(links.filter((link) => !link.startsWith('http://127.0.0.1:'))).toEqual([]);
  expect(text).not.toMatch(/[\u001b\u202a-\u202e\u2066-\u2069]/u);
}

interface Harm {
  readonly pwned?: unknown;
  readonly text: string;
  readonly links: readonly string[];
  readonly foreign: number;
}
