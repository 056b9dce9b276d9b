import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AppContext } from '../app/index.ts';

/** What a command sees of the process it runs in. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** For the result and nothing else. */
  readonly stdout: NodeJS.WriteStream;
  /** For everything said on the way. */
  readonly stderr: NodeJS.WriteStream;
}

/** The process's own surroundings. */
export function ownSurroundings(): Surroundings {
  // A reader that goes away, as `head` does, must not end the loop: what cannot be shown is on disk all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return { cwd: process.cwd(), env: process.env, stdout: process.stdout, stderr: process.stderr };
}

/** What the use cases get to see. */
export function appContext({ cwd, env }: Surroundings): AppContext {
  return { cwd, env, demoProgram: [process.execPath, demoScript()] };
}

/** The demo's agent: beside this code when it is bundled, else its source, which Node runs as it is. */
function demoScript(): string {
  const bundled = path.join(import.meta.dirname, 'demo-agent.js');
  return existsSync(bundled) ? bundled : path.join(import.meta.dirname, '../agents/demo/script.ts');
}
