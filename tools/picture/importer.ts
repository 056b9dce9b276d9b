import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const total = 412;

/** A loop of the project in the pictures. */
export interface PlannedLoop {
  readonly name: string;
  readonly task: string;
  /** How many tests fail at first. */
  readonly first: number;
  /** How many fail after each run; "-" is a run that fails, "=" one that changes nothing. The run after the last one goes on. */
  readonly plan: readonly string[];
  readonly options?: readonly string[];
}

/** Creates the project: a CSV importer, a script as its agent, and a check that counts failing tests. */
export function createImporter(project: string, env: NodeJS.ProcessEnv): void {
  mkdirSync(path.join(project, 'src'), { recursive: true });
  script(path.join(project, 'agent.sh'), agentLines());
  script(path.join(project, 'check.sh'), [
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

/** Prepares a loop; returns the arguments that run it. */
export function planLoop(project: string, { name, task, first, plan, options = [] }: PlannedLoop): readonly string[] {
  writeFileSync(path.join(project, '.loop'), name);
  writeFileSync(path.join(project, '.failing'), `${first}\n`);
  writeFileSync(path.join(project, `.plan-${name}`), `${plan.join('\n')}\n`);
  const limits = ['--max-time', '8h', '--max-cost', '25', '--loop-id', `ralph-${name}-a1b2c3d4`];
  return ['run', task, '--agent', 'claude', '--verify', './check.sh', '--trust-project', ...limits, ...options];
}

function agentLines(): readonly string[] {
  const init = { type: 'system', subtype: 'init', session_id: 's1', model: 'claude-opus-5-5' };
  const result = { type: 'result', subtype: 'success', is_error: false, result: '<promise>DONE</promise>' };
  return [
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
  ];
}

function tool(id: string, name: string, input: object): string {
  return say({ type: 'tool_use', id, name, input }, id);
}

function text(id: string, words: string): string {
  return say({ type: 'text', text: words }, id);
}

function say(content: object, id: string): string {
  const usage = { input_tokens: 9_000, output_tokens: 400 };
  return `say '${JSON.stringify({ type: 'assistant', message: { id, content: [content], usage } })}'`;
}

function script(file: string, lines: readonly string[]): void {
  writeFileSync(file, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(file, 0o755);
}
