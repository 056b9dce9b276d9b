import { boundText, formatDuration } from '../../base/index.ts';
import { type DueHook, describeEnding } from '../../core/index.ts';
import { type CapturedRun, endByMarker, runCapture } from '../../process/index.ts';
import {
  attemptVariables,
  type ChildVariable,
  type FactData,
  type HookConfig,
  type HookReply,
  type LoopConfig,
  maxHookPromptLength,
  mergeHookData,
  readHookReply,
} from '../../protocol/index.ts';
import type { EffectSignals, HooksPort, HooksRun, HookTask } from '../../runner/index.ts';
import { markerOf } from './agent-port.ts';

/** A hook that prints more than this is ended. */
const maxOutputBytes = 8 * 1024 * 1024;
const maxOutputLength = 1_000;

/** Where the hooks run, and for which loop. */
export interface HookSetting {
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uuid: string;
}

type HookResult = FactData<'hooks.finished'>['results'][number];

/** A finished hook: its recorded result and its reply. */
interface HookRun {
  readonly result: HookResult;
  readonly reply: HookReply;
}

/** Runs the hooks of a step one after the other, until one asks to stop or a fatal one fails. */
export function createHooksPort(setting: HookSetting): HooksPort {
  return {
    async run(task, signals) {
      if (task.isRepeat) await endByMarker(markerOf(setting.uuid, task));
      const runs: HookRun[] = [];
      for (const due of task.hooks) {
        const one = await runHook(due, { setting, task, earlier: runs, signals });
        if (one === undefined) return undefined;
        runs.push(one);
        if (one.result.fatal || one.reply.stop !== undefined) break;
      }
      return summarise(runs);
    },
  };
}

function summarise(runs: readonly HookRun[]): HooksRun {
  const prompts = runs.flatMap(({ reply }) => reply.prompt ?? []);
  const data = dataOf(runs);
  const last = runs.at(-1);
  return {
    results: runs.map(({ result }) => result),
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...(prompts.length === 0 ? {} : { prompt: boundText(prompts.join('\n\n'), maxHookPromptLength) }),
    ...(last?.reply.stop === undefined ? {} : { stop: { hook: last.result.name, reason: last.reply.stop } }),
  };
}

function dataOf(runs: readonly HookRun[]): Record<string, string> {
  return runs.reduce((data, { reply }) => ({ ...mergeHookData(data, reply.data) }), {});
}

interface Situation {
  readonly setting: HookSetting;
  readonly task: HookTask;
  readonly earlier: readonly HookRun[];
  readonly signals: EffectSignals;
}

async function runHook(due: DueHook, { setting, task, earlier, signals }: Situation): Promise<HookRun | undefined> {
  const hook = setting.config.hooks.find(({ name }) => name === due.name);
  if (hook === undefined) throw new TypeError(`there is no hook "${due.name}"`);
  const data = mergeHookData(task.data, dataOf(earlier));
  const run = await runCapture({
    command: hook.run,
    cwd: setting.workingDirectory,
    env: { ...setting.env, ...variablesOf(due, task) },
    input: `${JSON.stringify({ hook: due.name, point: due.point, ...task.context, data })}\n`,
    marker: markerOf(setting.uuid, task),
    timeoutMs: hook.timeout,
    graceMs: setting.config.iteration.killGrace,
    maxOutputBytes,
    signal: signals.signal,
    killSignal: signals.kill,
  });
  if (run.ending.kind === 'stopped' && run.ending.by === 'request') return undefined;
  return toHookRun(due, hook, { run, task });
}

/** Additional environment variables of a hook. */
function variablesOf({ name, point }: DueHook, task: HookTask): Partial<Record<ChildVariable, string>> {
  return { RALPHD_HOOK: name, RALPHD_HOOK_POINT: point, ...attemptVariables(task) };
}

/** Only the reply of a successful hook counts: output of a failed one may be incomplete. */
function toHookRun(
  { name, point }: DueHook,
  hook: HookConfig,
  { run, task }: { readonly run: CapturedRun; readonly task: HookTask },
): HookRun {
  const stdout = run.stdout.toString('utf8');
  const output = boundText([stdout, run.stderr].filter((text) => text !== '').join('\n'), maxOutputLength);
  const ran = { name, point, durationMs: Math.round(run.durationMs), output };
  const reading = readHookReply(stdout);
  const error = failureOf(run, hook) ?? (reading.ok ? misplaced(reading.reply, task) : reading.problem);
  if (error === undefined && reading.ok) return { result: { ...ran, ok: true }, reply: reading.reply };
  const fatal = hook.fatal ? { fatal: true } : {};
  return { result: { ...ran, ok: false, ...fatal, error: error ?? 'it failed' }, reply: {} };
}

function failureOf({ ending }: CapturedRun, hook: HookConfig): string | undefined {
  if (ending.kind === 'exited' && ending.code === 0) return undefined;
  if (ending.kind === 'stopped' && ending.by === 'timeout') {
    return `it was ended because it took longer than ${formatDuration(hook.timeout)}`;
  }
  return `it ${describeEnding(ending)}`;
}

function misplaced({ prompt }: HookReply, { point }: HookTask): string | undefined {
  return prompt !== undefined && point !== 'pre_iteration'
    ? 'it returned text for the prompt, but only a pre_iteration hook can add to the prompt'
    : undefined;
}
