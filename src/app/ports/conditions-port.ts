import { boundText, formatDuration } from '../../base/index.ts';
import { describeEnding, isFoundIn, type ObservableCondition, type PlacedCondition } from '../../core/index.ts';
import { endByMarker, type FinishedRun, runToEnd, withMarker } from '../../process/index.ts';
import type { ConditionResult, LoopConfig } from '../../protocol/index.ts';
import type { ConditionsPort, ConditionTask, EffectSignals } from '../../runner/index.ts';
import { lookInside, type PlainFile } from '../../workspace/index.ts';
import { markerOf } from './agent-port.ts';

/** How much of a file is looked at. */
const mostFileBytes = 1024 * 1024;
const mostAtOnce = 4;
const longestSaid = 200;
const shellNotFound = 127;

/** Where conditions are looked at, and for which loop. */
export interface ConditionSetting {
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uuid: string;
}

interface Situation {
  readonly setting: ConditionSetting;
  readonly task: ConditionTask;
  readonly signals: EffectSignals;
}

type Script = Extract<ObservableCondition, { readonly type: 'custom_script' }>;
type Seen = Omit<ConditionResult, 'key'>;

/** Looks at files and runs scripts, a few at a time; what each one says does not depend on the others. */
export function createConditionsPort(setting: ConditionSetting): ConditionsPort {
  return {
    async observe(task, signals) {
      if (task.isAgain) await endByMarker(markerOf(setting.uuid, task));
      const waiting = task.conditions.map((placed, index) => ({ placed, index }));
      const results: ConditionResult[] = [];
      const work = async (): Promise<boolean> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const seen = await look(next.placed, { setting, task, signals });
          if (seen === undefined) return false;
          results[next.index] = { key: next.placed.key, ...seen };
        }
        return true;
      };
      const done = await Promise.all(Array.from({ length: mostAtOnce }, work));
      return done.every(Boolean) ? results : undefined;
    },
  };
}

/** What one condition says; `undefined` when it was broken off. */
async function look(
  { key, condition }: PlacedCondition<ObservableCondition>,
  situation: Situation,
): Promise<Seen | undefined> {
  const { workingDirectory } = situation.setting;
  switch (condition.type) {
    case 'custom_script':
      return await runScript(key, condition, situation);
    case 'file_created':
      return fileSeen(workingDirectory, condition, () => ({ met: true, detail: 'it is there' }));
    case 'file_contains':
      return fileSeen(workingDirectory, condition, (file) => search(file, condition));
    case 'user_signal':
      return fileSeen(workingDirectory, condition, (file) => signalled(file, situation.task.since));
  }
}

function fileSeen(
  workingDirectory: string,
  condition: Exclude<ObservableCondition, Script>,
  judge: (file: PlainFile) => Seen,
): Seen {
  const file = lookInside(workingDirectory, condition.path, condition.type === 'file_contains' ? mostFileBytes : 0);
  switch (file.kind) {
    case 'missing':
      return { met: false, detail: 'it is not there' };
    case 'other':
      return { met: false, detail: 'it is no plain file' };
    case 'unknown':
      return { met: null, detail: file.why };
    case 'file':
      return judge(file);
  }
}

function search({ parts, isWhole }: PlainFile, wanted: Parameters<typeof isFoundIn>[1]): Seen {
  if (parts.some((part) => isFoundIn(part.toString('utf8'), wanted))) return { met: true, detail: 'it is in there' };
  return isWhole
    ? { met: false, detail: 'it is not in there' }
    : { met: null, detail: 'it is too long: only its beginning and its end were read' };
}

/** What was left of an earlier loop is no signal to this one. Some file systems know whole seconds only. */
function signalled({ modifiedMs }: PlainFile, since: string): Seen {
  const met = modifiedMs >= Math.floor(Date.parse(since) / 1_000) * 1_000;
  const touched = `it was touched at ${new Date(modifiedMs).toISOString()}`;
  return { met, detail: met ? touched : `${touched}, before the loop started` };
}

async function runScript(
  key: string,
  { run: command, timeout }: Script,
  { setting, task, signals }: Situation,
): Promise<Seen | undefined> {
  const { workingDirectory, env, uuid, config } = setting;
  const variables = {
    RALPHD_CONDITION: key,
    RALPHD_LOOP_ID: task.context.loopId,
    RALPHD_ITERATION: String(task.iteration),
  };
  const run = await runToEnd({
    command,
    cwd: workingDirectory,
    // Each script has a marker of its own as well: the end of one must not end the others.
    env: withMarker({ ...env, ...variables }, markerOf(uuid, task)),
    input: `${JSON.stringify({ condition: key, ...task.context })}\n`,
    timeoutMs: timeout,
    graceMs: config.iteration.killGrace,
    signal: signals.signal,
    killSignal: signals.kill,
  });
  if (run.ending.kind === 'stopped' && run.ending.by === 'request') return undefined;
  return hear(run, { timeoutMs: timeout, inShell: typeof command === 'string' });
}

/** Only an exit code says something; a script that did not get that far said nothing. */
function hear(
  { ending, output }: FinishedRun,
  { timeoutMs, inShell }: { readonly timeoutMs: number; readonly inShell: boolean },
): Seen {
  if (ending.kind === 'stopped' && ending.by === 'timeout') {
    return { met: null, detail: `it was ended because it took longer than ${formatDuration(timeoutMs)}` };
  }
  if (ending.kind !== 'exited') return { met: null, detail: `it ${describeEnding(ending)}` };
  if (inShell && ending.code === shellNotFound) return { met: null, detail: 'its command was not found' };
  const last = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const said = last === '' ? '' : `: ${boundText(last, longestSaid)}`;
  return { met: ending.code === 0, detail: `it ${describeEnding(ending)}${said}` };
}
