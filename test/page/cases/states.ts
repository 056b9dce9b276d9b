import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { leaveLoop } from '../../../src/app/testing/left-loop.ts';
import { usual, writeBusyAgent, writeCheck, writeHonestAgent } from '../../support/agents.ts';
import { createProject, type Project } from '../../support/project.ts';
import { axeFindings, eventually, hasBrowser, inDark, openPage, overflow, visit } from '../browser.ts';
import { serve } from '../server.ts';

const idOf = (name: string) => `ralph-${name}-00000000`;

test.skipIf(!hasBrowser)(
  'a loop that needs a person, waits or cannot be read says why and what to do, and is accessible',
  async () => {
    const project = createProject();
    await leaveLoops(project);
    const served = await serve(project, '--port', '0', '--allow-control');
    const page = await openPage(served.link);
    const found: string[] = [];
    const examine = async (what: string) => {
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        found.push(
          ...(await axeFindings(page, width === 390 ? inDark : undefined)).map(
            (line) => `${what} at ${width}: ${line}`,
          ),
        );
        if ((await overflow(page)) > 0) found.push(`${what} is too wide at ${width}`);
      }
      await page.setViewportSize({ width: 1280, height: 900 });
    };
    const shows = async (place: string, text: string | RegExp) =>
      await eventually(async () => (await page.locator(place).allInnerTexts()).join('\n')).toMatch(text);
    const look = async (name: string, lead: string | RegExp) => {
      await visit(page, '/');
      await page.getByRole('link', { name, exact: true }).click();
      await shows('h1', lead);
      await examine(name);
    };
    await shows('h1', '6 loops need you. 2 wait.');
    await shows('.needs', /Damaged\s+ralph-damaged-00000000/u);
    await shows('.needs', /Locked\s+ralph-locked-00000000/u);
    await shows('.rows', 'No process runs it; it goes on when it is resumed.');
    await examine('fleet');
    await look('asking', /^Waiting for a decision: Start iteration 1\?/u);
    await look('waiting', /^Waiting another .* for the provider's usage limit to reset\.$/u);
    await look('crashed', /^Its process died; nothing was lost\.$/u);
    await look('frozen', /^Its process is stopped\. Nothing happens until it continues\.$/u);
    await shows('.result', /kill -CONT \d+/u);
    await look('parked', /^No process runs the loop now; it is due in /u);
    await look('green', /^Completed: all checks pass, as they did before the first iteration/u);
    await shows('.loop-name', /Already green/u);

    // What is refused stays below its button, with the reason.
    await look('paused', /^Paused: the maximum number of iterations is used up\.$/u);
    rmSync(path.join(project.folder, 'agent.sh'));
    await page.getByRole('button', { name: 'Resume' }).first().click();
    await shows('.action-line.refused', /^Not done: /u);
    await examine('refused');

    // What ends a loop is asked about first, so no step does it with one click.
    expect(await page.locator('.result').innerText()).toContain(`ralphd abort ${idOf('paused')}`);
    expect(await page.locator('.result').getByRole('button', { name: 'Abort' }).count()).toBe(0);

    // Another device gets a link of its own, which works once.
    await visit(page, '/');
    await page.getByRole('button', { name: 'Link for another device' }).click();
    await shows('.other-device', /Works once, until \d\d:\d\d\./u);
    await examine('link');
    const link = await page.locator('.other-device code').textContent();
    const other = await openPage(link ?? '', { width: 390 });
    await eventually(() => other.locator('h1').textContent()).toMatch(/need/u);
    await other.context().close();

    // A connection that is gone for more than a minute, by the page's own clock.
    served.running.signal('SIGKILL');
    await shows('.notice', 'trying again');
    await page.clock.install({ time: Date.now() + 61_000 });
    await page.clock.resume();
    await shows('.notice-strong', /^Nothing new since \d\d:\d\d\. Is ralphd serve still running\?/u);
    await examine('gone');
    expect(found).toEqual([]);
  },
);

/** Loops in the states that need a process of their own, a broken file or hours to come about. */
async function leaveLoops(project: Project): Promise<void> {
  writeCheck(project);
  writeHonestAgent(project);
  const run = (name: string, ...more: readonly string[]) =>
    ['run', name, ...usual, '--loop-id', idOf(name), '--force', '--json'].concat(more);
  project.write('done', '');
  await project.ralphd(...run('green'));
  rmSync(path.join(project.folder, 'done'));
  writeBusyAgent(project);
  const once = ['-n', '1', '--on-limit', 'pause'];
  for (const name of ['damaged', 'paused']) await project.ralphd(...run(name, ...once));
  damage(path.dirname(project.folder), idOf('damaged'));
  const keyFile = path.join(path.dirname(project.folder), 'key');
  await project.ralphd('key', 'new', '--file', keyFile);
  await project.ralphdWith({ RALPHD_PERSISTENCE_ENCRYPT: 'true', RALPHD_KEY_FILE: keyFile }, run('locked', ...once));
  rmSync(keyFile);

  project.write('ralphd.yml', 'agents: { claude: { command: ./claude.sh } }\n');
  writeLimitedClaude(project);
  project.script('slow.sh', 'cat > at-work', 'until [ -e go ]; do sleep 0.05; done');
  const waiting = project.start(run('waiting', '--agent', 'claude'));
  const asking = project.start(run('asking', '--attended', '--auto-approve-after', '8h'));
  const frozen = project.start(run('frozen', '--agent-command', './slow.sh'));
  await eventually(() => waiting.output().stdout).toContain('wait.scheduled');
  await eventually(() => asking.output().stdout).toContain('question.asked');
  await eventually(() => project.has('at-work')).toBe(true);
  frozen.signal('SIGSTOP');

  const place = { workingDirectory: project.folder, root: path.join(project.folder, '.ralph') };
  leaveLoop(place, idOf('crashed'));
  const wakeAt = new Date(Date.now() + 8 * 3_600_000).toISOString();
  leaveLoop(
    place,
    idOf('parked'),
    { type: 'wait.scheduled', data: { until: wakeAt, cause: 'limit', message: 'the provider refuses requests' } },
    { type: 'loop.parked', data: { wakeAt, elapsedMs: 0 } },
  );
}

/** Leaves nothing of a loop's state that can be read, here and in its copy. */
function damage(home: string, loopId: string): void {
  for (const file of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const name = path.join(file.parentPath, file.name);
    if (file.isFile() && name.includes(loopId)) writeFileSync(name, 'broken');
  }
}

/** A Claude Code whose provider refuses requests for two hours. */
function writeLimitedClaude(project: Project): void {
  const resetsAt = Math.floor(Date.now() / 1000) + 8_040;
  const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } };
  const ended = {
    type: 'result',
    subtype: 'success',
    is_error: true,
    api_error: 'usage_limit_reached',
    result: 'You have hit your limit',
  };
  project.script(
    'claude.sh',
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'cat > /dev/null',
    `echo '${JSON.stringify(limit)}'`,
    `echo '${JSON.stringify(ended)}'`,
    'exit 1',
  );
}
