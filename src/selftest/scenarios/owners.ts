import { mustHold } from '../findings.ts';
import { finishedIterations, readJournal } from '../journal.ts';
import { mustBeCompleted } from '../project.ts';
import type { Scenario } from '../scenario.ts';

const lockedExit = 6;

/** A second owner while the first one lives. */
export const owners: Scenario = {
  name: 'owners',
  action: 'start a second owner while the first one works',
  promise: 'the second is refused, the first goes on',
  play: async (stage) => {
    const project = stage.project('owners');
    project.script(
      'agent.sh',
      'cat > /dev/null',
      'echo run >> "$HOME/runs"',
      'until [ -e "$HOME/go" ]; do sleep 0.1; done',
      'touch done',
      'echo "<promise>DONE</promise>"',
    );
    project.script('check.sh', 'test -f done');
    const first = project.startLoop();
    await project.until('the start of the agent', () => project.hasHome('runs'));
    const before = readJournal(project.loopFolder).length;
    const second = await project.ralphd('resume', '--json');
    mustHold(second.code === lockedExit, `the second owner exits with ${second.code} instead of ${lockedExit}`);
    const epochs = readJournal(project.loopFolder).filter(({ type }) => type === 'segment.opened').length;
    mustHold(epochs === 1, `${epochs} owners wrote to the journal after fact ${before}`);
    project.writeHome('go');
    mustBeCompleted(await first.ended);
    const finished = finishedIterations(readJournal(project.loopFolder));
    const runs = project.homeLines('runs').length;
    mustHold(finished === 1 && runs === 1, `${runs} runs of the agent and ${finished} iterations instead of one`);
  },
};
