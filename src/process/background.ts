import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program that keeps running after its starter has exited. */
export interface BackgroundStart {
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Where all of its output goes: an open file. */
  readonly log: number;
}

/** The result of the start: the program's first message, or its end without one. */
export type BackgroundResult =
  | { readonly kind: 'answered'; readonly pid: number; readonly message: unknown }
  | { readonly kind: 'ended'; readonly code: number | null; readonly signal: NodeJS.Signals | null };

const interruptSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts a program in its own session, without a terminal, and waits for its first message. An interrupt before
 * that ends the program too.
 */
export async function startInBackground({ command, cwd, env, log }: BackgroundStart): Promise<BackgroundResult> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', log, log, 'ipc'] });
  const { pid } = child;
  if (pid === undefined) throw (await once(child, 'error'))[0];
  const interrupt = () => void child.kill('SIGTERM');
  for (const name of interruptSignals) process.on(name, interrupt);
  try {
    return await new Promise<BackgroundResult>((resolve) => {
      child.once('message', (message) => resolve({ kind: 'answered', pid, message }));
      child.once('exit', (code, signal) => resolve({ kind: 'ended', code, signal }));
    });
  } finally {
    for (const name of interruptSignals) process.off(name, interrupt);
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/** Sends the one message that the starter of this background program waits for. */
export async function answerStarter(message: Readonly<Record<string, unknown>>): Promise<void> {
  if (process.send === undefined || !process.connected) return;
  // A starter that has exited needs no answer.
  await new Promise<void>((resolve) => void process.send?.(message, () => resolve()));
  if (process.connected) process.disconnect();
}
