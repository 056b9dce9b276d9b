import { existsSync } from 'node:fs';
import path from 'node:path';
import { type AppContext, useKeys } from '../app/index.ts';
import { createRedactor, failures, LoopError, type Redactor, secretsIn } from '../base/index.ts';

/** The path of the log for a background process, which removes the variable at once so that no child inherits it. */
export const backgroundVariable = 'RALPHD_BACKGROUND';

/** Tells a background process that the page started it; removed at once like the path of the log. */
export const pageVariable = 'RALPHD_FROM_PAGE';

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
  /** How this program is started. */
  readonly program: readonly string[];
  /** The arguments it was started with. */
  readonly argv: readonly string[];
  /** The key that the environment had, for another process of this program. */
  readonly key?: string;
  /** The address of the fleet's database that the environment had: it contains a password, and no agent may see it. */
  readonly db?: string;
  /** Closed when the command is over. */
  readonly closing?: AsyncDisposable[];
  /** Set in a background process that the page started. */
  readonly face?: 'page';
  /** Set in a background process started by another command line. */
  readonly background?: { readonly log: string };
  /** Whether to ignore a hangup of the terminal, as after `nohup`. */
  readonly isHangupIgnored: boolean;
}

/** The parts of `process` that surroundings are made of. */
export interface HostProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  readonly cwd: () => string;
}

/** What only the launcher knows about the process. */
export interface LaunchFacts {
  /** Set by a program that runs command lines inside its own process; the whole process otherwise. */
  readonly host?: HostProcess;
  /** Whether SIGHUP was ignored when the process started; Node does not preserve this. */
  readonly isHangupIgnored?: boolean;
}

/** The process's own surroundings. */
export function ownSurroundings({ host = process, isHangupIgnored = false }: LaunchFacts = {}): Surroundings {
  const { env } = host;
  const { [backgroundVariable]: log, [pageVariable]: fromPage } = env;
  delete env[backgroundVariable];
  delete env[pageVariable];
  const { RALPHD_KEY: key } = env;
  useKeys({ env, cwd: host.cwd() });
  const { RALPHD_DB: db } = env;
  // Nothing that this process starts inherits them.
  delete env['RALPHD_KEY'];
  delete env['RALPHD_DB'];
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
    cwd: host.cwd(),
    env,
    program: [host.execPath, ...host.execArgv, ...host.argv.slice(1, 2)],
    argv: host.argv.slice(2),
    ...(log === undefined ? {} : { background: { log } }),
    ...(log === undefined || fromPage === undefined ? {} : { face: 'page' as const }),
    ...(key === undefined ? {} : { key }),
    ...(db ? { db } : {}),
    closing: [],
    isHangupIgnored: isHangupIgnored || log !== undefined,
    // Opened on first use: a command that reads nothing must not hold a terminal open, and opening an unused stream
    // takes longer than many commands do.
    get stdin() {
      return host.stdin;
    },
    get stdout() {
      stdout ??= redacted(host.stdout, redact);
      return stdout;
    },
    get stderr() {
      stderr ??= redacted(host.stderr, redact);
      return stderr;
    },
    flush: async () => {
      if (stdout !== undefined) await flushed(host.stdout);
    },
  };
}

// No secret is this short, so printing a version number does not need to collect secrets.
const minSecretLength = 8;

/** A stream that redacts secrets from all text written to it; bytes are passed through unchanged. */
function redacted(stream: NodeJS.WriteStream, redact: (text: string) => string): NodeJS.WriteStream {
  // A reader that closes the pipe, as `head` does, must not end the loop: everything is on disk anyway.
  stream.on('error', () => {});
  const write = (chunk: string | Uint8Array, done?: (error?: Error | null) => void) =>
    stream.write(typeof chunk === 'string' ? redact(chunk) : chunk, done);
  return Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream;
}

/** A reader that closes early is not a failure; any other error while writing a result is. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>();
  stream.write('', resolve);
  const error = stream.errored ?? (await promise);
  if (!error || ('code' in error && error.code === 'EPIPE')) return;
  throw new LoopError(failures.outputNotWritten(error.message), { cause: error });
}

/** The context for the use cases. */
export function appContext({ cwd, env, stderr, face }: Surroundings): AppContext {
  const bell = stderr.isTTY ? { bell: () => void stderr.write('\u0007') } : {};
  return { cwd, env, ...bell, face: face ?? 'cli', demoProgram: [process.execPath, demoScript()] };
}

/** The demo agent: next to this code when bundled, otherwise its source, which Node runs directly. */
function demoScript(): string {
  const bundled = path.join(import.meta.dirname, 'demo-agent.js');
  return existsSync(bundled) ? bundled : path.join(import.meta.dirname, '../agents/demo/script.ts');
}
