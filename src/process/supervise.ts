import { type AttendOptions, attend } from './attend.ts';
import type { Ending, NotStarted } from './ending.ts';
import type { ProcessIdentity } from './identity.ts';
import { errorCode, type Launched, type LaunchOptions, launch, notStarted } from './launch.ts';
import { openSpool, type Spool, type SpoolPaths } from './spool.ts';

/** One command, the files it works with, and what ends it. */
export interface SuperviseOptions extends LaunchOptions, SpoolPaths, AttendOptions {
  /** Told as soon as the process runs; when it throws, the process is killed and the error passed on. */
  readonly onStarted?: ((identity: ProcessIdentity) => void) | undefined;
}

/** What became of one supervised command. */
export interface SupervisedRun {
  readonly ending: Ending;
  readonly durationMs: number;
  /** Absent when the command never became a process. */
  readonly identity?: ProcessIdentity;
  /** Processes that could not be ended; normally empty. */
  readonly survivors: readonly number[];
}

/** Runs one command and returns only when nothing it started is left alive. */
export async function supervise(options: SuperviseOptions): Promise<SupervisedRun> {
  const startedAt = performance.now();
  const durationMs = () => performance.now() - startedAt;
  if (options.signal?.aborted || options.killSignal?.aborted) {
    return { ending: { kind: 'stopped', by: 'request', forced: false }, durationMs: durationMs(), survivors: [] };
  }
  const spool = tryOpenSpool(options);
  if ('kind' in spool) return { ending: spool, durationMs: durationMs(), survivors: [] };
  try {
    const launched = await launch(options, [...spool.stdio]);
    if (launched.kind === 'not_started') return { ending: launched, durationMs: durationMs(), survivors: [] };
    await announce(launched, options);
    const attended = await attend(launched, options, spool.bytes);
    return { ...attended, durationMs: durationMs(), identity: launched.identity };
  } finally {
    spool.close();
  }
}

function tryOpenSpool(paths: SpoolPaths): Spool | NotStarted {
  try {
    return openSpool(paths);
  } catch (error) {
    return notStarted('files', errorCode(error), error instanceof Error ? error.message : String(error));
  }
}

async function announce(launched: Launched, options: SuperviseOptions): Promise<void> {
  try {
    options.onStarted?.(launched.identity);
  } catch (error) {
    await attend(launched, { marker: options.marker, killSignal: AbortSignal.abort() }, () => 0);
    throw error;
  }
}
