import { expect, type TestContext, test } from 'vitest';
import { Looker } from '../support/looker.ts';
import { createProject, eventually, factsOf, type Project } from '../support/project.ts';
import { hasTerminal } from '../support/terminal.ts';

const idOf = (name: string) => `ralph-${name}-a1b2c3d4`;

/** A Claude Code whose task says what comes of it. */
function projectInAnyState(context: TestContext): Project {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = createProject();
  const resetsAt = Math.floor(Date.now() / 1000) + 8_040;
  const result = { type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0.42 };
  const events = {
    reject: { type: 'system', subtype: 'api_retry', error_status: 401, error: 'authentication_failed' },
    limit: { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } },
    limited: { ...result, is_error: true, api_error: 'usage_limit_reached', result: 'You have hit your limit' },
    claim: { ...result, result: '<promise>DONE</promise>' },
  };
  const say = (name: keyof typeof events) => `echo '${JSON.stringify(events[name])}'`;
  project.script(
    'agent.sh',
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'prompt=$(cat)',
    `case $prompt in *REJECT*) while :; do ${say('reject')}; sleep 0.1; done;; *LIMIT*) ${say('limit')}; ${say('limited')}; exit 1;; esac`,
    'echo line >> work',
    say('claim'),
  );
  project.write('work', 'start\n');
  project.write('ralphd.yml', 'iterationDelay: "0"\nbaseline: false\nagents: { claude: { command: ./agent.sh } }\n');
  return project;
}

function commandFor(name: string, task: string, ...more: readonly string[]): readonly string[] {
  return ['run', task, '--agent', 'claude', '--loop-id', idOf(name), ...more];
}

test('in a terminal, each state says whether it needs a person, and each yellow one carries a whole command', async (context) => {
  const project = projectInAnyState(context);
  const run = async (name: string, task: string, ...more: readonly string[]) =>
    await project.ralphd(...commandFor(name, task, ...more));
  await run('proven', 'Work', '--verify', 'grep -q line work');
  await run('claimed', 'Work', '--trust-promise');
  await run('stopped', 'Work', '-n', '1', '--verify', 'grep -q never work');
  await run('aborted', 'REJECT', '--verify', 'grep -q line work');
  expect((await project.ralphd('abort', idOf('aborted'))).code).toBe(0);
  await run('needs', 'REJECT', '--verify', 'grep -q line work');
  const waiting = project.start([...commandFor('waiting', 'LIMIT', '--verify', 'false'), '--json']);
  await eventually(() => waiting.output().stdout).toContain('wait.scheduled');

  const looker = new Looker(project, ['watch']);
  const { terminal } = looker;
  await looker.shows(/▲ 1 NEEDS YOU {2}6 loops in .*\n 1 loop needs you\. 1 waiting or paused, 4 finished\./u);
  const open = async (name: string) => {
    terminal.press('l');
    await looker.shows(/6 loops in/u);
    const [, number = ''] = new RegExp(`^ (\\d) . ${name} `, 'mu').exec(await looker.screen()) ?? [];
    terminal.press(number);
  };

  terminal.press('\r');
  await looker.shows(/▲ NEEDS YOU {2}needs .*\n Paused since \d\d:\d\d: the agent cannot work as configured\./u);
  await looker.shows(`Do this: ralphd agents, then  ralphd resume ${idOf('needs')}`);
  await looker.shows('because The provider rejects every request: authentication_failed (401)');
  await looker.shows(/── WHY ─.*\n(.*\n)* r resume here/u);
  await open('waiting');
  await looker.shows(
    /○ WAITING {2}waiting .*\n The provider refuses requests for now\. It continues .*, in 2h 1\dm\./u,
  );
  await looker.shows(/Nothing needs you\. The wait costs no iteration\.(.*\n)*.*── WHY ─(.*\n)* w retry now/u);
  await open('proven');
  await looker.shows(/✓ PROVEN +proof: \w+ +proven .*\n Done at \d\d:\d\d after 1 iteration: all checks pass;/u);
  await looker.shows(/ 1 ✓ proven .*(.*\n)*── WHAT YOU GOT ─/u);
  await open('claimed');
  await looker.shows(
    /◇ CLAIMED +proof: none .*\n Done .* after 1 iteration: the agent says so, and nothing was checked\./u,
  );
  await open('stopped');
  await looker.shows(/✗ {2}STOPPED {2}stopped .*\n Stopped at \d\d:\d\d by max_iterations: /u);
  await looker.shows('Not done.');
  await open('aborted');
  await looker.shows(/■ {2}ABORTED {2}aborted .*\n Aborted at \d\d:\d\d: /u);

  await open('waiting');
  await looker.shows('○ WAITING');
  terminal.press('x');
  await looker.shows(/── MORE, FOR waiting ─.*\n(.*\n)* t stop +end the loop permanently(.*\n)* esc back/u);
  terminal.press('a');
  await looker.shows(/── ARE YOU SURE\? ─.*\n End waiting permanently and kill its agent now\?/u);
  terminal.press('n');
  await looker.shows('Nothing was done.');
  terminal.press('w');
  await looker.shows('waiting stops waiting.');
  terminal.press('?');
  await looker.shows(/\? HELP(.*\n)* o +what it said, in your \$PAGER/u);
  terminal.press('q');
  expect((await terminal.ended).code).toBe(0);
  await looker.expectRestored();
  waiting.signal('SIGTERM');
  await waiting.ended;
});

