import type { Project } from './project.ts';

/** The check of most tests: passes once the file `done` exists. */
export function writeCheck(project: Project): void {
  project.script('check.sh', 'test -f done || { echo "done is missing"; exit 1; }');
}

/** An agent that does the work and claims completion. */
export function writeHonestAgent(project: Project): void {
  project.script('agent.sh', 'cat > heard', 'touch done', 'echo "All done."', 'echo "<promise>DONE</promise>"');
}

/** An agent that changes something each time and never claims completion. */
export function writeBusyAgent(project: Project): void {
  project.script('agent.sh', 'cat > heard', 'echo more >> work', 'echo working');
}

/** The usual flags for an agent and a check in the project. */
export const usual = ['--agent', 'command', '--agent-command', './agent.sh', '--verify', './check.sh', '--delay', '0'];

/** `ralphd run "x" …` with an agent and a check in the project. */
export function runOf(...more: readonly string[]): string[] {
  return ['run', 'x', ...usual, '--json', ...more];
}

/**
 * An agent controlled step by step: run N adds a line to `started`, stores its prompt in `heard-N`, waits for `go-N`,
 * and does the work only if `finish` exists.
 */
export function writeSteppedAgent(project: Project): void {
  project.script(
    'agent.sh',
    'echo $$ >> started',
    'n=$(($(wc -l < started)))',
    'cat > heard-$n',
    'until [ -e go-$n ]; do sleep 0.05; done',
    'echo more >> work',
    '[ -e finish ] && touch done && echo "<promise>DONE</promise>"',
  );
}

/** How many runs of the stepped agent have started. */
export function runsOf(project: Project): number {
  return project.has('started') ? project.read('started').split('\n').length - 1 : 0;
}
