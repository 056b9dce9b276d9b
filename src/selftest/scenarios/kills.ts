import { setTimeout as delay } from 'node:timers/promises';
import { mustHold } from '../findings.ts';
import { finishedIterations, readJournal } from '../journal.ts';
import { mustBeCompleted, type Printed, type Project } from '../project.ts';
import type { Scenario, Stage } from '../scenario.ts';

const killCount = 5;
const iterations = 8;

/** SIGKILL at random moments. */
export const kills: Scenario = {
  name: 'kills',
  action: `kill -9 at ${killCount} random moments, then resume`,
  promise: 'no fact or iteration is lost or repeated',
  play: async (stage) => {
    const project = stage.project('kills');
    project.script(
      'agent.sh',
      'cat > /dev/null',
      'echo run >> "$HOME/runs"',
      'echo more >> work',
      `if [ "$(wc -l < work)" -ge ${iterations} ]; then echo "<promise>DONE</promise>"; fi`,
    );
    project.script('check.sh', `test "$(wc -l < work)" -ge ${iterations}`);
    const acknowledged = new Map<number, string | undefined>();
    for (let kill = 0; kill < killCount; kill += 1) {
      for (const { seq, type } of await killOwner(project, stage, kill === 0)) {
        if (seq !== undefined) acknowledged.set(seq, type);
      }
      mustBeRecorded(project, acknowledged);
    }
    const last = await project.ralphd('resume', '--json');
    mustBeCompleted(last);
    mustBeRecorded(project, acknowledged);
    const finished = finishedIterations(readJournal(project.loopFolder));
    const runs = project.homeLines('runs').length;
    mustHold(finished === runs, `the agent ran ${runs} times, but ${finished} iterations are recorded`);
    const { status, verified } = await project.status();
    mustHold(status === 'completed' && verified === true, `"ralphd status" calls the loop ${String(status)}`);
  },
};

/** Starts an owner, kills it after a random number of facts and a random moment, and returns what it acknowledged. */
async function killOwner(project: Project, { random, signal }: Stage, isFirst: boolean): Promise<readonly Printed[]> {
  // The first owner must have created the loop: before that there is nothing to lose.
  const facts = isFirst ? random.int(1, 7) : random.int(0, 7);
  const pauseMs = facts === 0 ? random.int(50, 250) : random.int(0, 30);
  const running = isFirst ? project.startLoop() : project.start(['resume', '--json']);
  await project.until('the next fact', () => running.printed().length >= facts || running.hasEnded());
  await delay(pauseMs, undefined, { signal });
  running.kill('SIGKILL');
  await running.ended;
  return running.printed();
}

function mustBeRecorded(project: Project, acknowledged: ReadonlyMap<number, string | undefined>): void {
  const recorded = readJournal(project.loopFolder);
  for (const [seq, type] of acknowledged) {
    mustHold(recorded[seq - 1]?.type === type, `fact ${seq} (${type}) was acknowledged and is lost`);
  }
}
