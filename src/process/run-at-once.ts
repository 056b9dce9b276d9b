/** A small program of the system whose answer is needed before anything else can be done. */
export interface ImmediateRun {
  readonly command: readonly [string, ...string[]];
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly timeoutMs: number;
}

/** What it answered; no exit code if it could not be started or took too long. */
export interface ImmediateResult {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const maxOutputBytes = 64 * 1024;

/** Runs a program while this process waits. */
export function runAtOnce({ command, env, input = '', timeoutMs }: ImmediateRun): ImmediateResult {
  const [file, ...args] = command;
  // Loaded on first use: hardly any process needs it.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { status, stdout, stderr } = spawnSync(file, args, {
    env,
    input,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: maxOutputBytes,
    encoding: 'utf8',
  });
  return { code: status ?? undefined, stdout: stdout ?? '', stderr: stderr ?? '' };
}