/** What a terminal may be told: where to write, how, and which modes the screen needs. */
const allowed = /\u001b\[(?:\d+;1H|K|2J|[\d;]*m|\?(?:2026|1049|25|7|2004)[hl])/gu;

const hostile = [
  '\u001b]52;c;b3duZWQ=\u0007',
  '\u001b]0;owned\u0007',
  '\u001bPq#0;2;0;0;0#0~~@@vv@@~~\u001b\\',
  '\u009b2J\u009d0;owned\u009c',
  '\u202egnp.exe\u2066',
  '\u001b[?1049l\u001b[H',
];

test('whatever an agent prints, the terminal is told only where to write; its pager gets it all, with its own Ctrl-C', async (context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = createProject();
  const call = (text: string, index: number) => ({
    type: 'assistant',
    message: {
      id: `m${index}`,
      content: [
        { type: 'text', text: `${text} said` },
        { type: 'tool_use', id: `t${index}`, name: `Bash${text}`, input: { command: `echo ${text} step-${index}` } },
      ],
    },
  });
  const lines = Array.from({ length: 1_000 }, (_, index) => JSON.stringify(call(hostile[index % 6] ?? '', index)));
  const long = { type: 'text', text: Array.from({ length: 1_000 }, (_, row) => `row ${row}`).join('\n') };
  lines.push(JSON.stringify({ type: 'assistant', message: { id: 'last', content: [long] } }));
  project.write('events', `${lines.join('\n')}\n`);
  project.script(
    'agent.sh',
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'cat > /dev/null; cat events; until [ -e go ]; do sleep 0.05; done',
  );
  project.script(
    'pager.sh',
    'cat > paged; echo "PAGER $(wc -l < paged)"; trap "echo; exit 0" INT; while :; do sleep 0.05; done',
  );
  project.write('ralphd.yml', 'agents: { claude: { command: ./agent.sh } }\n');
  const task = `Make it work ${hostile.join(' ')} 日本語 🚀 e\u0301`;
  const looker = new Looker(project, [...commandFor('hostile', task, '--trust-promise')], {
    env: { PAGER: './pager.sh | cat' },
  });
  await looker.shows(/→ Bash {2}echo .*step-999\n( │ .*\n)+ │ row \d+\n │ … \d+ more lines; enter shows them/u);
  looker.terminal.press('o');
  await looker.shows(/PAGER \d{4,}/u);
  expect(project.read('paged')).toMatch(/step-0\b(.*\n)*.*step-999\b(.*\n)*row 999\n/u);
  expect(project.read('paged')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u);
  looker.terminal.press('\u0003');
  await looker.shows('● RUNNING');
  expect(factsOf(project, 'loop.paused')).toEqual([]);
  looker.terminal.press('\u0003');
  const { code, stdout } = await looker.terminal.ended;
  expect(code).toBe(130);
  const onScreen = stdout.slice(stdout.indexOf('\u001b[?1049h'), stdout.lastIndexOf('\u001b[?1049l'));
  const rest = onScreen.replaceAll(allowed, '').replaceAll(/[\r\n]/gu, '');
  expect(rest).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u);
  await looker.expectRestored();
});

test('a terminal that takes nothing holds up no loop, and a mistake in the program gives the terminal back', async (context) => {
  const project = projectInAnyState(context);
  project.script('check.sh', 'until [ -e go ]; do sleep 0.05; done', '[ "$(grep -c line work)" -ge 3 ]');
  const stalled = new Looker(project, commandFor('stalled', 'Work', '--verify', './check.sh'));
  await stalled.shows('◆ VERIFYING');
  // Nobody reads what the terminal holds, which is a few kilobytes: less than these frames.
  stalled.terminal.signal('SIGSTOP');
  let frames = 0;
  const draw = () => {
    stalled.resize({ columns: 100 + (frames % 2), rows: 60 });
    return (frames += 1);
  };
  await expect.poll(draw, { interval: 100, timeout: 60_000 }).toBe(15);
  project.write('go', '');
  await eventually(() => factsOf(project, 'loop.ended')).toHaveLength(1);
  stalled.terminal.signal('SIGCONT');
  expect((await stalled.terminal.ended).code).toBe(0);
  await stalled.expectRestored();

  project.write(
    'throw.cjs',
    "setInterval(() => { if (require('fs').existsSync('throw')) throw new Error('planted'); }, 20);",
  );
  const env = { NODE_OPTIONS: '--require ./throw.cjs' };
  const looker = new Looker(project, ['watch'], { env });
  await looker.shows('✓ PROVEN');
  project.write('throw', '');
  const { code, stdout } = await looker.terminal.ended;
  expect(code).not.toBe(0);
  expect(stdout.slice(stdout.lastIndexOf('\u001b[?1049l'))).toContain('planted');
  await looker.expectRestored();
});
