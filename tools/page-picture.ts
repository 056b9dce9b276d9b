import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';

/*
 * Takes the pictures of the page: runs real loops with a script as their agent, serves them, and looks at them with
 * Chromium, light and dark, wide and on a phone.
 *   npm run build && node tools/page-picture.ts
 */
const root = path.dirname(import.meta.dirname);
const launcher = path.join(root, 'bin', 'ralphd.mjs');
const target = path.join(root, 'docs', 'images');
const home = mkdtempSync(path.join(os.tmpdir(), 'ralphd-picture-'));
const project = path.join(home, 'importer');
const env = { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8' };
const total = 412;
const deadlineMs = 120_000;
const started: ChildProcess[] = [];

setUp();
try {
  await makeLoops();
  await takePictures(await serve());
} finally {
  for (const child of started) child.kill('SIGTERM');
  await Promise.all(started.map(ended));
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}

function setUp(): void {
  mkdirSync(path.join(project, 'src'), { recursive: true });
  const say = (content: object, id: string) =>
    `say '${JSON.stringify({ type: 'assistant', message: { id, content: [content], usage: { input_tokens: 9_000, output_tokens: 400 } } })}'`;
  const tool = (id: string, name: string, input: object) => say({ type: 'tool_use', id, name, input }, id);
  const text = (id: string, words: string) => say({ type: 'text', text: words }, id);
  const init = { type: 'system', subtype: 'init', session_id: 's1', model: 'claude-opus-5-5' };
  const result = { type: 'result', subtype: 'success', is_error: false, result: '<promise>DONE</promise>' };
  // Each loop has a list of failing tests after each run; "-" is a run that fails, "=" one that changes nothing.
  script('agent.sh', [
    'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
    'say() { printf "%s\\n" "$1"; }',
    'cat > /dev/null; plan=.plan-$(cat .loop); echo run >> .runs-$(cat .loop); n=$(($(wc -l < .runs-$(cat .loop))))',
    'next=$(sed -n "${n}p" $plan)',
    `say '${JSON.stringify(init)}'`,
    tool('t1', 'Read', { file_path: 'src/reader.ts' }),
    tool('t2', 'Grep', { pattern: 'flush(', path: 'src' }),
    text('m1', 'reader.ts flushes in push() and again in end(); one of them is wrong.'),
    tool('t3', 'Read', { file_path: 'test/reader.test.ts' }),
    text(
      'm2',
      'The last chunk is lost when it ends inside a quoted field, so the three “span” tests can never pass. I carry the open field over to the next chunk instead of flushing it.',
    ),
    tool('t4', 'Edit', { file_path: 'src/reader.ts' }),
    tool('t5', 'Bash', { command: 'npm test -- reader' }),
    'if [ -z "$next" ]; then sleep 600; fi',
    'sleep 0.$((n * 37 % 9))',
    '[ "$next" = - ] && { echo "stream broke off" >&2; exit 1; }',
    '[ "$next" = = ] || { echo "$next" > .failing; echo "// $n $next" >> src/reader.ts; echo "// $n" >> src/split.ts; }',
    `say '${JSON.stringify(result).replace(/\}$/u, '')},"total_cost_usd":'$((1 + n % 2)).$((23 + n * 7))'}'`,
  ]);
  script('check.sh', [
    `f=$(cat .failing); echo "1..${total}"`,
    `awk -v f=$f 'BEGIN { for (i = 1; i <= ${total}; i++) print (i <= f ? "not ok " : "ok ") i " - reader, case " i }'`,
    '[ "$f" = 0 ]',
  ]);
  for (const name of ['src/reader.ts', 'src/split.ts']) writeFileSync(path.join(project, name), '// start\n');
  writeFileSync(path.join(project, '.gitignore'), '.runs-*\n.plan-*\n.failing\n.loop\n.ralph/\n');
  writeFileSync(path.join(project, 'ralphd.yml'), 'iterationDelay: "0"\nagents: { claude: { command: ./agent.sh } }\n');
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project, env });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '-qm', 'start');
}

function script(name: string, lines: readonly string[]): void {
  const file = path.join(project, name);
  writeFileSync(file, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(file, 0o755);
}

interface PlannedLoop {
  readonly name: string;
  readonly task: string;
  readonly first: number;
  readonly plan: readonly string[];
  readonly options?: readonly string[];
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

function run({ name, task, first, plan, options = [] }: PlannedLoop): ChildProcess {
  writeFileSync(path.join(project, '.loop'), name);
  writeFileSync(path.join(project, '.failing'), `${first}\n`);
  writeFileSync(path.join(project, `.plan-${name}`), `${plan.join('\n')}\n`);
  const limits = ['--max-time', '8h', '--max-cost', '25', '--loop-id', `ralph-${name}-a1b2c3d4`, ...options];
  return start('run', task, '--agent', 'claude', '--verify', './check.sh', ...limits);
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
