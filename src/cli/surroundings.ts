import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AppContext } from '../app/index.ts';
import { createRedactor, failures, LoopError, type Redactor, secretsIn } from '../base/index.ts';

/** The parts of the process that a command may use. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  /** Only for the result. */
  readonly stdout: NodeJS.WriteStream;
  /** For everything else. */
  readonly stderr: NodeJS.WriteStream;
  /** Waits until the result is written, and throws if it cannot be. */
  readonly flush: () => Promise<void>;
}

/** The process's own surroundings. */
export function ownSurroundings(): Surroundings {
  const { env } = process;
  let redactor: Redactor | undefined;
  const redact = (text: string) => {
    if (text.length < minSecretLength) return text;
    redactor ??= createRedactor(secretsIn(env));
    const { push, end } = redactor.stream();
    return push(text) + end();
  };
  let stdout: NodeJS.WriteStream | undefined;
  let stderr: NodeJS.WriteStream | undefined;
  return {
    cwd: process.cwd(),
    env,
    // Opened on first use: a command that reads nothing must not hold a terminal open, and opening an unused stream
    // takes longer than many commands do.
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
    flush: async () => {
      if (stdout !== undefined) await flushed(process.stdout);
    },
  };
}

// No secret is this short, so printing a version number need not collect them.
const minSecretLength = 8;

/** A stream that redacts secrets from everything written to it. */
function redacted(stream: NodeJS.WriteStream, redact: (text: string) => string): NodeJS.WriteStream {
  // A reader that closes the pipe, as `head` does, must not end the loop: everything is on disk anyway.
  stream.on('error', () => {});
  const write = (text: string) => stream.write(redact(text));
  return Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream;
}

/** A reader that has enough is no failure; anything else that keeps a result from being written is. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>();
  stream.write('', resolve);
  const error = stream.errored ?? (await promise);
  if (!error || ('code' in error && error.code === 'EPIPE')) return;
  throw new LoopError(failures.outputNotWritten(error.message), { cause: error });
}

/** The context for the use cases. */
export function appContext({ cwd, env }: Surroundings): AppContext {
  return { cwd, env, face: 'cli', demoProgram: [process.execPath, demoScript()] };
}

/** The demo agent: next to this code when bundled, otherwise its source, which Node runs directly. */
function demoScript(): string {
  const bundled = path.join(import.meta.dirname, 'demo-agent.js');
  return existsSync(bundled) ? bundled : path.join(import.meta.dirname, '../agents/demo/script.ts');
}
