import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mustHold } from '../findings.ts';
import { lastLine, mustBeCompleted, type Project, printedIn } from '../project.ts';
import type { Random } from '../random.ts';
import type { Scenario, Stage } from '../scenario.ts';

interface Damage {
  readonly what: string;
  readonly file: 'journal' | 'state.json';
  readonly change: (content: Buffer, random: Random) => Buffer;
}

const cut = (content: Buffer, random: Random) => content.subarray(0, random.int(0, content.length - 2));

const flip = (content: Buffer, random: Random) => {
  const changed = Buffer.from(content);
  const at = random.int(0, content.length - 2);
  changed.writeUInt8(changed.readUInt8(at) ^ (1 << random.int(0, 6)), at);
  return changed;
};

const damages: readonly Damage[] = [
  { what: 'state.json is cut off', file: 'state.json', change: cut },
  { what: 'a bit of state.json is flipped', file: 'state.json', change: flip },
  { what: 'the journal is cut off', file: 'journal', change: cut },
  { what: 'a bit of the journal is flipped', file: 'journal', change: flip },
];

/** State files that were cut off or changed while no process ran the loop. */
export const damage: Scenario = {
  name: 'damage',
  action: 'cut off and flip bytes in journal and state.json',
  promise: 'recovered or refused; nothing is invented',
  play: async (stage) => {
    for (const [index, each] of damages.entries()) await play(stage, stage.project(`damage-${index + 1}`), each);
  },
};

async function play({ random }: Stage, project: Project, { what, file, change }: Damage): Promise<void> {
  layOut(project);
  const paused = await project.startLoop('-n', '2', '--on-limit', 'pause').ended;
  mustHold(project.homeLines('runs').length === 2, `the loop did not run twice: ${lastLine(paused.stdout)}`);
  const target = fileOf(project, file);
  writeFileSync(target, change(readFileSync(target), random));

  const resumed = await project.ralphd('resume', '-n', '5', '--json');
  const runs = project.homeLines('runs').length;
  const error = printedIn(resumed.stdout).find(({ type }) => type === 'error');
  if (file === 'journal' && error !== undefined) {
    mustHold(resumed.code !== 0 && typeof error['code'] === 'string', `${what}: refused without an error code`);
    mustHold(runs === 2, `${what}: the agent ran although the loop was refused`);
    return;
  }
  mustBeCompleted(resumed);
  const counted = Number(printedIn(resumed.stdout).at(-1)?.['iterations']);
  mustHold(counted <= runs, `${what}: ${counted} iterations are counted, but the agent ran ${runs} times`);
  mustHold(file === 'journal' || counted === runs, `${what}: ${counted} of ${runs} iterations are left`);
}

function layOut(project: Project): void {
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo run >> "$HOME/runs"',
    'echo more >> work',
    'if [ "$(wc -l < "$HOME/runs")" -ge 3 ]; then touch done; echo "<promise>DONE</promise>"; fi',
  );
  project.script('check.sh', 'test -f done');
}

function fileOf(project: Project, kind: Damage['file']): string {
  const folder = project.loopFolder;
  if (kind === 'state.json') return path.join(folder, kind);
  const journal = path.join(folder, 'journal');
  const newest = existsSync(journal) ? readdirSync(journal).toSorted().at(-1) : undefined;
  mustHold(newest !== undefined, 'the loop has no journal');
  return path.join(journal, newest);
}
