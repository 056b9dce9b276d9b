import { expect } from 'vitest';
import type { Project, Running } from '../support/project.ts';

/** A running `ralphd serve`. */
export interface Served {
  /** A link that signs in once. */
  readonly link: string;
  readonly origin: string;
  readonly running: Running;
}

/** Starts the server of a project and waits until it answers. */
export async function serve(project: Project, ...args: readonly string[]): Promise<Served> {
  const running = project.start(['serve', ...args]);
  await expect.poll(() => linkIn(running)).toBeDefined();
  const link = linkIn(running) ?? '';
  return { link, origin: new URL(link).origin, running };
}

/** Kills the server at once and starts another one at the same address. */
export async function restart(project: Project, served: Served, ...args: readonly string[]): Promise<Served> {
  served.running.signal('SIGKILL');
  await served.running.ended;
  return await serve(project, '--port', new URL(served.origin).port, ...args);
}

function linkIn(running: Running): string | undefined {
  const { stdout, stderr } = running.output();
  return /http:\/\/\S+#token=\S+/u.exec(`${stdout}${stderr}`)?.[0];
}
