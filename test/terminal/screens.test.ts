import { expect, test } from 'vitest';
import type { TerminalSize } from '../support/emulator.ts';
import { createProject, eventually, type Project } from '../support/project.ts';
import { Stage } from '../support/stage.ts';
import { hasTerminal } from '../support/terminal.ts';

const sizes: readonly TerminalSize[] = [
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
];

test.for(sizes)('A063 B113: every screen of a loop reads well at $columns x $rows', async (size, context) => {
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const project = createProject();
  const stage = new Stage(project, size);
  writeStory(project);

  const first = stage.start(
    'run',
    '--plain',
    'Make greet() say hello',
    ...flags,
    './check.sh',
    '--loop-id',
    'ralph-greet-a1b2c3d4',
  );
  await stage.shows(first, 'reading greet.js');
  await stage.keep('run-live', first);
  project.write('go-1', '');
  await stage.shows(first, 'fixing greet.js');
  project.write('go-2', '');
  expect((await first.ended).code).toBe(0);
  await stage.keep('run', first);

  const id = 'ralph-tests-e5f6a7b8';
  await stage.play('run-detach', 'run', task, ...flags, './tests.sh', '--detach', '--loop-id', id);
  await eventually(() => project.read('started').trim().split('\n')).toHaveLength(3);
  const logs = stage.start('logs', id, '-f');
  await stage.shows(logs, 'reading greet.js');
  await stage.leave('logs', logs);
  await stage.play('ls', 'ls');
  const watch = stage.start('watch', id, '--plain');
  await stage.shows(watch, 'reading greet.js');
  await stage.keep('watch-live', watch);
  await stage.leave('watch', watch);
  await stage.play('status', 'status', id);
  await stage.play('guide', 'guide', id, 'Keep the tests fast: no network, no timers, no sleeping.');
  await stage.play('guide-once', 'guide', id, 'Start with greet.test.js', '--once');
  await stage.play('guide-list', 'guide', id, '--list');
  await stage.play('pause', 'pause', id);
  project.write('go-3', '');
  await eventually(() => project.processes()).toEqual([]);
  await stage.play('status-paused', 'status', id);
  await stage.play('explain-paused', 'explain', id);
  await stage.play('ls-paused', 'ls');
  project.write('go-4', '');
  await stage.play('resume', 'resume', id, '--plain');
  await stage.play('status-ended', 'status', id);
  await stage.play('inspect', 'inspect', id);
  await stage.play('report', 'report', id);
  await stage.play('events', 'events', id, '--type', 'iteration.*');
  await stage.play('stats', 'stats');
  await stage.play('stats-loop', 'stats', id);
  await stage.play('explain', 'explain', id);
  await stage.play('error', 'pause', id);
  await stage.play('help', '--help');
  await stage.play('help-guide', 'guide', '--help');
});

const task = 'Write tests for greet(): an empty name, a name with spaces, and a name that is not a string at all';
const flags = ['--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--verify'];

/** Run N of the agent says what it does, waits for `go-N`, and is done in each second run. */
function writeStory(project: Project): void {
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo run >> started',
    'n=$(($(wc -l < started)))',
    'if [ $((n % 2)) = 1 ]; then echo "reading greet.js"; else echo "fixing greet.js"; fi',
    'until [ -e go-$n ]; do sleep 0.05; done',
    'case $n in 2) echo hello;; 4) echo tested;; *) echo "line $n";; esac >> greet.js',
    'echo "greet() says hello now, and its tests pass."',
    'echo "<promise>DONE</promise>"',
  );
  project.script('check.sh', 'grep -qs hello greet.js || { echo "error: expected hello, got undefined"; exit 1; }');
  project.script('tests.sh', 'grep -qs tested greet.js || { echo "error: greet() has no tests"; exit 1; }');
}
