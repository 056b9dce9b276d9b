import { mustHold } from '../findings.ts';
import { mustBeCompleted, type Project } from '../project.ts';
import type { Scenario } from '../scenario.ts';

/** A process in a session of its own that ignores every signal it can; Node starts it on every system. */
const hide = `import { spawn } from 'node:child_process';
const script = "trap '' TERM INT HUP; echo $$ > \\"$HOME/hidden\\"; while :; do sleep 1; done";
spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' }).unref();
`;

/** An agent that cannot be interrupted and hides a process. */
export const hang: Scenario = {
  name: 'hang',
  action: 'the agent ignores SIGTERM and hides a child process',
  promise: 'timeout and Ctrl-C leave no process behind',
  play: async (stage) => {
    await endByTimeout(stage.project('timeout'));
    await endByInterrupt(stage.project('ctrl-c'));
  },
};

async function endByTimeout(project: Project): Promise<void> {
  layOut(project, '3s');
  const running = project.start(['run', 'Self-test', '--trust-project', '--json']);
  await project.until('the next iteration', () => project.hasHome('second'));
  const [hidden] = project.homeLines('hidden').map(Number);
  const isAlive = project.processes().some((pid) => pid === hidden);
  mustHold(!isAlive, 'the hidden process is still alive when the next iteration starts');
  project.writeHome('go');
  const ended = await running.ended;
  const left = project.processes();
  mustBeCompleted(ended);
  mustHold(left.length === 0, `${left.length} processes are left after the loop`);
}

async function endByInterrupt(project: Project): Promise<void> {
  layOut(project, '1m');
  const running = project.start(['run', 'Self-test', '--trust-project', '--json']);
  await project.until('the start of the hidden process', () => project.homeLines('hidden').length > 0);
  running.kill('SIGINT');
  const { code } = await running.ended;
  const left = project.processes();
  mustHold(left.length === 0, `${left.length} processes are left after Ctrl-C`);
  mustHold(code === 130, `the exit code after Ctrl-C is ${code} instead of 130`);
  const { status } = await project.status();
  mustHold(status === 'paused', `after Ctrl-C the loop is ${String(status)} instead of paused`);
}

function layOut(project: Project, timeout: string): void {
  project.writeHome('hide.mjs', hide);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'if [ ! -s "$HOME/hidden" ]; then',
    "  trap '' TERM INT HUP",
    '  "$NODE" "$HOME/hide.mjs"',
    '  while :; do sleep 1; done',
    'fi',
    'touch "$HOME/second"',
    'until [ -e "$HOME/go" ]; do sleep 0.1; done',
    'touch done',
    'echo "<promise>DONE</promise>"',
  );
  project.script('check.sh', 'test -f done');
  project.settings({
    agent: 'command',
    agentCommand: './agent.sh',
    verify: ['./check.sh'],
    baseline: false,
    iterationDelay: '0s',
    maxIterations: 5,
    iteration: { timeout, killGrace: '200ms' },
  });
}
