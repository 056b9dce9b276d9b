import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { mustHold, NotPossible } from '../findings.ts';
import { finishedIterations, readJournal } from '../journal.ts';
import { type Ended, lastLine, loopArgs, mustBeCompleted, type Project, printedIn } from '../project.ts';
import type { Scenario, Stage } from '../scenario.ts';

/**
 * Played inside a mount namespace, so that the small disk disappears with its last process and nothing has to be unmounted.
 * The disk is invisible from outside: what is judged is copied out.
 */
const fillDisk = `call() { name=$1; shift; "$HOME/ralphd" "$@" > "$HOME/$name.out" 2> "$HOME/$name.err"; echo $? > "$HOME/$name.code"; }
mkdir -p .ralph && mount -t tmpfs -o size=2m,mode=0700 tmpfs .ralph || exit 97
touch "$HOME/small"
call full "$@"
call status status --json
rm -f .ralph/ballast
call resumed resume --json
cp -R .ralph/loops/* "$HOME/loop"
`;
const mountRefused = 97;

/** The limit is a number of blocks. */
const limitFileSize = 'ulimit -f "$1" && shift && exec "$HOME/ralphd" "$@"';
const blockBytes = 512;

/** A disk that becomes full in the middle of a loop. */
export const disk: Scenario = {
  name: 'disk',
  action: 'fill the disk during an iteration, then free it',
  promise: 'paused with a reason; goes on where it was',
  play: async (stage) => {
    const project = stage.project('disk');
    layOut(project);
    const enter = namespaceCommand(project);
    if (typeof enter === 'string') return await limitFiles(stage, project, enter);
    const { code } = await project.startOther([...enter, '/bin/sh', '-c', fillDisk, 'sh', ...loopArgs()]).ended;
    if (code === mountRefused) return await limitFiles(stage, project, 'a small disk cannot be mounted');
    const full = endedAs(project, 'full');
    const reason = printedIn(full.stdout).at(-1)?.['reason'];
    mustHold(full.code === 5 && reason === 'environment', `a full disk ends the loop with exit code ${full.code}`);
    const [status] = printedIn(endedAs(project, 'status').stdout);
    mustHold(status?.['status'] === 'paused', `with a full disk the loop is ${String(status?.['status'])}`);
    mustContinue(project, [full, endedAs(project, 'resumed')], path.join(project.home, 'loop'));
    return undefined;
  },
};

/** The stand-in where no small disk can be had: from some size on, writing to a file fails. */
async function limitFiles(stage: Stage, project: Project, cause: string): Promise<string> {
  const blocks = String(await limitBetween(stage.project('reference')));
  const limited = await project.startOther(['/bin/sh', '-c', limitFileSize, 'sh', blocks, ...loopArgs()]).ended;
  if (limited.code === 0) throw new NotPossible(`${cause}, and no write fails under a limit on the size of files`);
  const error = printedIn(limited.stdout).find(({ type }) => type === 'error');
  mustHold(error !== undefined, `failing writes end the loop without an error: exit code ${limited.code}`);
  mustContinue(project, [limited, await project.ralphd('resume', '--json')], project.loopFolder);
  return `with a limit on the size of files instead: ${cause}`;
}

/** Enough for the first facts of a loop, and too little for its snapshot: measured on a loop without a limit. */
async function limitBetween(project: Project): Promise<number> {
  layOut(project);
  mustBeCompleted(await project.startLoop().ended);
  const journal = readFileSync(path.join(project.loopFolder, 'journal', '0001-0001.jsonl'), 'utf8');
  const [opened = '', started = ''] = journal.split('\n');
  const snapshotBytes = statSync(path.join(project.loopFolder, 'state.json')).size;
  return Math.round((Buffer.byteLength(opened + started) + snapshotBytes) / 2 / blockBytes);
}

/** The second owner completes the loop; every iteration was counted once, and none without its run. */
function mustContinue(project: Project, owners: readonly [Ended, Ended], loopFolder: string): void {
  mustBeCompleted(owners[1]);
  const finished = finishedIterations(readJournal(loopFolder));
  const runs = project.homeLines('runs').length;
  mustHold(finished <= runs, `${finished} iterations are recorded, but the agent ran ${runs} times`);
  const numbers = owners
    .flatMap(({ stdout }) => printedIn(stdout))
    .filter(({ type }) => type === 'iteration.finished')
    .map(({ iteration }) => iteration);
  mustHold(new Set(numbers).size === numbers.length, `iterations were counted twice: ${numbers.join(', ')}`);
}

function layOut(project: Project): void {
  project.script('../ralphd', `exec ${project.command([]).map(quoted).join(' ')} "$@"`);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo run >> "$HOME/runs"',
    'echo more >> work',
    'runs=$(wc -l < "$HOME/runs")',
    // Only on the small disk, and never more than it holds.
    'if [ "$runs" -eq 2 ] && [ -e "$HOME/small" ]; then',
    '  dd if=/dev/zero of=.ralph/ballast bs=4096 count=512 > /dev/null 2>&1',
    'fi',
    'if [ "$runs" -ge 4 ]; then touch done; echo "<promise>DONE</promise>"; fi',
    'exit 0',
  );
  project.script('check.sh', 'test -f done');
}

/**
 * What allows a mount that nobody else sees; a sentence where that is not possible. Root needs no user namespace, and
 * everybody else gets one where the system permits it.
 */
function namespaceCommand(project: Project): readonly string[] | string {
  if (process.platform !== 'linux') return 'a small disk can be mounted on Linux only';
  const options = process.getuid?.() === 0 ? ['-m'] : ['-r', '-m'];
  const { status, error } = spawnSync('unshare', [...options, 'true'], { env: project.env, stdio: 'ignore' });
  if (error !== undefined) return 'the program "unshare" is missing';
  if (status !== 0) return 'this user may not mount a disk';
  return ['unshare', ...options];
}

function endedAs(project: Project, name: string): Ended {
  const read = (ending: string) => readFileSync(path.join(project.home, `${name}.${ending}`), 'utf8');
  return { code: Number(read('code')), signal: null, stdout: read('out'), stderr: lastLine(read('err')) };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
