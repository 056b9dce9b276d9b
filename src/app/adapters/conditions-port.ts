import { boundText, formatDuration } from '../../base/index.ts';
import { describeEnding, isFoundIn, type ObservableCondition, type PlacedCondition } from '../../core/index.ts';
import { endByMarker, type FinishedRun, runToEnd, withMarker } from '../../process/index.ts';
import { attemptVariables, type ConditionResult, type LoopConfig, type TraceVariables } from '../../protocol/index.ts';
import type { ConditionsPort, ConditionTask, EffectSignals } from '../../runner/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { inspectFile, type PlainFile } from '../../workspace/index.ts';
import { markerOf } from './agent-port.ts';

/** How much of a file is read. */
const maxFileBytes = 1024 * 1024;
const maxConcurrent = 4;
const maxDetailLength = 200;
const shellNotFound = 127;

/** Where conditions are observed, and for which loop. */
export interface ConditionSetting {
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uuid: string;
  /** Places what it starts in the trace of the loop. */
  readonly trace?: TraceVariables | undefined;
  /** The sandbox of the loop: a script may run what the agent has written. */
  readonly sandbox?: Sandbox | undefined;
}

interface Situation {
  readonly setting: ConditionSetting;
  readonly task: ConditionTask;
  readonly signals: EffectSignals;
}

type Script = Extract<ObservableCondition, { readonly type: 'custom_script' }>;
type Observation = Omit<ConditionResult, 'key'>;

/** Checks files and runs scripts, a few at a time; no result depends on another. */
export function createConditionsPort(setting: ConditionSetting): ConditionsPort {
  return {
    async observe(task, signals) {
      if (task.isRepeat) await endByMarker(markerOf(setting.uuid, task));
      const waiting = task.conditions.map((placed, index) => ({ placed, index }));
      const results: ConditionResult[] = [];
      const work = async (): Promise<boolean> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const observation = await observeOne(next.placed, { setting, task, signals });
          if (observation === undefined) return false;
          results[next.index] = { key: next.placed.key, ...observation };
        }
        return true;
      };
      const done = await Promise.all(Array.from({ length: maxConcurrent }, work));
      return done.every(Boolean) ? results : undefined;
    },
  };
}

/** The result of one condition; `undefined` if it was interrupted. */
async function observeOne(
  { key, condition }: PlacedCondition<ObservableCondition>,
  situation: Situation,
): Promise<Observation | undefined> {
  const { workingDirectory } = situation.setting;
  switch (condition.type) {
    case 'custom_script':
      return await runScript(key, condition, situation);
    case 'file_created':
      return observeFile(workingDirectory, condition, () => ({ met: true, detail: 'the file exists' }));
    case 'file_contains':
      return observeFile(workingDirectory, condition, (file) => search(file, condition));
    case 'user_signal':
      return observeFile(workingDirectory, condition, (file) => signalled(file, situation.task.since));
  }
}

function observeFile(
  workingDirectory: string,
  condition: Exclude<ObservableCondition, Script>,
  judge: (file: PlainFile) => Observation,
): Observation {
  const file = inspectFile(workingDirectory, condition.path, condition.type === 'file_contains' ? maxFileBytes : 0);
  switch (file.kind) {
    case 'missing':
      return { met: false, detail: 'the file does not exist' };
    case 'other':
      return { met: false, detail: 'not a regular file' };
    case 'unknown':
      return { met: null, detail: file.reason };
    case 'file':
      return judge(file);
  }
}

function search({ parts, isWhole }: PlainFile, pattern: Parameters<typeof isFoundIn>[1]): Observation {
  if (parts.some((part) => isFoundIn(part.toString('utf8'), pattern)))
    return { met: true, detail: 'the text was found' };
  return isWhole
    ? { met: false, detail: 'the text was not found' }
    : { met: null, detail: 'the file is too long: only its beginning and its end were searched' };
}

/** A file left by an earlier loop is no signal for this one. Some file systems store only whole seconds. */
function signalled({ modifiedMs }: PlainFile, since: string): Observation {
  const met = modifiedMs >= Math.floor(Date.parse(since) / 1_000) * 1_000;
  const touched = `the file was modified at ${new Date(modifiedMs).toISOString()}`;
  return { met, detail: met ? touched : `${touched}, before the loop started` };
}

async function runScript(
  key: string,
  { run: command, timeout }: Script,
  { setting, task, signals }: Situation,
): Promise<Observation | undefined> {
  const { workingDirectory, env, uuid, config, trace, sandbox } = setting;
  const variables = { RALPHD_CONDITION: key, ...attemptVariables(task), ...trace?.('iteration', task) };
  const plain = {
    command,
    cwd: workingDirectory,
    // Each script also has its own marker, so that ending one does not end the others.
    env: withMarker({ ...env, ...variables }, markerOf(uuid, task)),
  };
  const run = await runToEnd({
    ...plain,
    ...sandbox?.enclose(plain),
    input: `${JSON.stringify({ condition: key, ...task.context })}\n`,
    timeoutMs: timeout,
    graceMs: config.iteration.killGrace,
    signal: signals.signal,
    killSignal: signals.kill,
  });
  if (run.ending.kind === 'stopped' && run.ending.by === 'request') return undefined;
  return toObservation(run, { timeoutMs: timeout, inShell: typeof command === 'string' });
}

/** Only the exit code counts; a script that did not exit has no result. */
function toObservation(
  { ending, output }: FinishedRun,
  { timeoutMs, inShell }: { readonly timeoutMs: number; readonly inShell: boolean },
): Observation {
  if (ending.kind === 'stopped' && ending.by === 'timeout') {
    return { met: null, detail: `it was ended because it took longer than ${formatDuration(timeoutMs)}` };
  }
  if (ending.kind !== 'exited') return { met: null, detail: `it ${describeEnding(ending)}` };
  if (inShell && ending.code === shellNotFound) return { met: null, detail: 'command not found' };
  const last = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const detail = last === '' ? '' : `: ${boundText(last, maxDetailLength)}`;
  return { met: ending.code === 0, detail: `it ${describeEnding(ending)}${detail}` };
}
