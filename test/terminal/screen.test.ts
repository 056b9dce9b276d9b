import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import type { TerminalSize } from '../support/emulator.ts';
import { Looker } from '../support/looker.ts';
import { createProject, eventually, factsOf, type Project, type Running } from '../support/project.ts';
import { hasTerminal } from '../support/terminal.ts';

const usual: TerminalSize = { columns: 80, rows: 24 };
const id = 'ralph-live-a1b2c3d4';

/** An agent that prints events as Claude Code does: run N waits for `go-N`, works and claims to be done. */
function projectWithAgent(context: TestContext): Project {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = createProject();
  const usage = { input_tokens: 12_000, output_tokens: 300 };
  const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } };
  const events = [
    { type: 'system', subtype: 'init', session_id: 's1', model: 'claude-opus-5-5' },
    { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'I run \u001b[2Jthe tests.' }], usage } },
    { type: 'assistant', message: { id: 'm2', content: [call], usage, stop_reason: 'tool_use' } },
  ];
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: '<promise>DONE</promise>',
    total_cost_usd: 0.42,
  };
  project.script(
    'agent.sh',
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'cat > /dev/null',
    'echo $$ >> started',
    ...events.map((event) => `echo '${JSON.stringify(event)}'`),
    'n=$(($(wc -l < started)))',
    'until [ -e go-$n ]; do sleep 0.05; done',
    'echo line >> work',
    `echo '${JSON.stringify(result)}'`,
  );
  project.script('check.sh', 'until [ ! -e hold ]; do sleep 0.05; done', '[ "$(grep -c line work)" -ge 2 ]');
  project.write('work', 'start\n');
  project.write('ralphd.yml', 'iterationDelay: "0"\nagents: { claude: { command: ./agent.sh } }\n');
  return project;
}

const run = ['run', 'Make it work', '--agent', 'claude', '--verify', './check.sh', '--max-cost', '5', '--loop-id', id];

function release(project: Project): void {
  rmSync(path.join(project.folder, 'hold'));
}

async function startOwner(project: Project): Promise<Running> {
  const running = project.start([...run, '--json']);
  await eventually(() => project.has('started')).toBe(true);
  return running;
}

test('a loop of another process is watched while it works, freezes and dies, resized, guided, and left alone', async (context) => {
  const project = projectWithAgent(context);
  const owner = await startOwner(project);
  const looker = new Looker(project, ['watch']);
  const { terminal } = looker;
  await looker.shows(/● RUNNING {2}live.*\n Iteration 1 of 100: the agent has worked for \d+s\. Last output/u);
  await looker.shows(/ │ I run the tests\.\n → Bash {2}npm test/u);

  looker.resize({ columns: 40, rows: 12 });
  await looker.shows(/^ ● RUNNING {2}live +\d\d:\d\d\nIteration 1 of 100, \d+s\n/u);
  expect((await looker.screen()).split('\n')).toHaveLength(12);
  looker.resize({ columns: 120, rows: 36 });
  await looker.shows('failing tests, as ralphd ran them');
  looker.resize(usual);

  terminal.press('g');
  await looker.shows('GUIDE THE AGENT');
  terminal.press('q: \u001b[200~no network\nno timers\u001b[201~');
  await looker.shows(/› q: no network\n › no timers/u);
  expect(factsOf(project, 'command.accepted')).toEqual([]);
  terminal.press('\r');
  await looker.shows('Saved: part of every prompt');
  expect(factsOf(project, 'command.accepted')).toMatchObject([{ command: 'guide', text: 'q: no network\nno timers' }]);

  terminal.press('p');
  await looker.shows('It pauses when iteration 1 is over');
  terminal.press('p');
  await looker.shows('live continues.');

  owner.signal('SIGSTOP');
  await looker.shows(/▲ FROZEN .*\n Its process \(\d+\) is stopped/u);
  await looker.shows(/Do this: kill -CONT \d+/u);
  owner.signal('SIGCONT');
  await looker.shows('● RUNNING');
  owner.signal('SIGKILL');
  await looker.shows(/▲ CRASHED .*\n Its process \(\d+\) died in iteration 1\. Nothing was lost\./u);
  await looker.shows(`Do this: ralphd resume ${id}`);

  terminal.press('q');
  const { code, stdout } = await terminal.ended;
  expect(code).toBe(0);
  expect(stdout.slice(stdout.lastIndexOf('\u001b[?1049l'))).toContain(`Stopped watching; ${id} is unchanged.`);
  await looker.expectRestored();
  project.write('go-1', '');
});

