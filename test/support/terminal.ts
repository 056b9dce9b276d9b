import { spawn, spawnSync } from 'node:child_process';
import { follow, type Project, type Running } from './project.ts';
import { launcher } from './ralphd-process.ts';

/** A command in the foreground of its own terminal. */
export interface InTerminal extends Running {
  /** Presses keys; `\u0003` is Ctrl-C. */
  press(keys: string): void;
  /** Closes the terminal, as closing its window or connection does. */
  close(): void;
}

/** Whether this machine can open a terminal for a test. */
export const hasTerminal = spawnSync('/usr/bin/script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

/** Starts ralphd in a terminal, as a person does. */
export function startInTerminal(project: Project, args: readonly string[]): InTerminal {
  return startLineInTerminal(project, `exec ${quoted([process.execPath, launcher, ...args])}`);
}

/** Runs a shell line in a terminal. */
export function startLineInTerminal(project: Project, line: string, env: NodeJS.ProcessEnv = {}): InTerminal {
  const child = spawn('/usr/bin/script', ['-qefc', line, '/dev/null'], {
    cwd: project.folder,
    env: { ...project.env, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
  });
  return {
    ...follow(child, true),
    press: (keys) => void child.stdin.write(keys),
    close: () => void child.kill('SIGKILL'),
  };
}

/** The words of a command, quoted for a shell. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}
