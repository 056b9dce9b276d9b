import { mustHold } from '../findings.ts';
import { finishedIterations, readJournal } from '../journal.ts';
import { mustBeCompleted } from '../project.ts';
import type { Scenario } from '../scenario.ts';

/** SIGTERM while a check runs. */
export const gate: Scenario = {
  name: 'gate',
  action: 'SIGTERM while the checks run, then resume',
  promise: 'paused, nothing left running; checked again',
  play: async (stage) => {
    const project = stage.project('gate');
    project.script('agent.sh', 'cat > /dev/null', 'touch done', 'echo "<promise>DONE</promise>"');
    project.script(
      'check.sh',
      'echo check >> "$HOME/checks"',
      'until [ -e "$HOME/go" ]; do sleep 0.1; done',
      'test -f done',
    );
    const running = project.startLoop();
    await project.until('the start of the check', () => project.hasHome('checks'));
    running.kill('SIGTERM');
    const { code } = await running.ended;
    const left = project.processes();
    mustHold(left.length === 0, `${left.length} processes are left after SIGTERM`);
    mustHold(code === 143, `the exit code after SIGTERM is ${code} instead of 143`);
    const { status, verified } = await project.status();
    mustHold(status === 'paused', `after SIGTERM the loop is ${String(status)} instead of paused`);
    mustHold(verified !== true, 'an interrupted check counts as passed');
    project.writeHome('go');
    mustBeCompleted(await project.ralphd('resume', '--json'));
    const checks = project.homeLines('checks').length;
    mustHold(checks === 2, `the checks ran ${checks} times instead of twice`);
    finishedIterations(readJournal(project.loopFolder));
  },
};