test('run shows the screen by default: checks, a refused claim, the prompt and the end, which stays as lines', async (context) => {
  const project = projectWithAgent(context);
  project.write('hold', '');
  const looker = new Looker(project, run);
  await looker.shows(/◆ VERIFYING .*\n ralphd runs the checks before the first iteration/u);
  release(project);
  await looker.shows('the agent has worked for');
  project.write('hold', '');
  project.write('go-1', '');
  await looker.shows(/the agent says it is done\. ralphd runs the checks/u);
  await looker.shows(/◆ \.\/check\.sh {3}running/u);
  release(project);
  await looker.shows(/ 2 ▸ the agent works/u);
  await looker.shows(/ 1 ↑ claim refused +– +\d +\$0\.42/u);
  looker.terminal.press('j\r');
  await looker.shows(/iteration 2.*1 to \d+ of \d+/su);
  looker.terminal.press('/Make\r');
  await looker.shows('Make it work');
  looker.terminal.press('\u001b');
  await looker.shows('● RUNNING');
  project.write('go-2', '');
  const { code, stdout } = await looker.terminal.ended;
  expect(code).toBe(0);
  const [before, after] = [
    stdout.slice(0, stdout.indexOf('\u001b[?1049h')),
    stdout.slice(stdout.lastIndexOf('\u001b[?1049l')),
  ];
  expect(before).toContain('Make it work');
  expect(after).toMatch(/✓ completed and verified .*\n.*for the report: ralphd report/su);
  await looker.expectRestored();
});

test('q in run goes back to lines, and Ctrl-C on the screen pauses the loop', async (context) => {
  const project = projectWithAgent(context);
  const looker = new Looker(project, run);
  await looker.shows('Bash  npm test');
  looker.terminal.press('q');
  await looker.shows(/^iteration 1$/mu);
  await looker.shows(/^ {2}agent \d+s .*Bash npm test$/mu);
  looker.terminal.press('\u0003');
  const first = await looker.terminal.ended;
  expect(first.code).toBe(130);
  const again = new Looker(project, ['resume', id]);
  await again.shows('Bash  npm test');
  again.terminal.press('\u0003');
  const { code, stdout } = await again.terminal.ended;
  expect(code).toBe(130);
  expect(stdout.slice(stdout.lastIndexOf('\u001b[?1049l'))).toContain('paused (interrupted)');
  await again.expectRestored();
});

test('several loops are a list; a number opens one, and r makes this terminal the owner of a loop that was left', async (context) => {
  const project = projectWithAgent(context);
  await project.ralphd(
    'run',
    'Say hello',
    '--agent-command',
    'true',
    '--trust-promise',
    '-n',
    '1',
    '--loop-id',
    'ralph-hello-e5f6a7b8',
  );
  const owner = await startOwner(project);
  owner.signal('SIGKILL');
  await owner.ended;
  project.write('go-1', '');
  project.write('go-2', '');
  project.write('go-3', '');
  const looker = new Looker(project, ['watch']);
  await looker.shows(/▲ 1 NEEDS YOU {2}2 loops in/u);
  await looker.shows(/ 1 ▲ live .*its process died .*nothing was lost/u);
  await looker.shows(`Do this: ralphd resume ${id}`);
  looker.terminal.press('2');
  await looker.shows(/✗ {2}STOPPED {2}hello/u);
  looker.terminal.press('n');
  await looker.shows(/▲ CRASHED {2}live/u);
  looker.terminal.press('xz?');
  await looker.shows('? HELP');
  looker.terminal.press('\u001b');
  await looker.shows(/▲ CRASHED {2}live/u);
  looker.terminal.press('r');
  const { code, stdout } = await looker.terminal.ended;
  expect(code, stdout).toBe(0);
  expect(stdout.slice(stdout.lastIndexOf('\u001b[?1049l'))).toContain('✓ completed and verified');
  await looker.expectRestored();
});

test.for(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  '%s gives the terminal back and touches no loop',
  async (signal, context) => {
    const project = projectWithAgent(context);
    const owner = await startOwner(project);
    const looker = new Looker(project, ['watch', id]);
    await looker.shows('● RUNNING');
    const isWatcher = (pid: number) => /\0watch\0/u.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    const watcher = project.processes().findLast(isWatcher);
    process.kill(watcher ?? 0, signal);
    await looker.terminal.ended;
    await looker.expectRestored();
    project.write('go-1', '');
    project.write('go-2', '');
    expect((await owner.ended).code).toBe(0);
  },
);
