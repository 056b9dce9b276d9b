import {
  boundBackgroundLog,
  type DrivenLoop,
  type LoopPlace,
  openBackgroundLog,
  settleBackgroundLog,
} from '../app/index.ts';
import { type Failure, failures, LoopError, scrub } from '../base/index.ts';
import { answerStarter, type BackgroundResult, startInBackground } from '../process/index.ts';
import { backgroundVariable, type Surroundings } from './surroundings.ts';

/** A loop that runs in a background process. */
export interface BackgroundLoop {
  readonly loopId: string;
  readonly pid: number;
  readonly log: string;
  /** Messages for the user, printed before the loop continues. */
  readonly warnings: readonly string[];
}

/** Runs this command line again in the background and waits until the first facts of its loop are written. */
export async function startBackground(
  { cwd, env, program, argv, key }: Surroundings,
  place: LoopPlace,
  loopId?: string,
): Promise<BackgroundLoop> {
  using log = openBackgroundLog(place, env, loopId);
  try {
    const own = { ...env, [backgroundVariable]: log.path, ...(key === undefined ? {} : { RALPHD_KEY: key }) };
    const result = await startInBackground({ command: [...program, ...argv], cwd, env: own, log: log.file });
    return answerOf(result, log.lastLine);
  } finally {
    log.discard();
  }
}

type Answer =
  | { readonly kind: 'running'; readonly loopId: string; readonly log: string; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly failure: Failure };

function answerOf(result: BackgroundResult, lastLine: () => string): BackgroundLoop {
  if (result.kind === 'ended') {
    const how = result.signal === null ? `ended with exit code ${result.code ?? 1}` : `was ended by ${result.signal}`;
    const line = scrub(lastLine());
    throw new LoopError(failures.backgroundFailed(line === '' ? how : `${how} ("${line}")`));
  }
  // This program wrote it, so its shape is known.
  const answer = result.message as Answer;
  if (answer.kind === 'refused') throw new LoopError(answer.failure);
  const { loopId, log, warnings } = answer;
  return { loopId, pid: result.pid, log, warnings };
}

/** In the background process: moves the log into the loop's folder, limits its size, and reports the start to the parent. */
export async function settleInBackground(driven: DrivenLoop, { background }: Surroundings): Promise<void> {
  if (background === undefined) return;
  const { drive, folder, problems } = driven;
  const log = settleBackgroundLog(background.log, folder);
  drive.facts.subscribe(() => boundBackgroundLog(process.stdout.fd));
  const answer: Answer = { kind: 'running', loopId: drive.loop.id, log, warnings: problems.messages };
  await answerStarter({ ...answer });
}

/** In the background process of an encrypted loop: leaves one line in the log, and nothing about the loop. */
export function withoutOutput(surroundings: Surroundings, loopId: string): Surroundings {
  surroundings.stdout.write(`${loopId} is encrypted, so nothing about it is written here: ralphd watch ${loopId}\n`);
  const muted = (stream: NodeJS.WriteStream) =>
    Object.create(stream, { write: { value: () => true } }) as NodeJS.WriteStream;
  return { ...surroundings, stdout: muted(surroundings.stdout), stderr: muted(surroundings.stderr) };
}

/** In the background process: passes the error to the parent, which reports it. */
export async function refuseInBackground({ failure }: LoopError): Promise<void> {
  const answer: Answer = { kind: 'refused', failure };
  await answerStarter({ ...answer });
}
