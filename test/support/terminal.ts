import { spawn, spawnSync } from 'node:child_process';
import { follow, type Project, type Running } from './project.ts';
import { launcher } from './ralphd-process.ts';

/** A command line in the foreground of a terminal of its own. */
export interface InTerminal extends Running {
  /** Presses keys; `\u0003` is Ctrl-C. */
  press(keys: string): void;
}

/** Whether this machine can open a terminal for a test. */
export const hasTerminal = spawnSync('/usr/bin/script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

/** Starts ralphd in a terminal, as a person does. */
export function startInTerminal(project: Project, args: readonly string[]): InTerminal {
  const words = [process.execPath, launcher, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const child = spawn('/usr/bin/script', ['-qefc', `exec ${words.join(' ')}`, '/dev/null'], {
    cwd: project.folder,
    env: { ...project.env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
  });
  return { ...follow(child, true), press: (keys) => void child.stdin.write(keys) };
}
