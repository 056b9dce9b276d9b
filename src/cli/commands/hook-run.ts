import { answerStop, findProject, placeOf, type StopAnswer } from '../../app/index.ts';
import { exitCodes, LoopError } from '../../base/index.ts';
import { loadPlaces } from '../../config/index.ts';
import type { LetStopCause, Loop } from '../../core/index.ts';
import { configPlaces } from '../config-places.ts';
import { agentOf, timeoutOf } from '../hook-options.ts';
import { jsonLine } from '../output/json-line.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { readText } from '../read-text.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

const maxInputLength = 4 * 1024 * 1024;
/** What is left for starting Node, ending the checks and writing the answer before the agent ends the hook. */
const maxMarginMs = 30_000;

/**
 * `ralphd hook run`: an agent runs it when its session stops. Whatever goes wrong, the session may stop: then it says
 * why on stderr, and the loop can be resumed.
 */
export async function runHook(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, interrupt);
  try {
    const answer = await answerFor(invocation, surroundings, interrupted.signal);
    const output = outputFor(answer);
    if (output !== undefined) stdout.write(jsonLine(output));
    if (answer.kind === 'over' && answer.isLate) stderr.write(`${messageFor(answer)}\n`);
  } catch (error) {
    const why = error instanceof LoopError ? error.message : `an unexpected error: ${String(error)}`;
    const message = `ralphd: the loop was not continued: ${oneLine(why, 500)}`;
    stderr.write(`${message}\n`);
    stdout.write(jsonLine({ systemMessage: message }));
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
  return exitCodes.completed;
}

async function answerFor(invocation: Invocation, surroundings: Surroundings, signal: AbortSignal): Promise<StopAnswer> {
  const { env } = surroundings;
  const timeoutMs = timeoutOf(invocation.options['timeout'], 1000);
  const input = await readText('-', maxInputLength, surroundings);
  return await answerStop(input, {
    agent: agentOf(invocation),
    context: appContext(surroundings),
    timeoutMs: timeoutMs - Math.min(maxMarginMs, timeoutMs / 2),
    signal,
    placeOf: async (folder) => {
      const cwd = findProject(env['CLAUDE_PROJECT_DIR'] ?? folder ?? surroundings.cwd, env);
      return placeOf(await loadPlaces(configPlaces(invocation, { ...surroundings, cwd })), cwd);
    },
  });
}

/** The answer as agents read it; undefined for none. */
function outputFor(answer: StopAnswer): object | undefined {
  switch (answer.kind) {
    case 'none':
      return undefined;
    case 'let':
    case 'over':
      return { systemMessage: messageFor(answer) };
    case 'block':
      return { decision: 'block', reason: answer.prompt, systemMessage: messageFor(answer) };
  }
}

function messageFor(answer: Exclude<StopAnswer, { kind: 'none' }>): string {
  const { loop } = answer;
  switch (answer.kind) {
    case 'let':
      return `ralphd: loop ${loop.id} waits: ${causes[answer.cause]}.`;
    case 'block':
      return `ralphd: loop ${loop.id} continues with iteration ${loop.position.iteration}.`;
    case 'over':
      return answer.isLate
        ? `ralphd: the checks of loop ${loop.id} took longer than the hook may, so nothing is proven. Finish them with "ralphd resume ${loop.id}", or install the hook with a longer "--timeout".`
        : `ralphd: loop ${loop.id} ${endText(loop)}`;
  }
}

const causes: Readonly<Record<LetStopCause, string>> = {
  other_event: 'this is not the end of a turn',
  background_tasks: 'tasks of the session still run in the background',
  wake_ups: 'the session has scheduled a wake-up',
  planning: 'the session only plans',
  stop_reason: 'the turn did not end by itself',
  provider_error: 'the provider refused a request',
  ceiling: 'it has used up the iterations that a session may take',
};

function endText({ status, outcome: { message, verified, reason }, id }: Loop): string {
  if (status === 'completed') {
    return verified ? 'is completed: the checks passed.' : 'is completed; nothing was verified.';
  }
  const why = message === undefined ? (reason ?? '') : oneLine(message, 300);
  return `is ${status}${why === '' ? '' : `: ${why}`}. See "ralphd explain ${id}".`;
}
