import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AppContext } from '../app/index.ts';
import { createRedactor, type Redactor, secretsIn } from '../base/index.ts';

/** What a command sees of the process it runs in. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  /** For the result and nothing else. */
  readonly stdout: NodeJS.WriteStream;
  /** For everything said on the way. */
  readonly stderr: NodeJS.WriteStream;
}

/** The process's own surroundings. */
export function ownSurroundings(): Surroundings {
  const { env } = process;
  let redactor: Redactor | undefined;
  const redact = (text: string) => {
    if (text.length < shortestTelling) return text;
    redactor ??= createRedactor(secretsIn(env));
    const { push, end } = redactor.stream();
    return push(text) + end();
  };
  let stdout: NodeJS.WriteStream | undefined;
  let stderr: NodeJS.WriteStream | undefined;
  return {
    cwd: process.cwd(),
    env,
    // Each is opened on first use: a command that reads nothing must not hold a terminal open, and to open one that
    // nothing is written to takes longer than many a command.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      stdout ??= redacted(process.stdout, redact);
      return stdout;
    },
    get stderr() {
      stderr ??= redacted(process.stderr, redact);
      return stderr;
    },
  };
}

// A version number must not wait until the secrets are known.
const shortestTelling = 8;

/** A stream to which no secret is written, whatever a command prints. */
function redacted(stream: NodeJS.WriteStream, redact: (text: string) => string): NodeJS.WriteStream {
  // A reader that goes away, as `head` does, must not end the loop: what cannot be shown is on disk all the same.
  stream.on('error', () => {});
  const write = (text: string) => stream.write(redact(text));
  return Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream;
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
