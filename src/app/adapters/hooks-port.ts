import { boundText, formatDuration } from '../../base/index.ts';
import { type DueHook, describeEnding } from '../../core/index.ts';
import { createWebhook, type Webhook } from '../../notify/index.ts';
import { type Command, endByMarker, runCapture } from '../../process/index.ts';
import {
  attemptVariables,
  type ChildVariable,
  type Ending,
  type FactData,
  type HookConfig,
  type HookReply,
  type LoopConfig,
  maxHookPromptLength,
  mergeHookData,
  readHookReply,
  type TraceVariables,
} from '../../protocol/index.ts';
import type { AttemptKey, EffectSignals, HooksPort, HooksRun, HookTask } from '../../runner/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { thisMachine } from '../machine.ts';
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
  /** Places what it starts in the trace of the loop. */
  readonly trace?: TraceVariables | undefined;
  /** The sandbox of the loop, for hooks that are to run in it. */
  readonly sandbox?: Sandbox | undefined;
}

/** The marker in the environment of every process of hooks: that of their attempt, or one for those outside of attempts. */
export function hookMarkerOf(uuid: string, attempt: AttemptKey | undefined): string {
  return attempt === undefined ? `${uuid}:hooks` : markerOf(uuid, attempt);
}

type HookResult = FactData<'hooks.finished'>['results'][number];

/** A finished hook: its recorded result and its reply. */
interface HookRun {
  readonly result: HookResult;
  readonly reply: HookReply;
}

/** Runs the hooks of a step one after the other, until one asks to stop or a fatal one fails. */
export function createHooksPort(setting: HookSetting): HooksPort {
  const place = { env: setting.env, cwd: setting.workingDirectory };
  const posting = setting.config.hooks.filter(({ url }) => url !== undefined);
  const webhooks = new Map(posting.map((hook) => [hook.name, createWebhook(hook, place)]));
  return {
    async run(task, signals) {
      if (task.isRepeat) await endByMarker(hookMarkerOf(setting.uuid, task.of));
      const runs: HookRun[] = [];
      for (const due of task.hooks) {
        const one = await runHook(due, { setting, webhooks, task, earlier: runs, signals });
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
  /** By the name of their hook. */
  readonly webhooks: ReadonlyMap<string, Webhook>;
  readonly task: HookTask;
  readonly earlier: readonly HookRun[];
  readonly signals: EffectSignals;
}

/** Runs a hook; undefined if it was interrupted. */
async function runHook(due: DueHook, situation: Situation): Promise<HookRun | undefined> {
  const { setting, task, earlier } = situation;
  const { clock } = thisMachine;
  const hook = setting.config.hooks.find(({ name }) => name === due.name);
  if (hook === undefined) throw new TypeError(`there is no hook "${due.name}"`);
  const data = mergeHookData(task.data, dataOf(earlier));
  const input = { hook: due.name, point: due.point, ...task.context, data };
  const startedMs = clock.monotonicMs();
  const { run: command } = hook;
  const said =
    command === undefined
      ? await callHook(hook, input, situation)
      : await startHook(hook, command, { due, input, situation });
  return said && toHookRun(due, hook, { said, task, durationMs: clock.monotonicMs() - startedMs });
}

/** What a hook printed or answered, and why it failed if it did. */
interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly failure: string | undefined;
}

interface Started {
  readonly due: DueHook;
  readonly input: object;
  readonly situation: Situation;
}

async function startHook(hook: HookConfig, command: Command, started: Started): Promise<Said | undefined> {
  const { due, input, situation } = started;
  const { setting, task, signals } = situation;
  const env = { ...setting.env, ...variablesOf(due, task), ...setting.trace?.('iteration', task.of) };
  const plain = { command, env, cwd: setting.workingDirectory };
  const { ending, stdout, stderr } = await runCapture({
    ...plain,
    ...(hook.sandbox === true ? setting.sandbox?.enclose(plain) : undefined),
    input: `${JSON.stringify(input)}\n`,
    marker: hookMarkerOf(setting.uuid, task.of),
    timeoutMs: hook.timeout,
    graceMs: setting.config.iteration.killGrace,
    maxOutputBytes,
    signal: signals.signal,
    killSignal: signals.kill,
  });
  if (ending.kind === 'stopped' && ending.by === 'request') return undefined;
  return { stdout: stdout.toString('utf8'), stderr, failure: failureOf(ending, hook) };
}

/** Posts to the address of a hook. A receiver has nothing to clean up, so an interrupt ends the call at once. */
async function callHook(hook: HookConfig, input: object, situation: Situation): Promise<Said | undefined> {
  const { webhooks, task, signals } = situation;
  const webhook = webhooks.get(hook.name);
  if (webhook === undefined) throw new TypeError(`the hook "${hook.name}" has no address`);
  const timeout = AbortSignal.timeout(hook.timeout);
  const isInterrupted = () => signals.signal.aborted || signals.kill.aborted;
  if (isInterrupted()) return undefined;
  const signal = AbortSignal.any([signals.signal, signals.kill, timeout]);
  const answer = await webhook({ id: callId(hook, task), body: input, signal });
  if (isInterrupted()) return undefined;
  if (answer.ok) return { stdout: answer.text, stderr: '', failure: undefined };
  return { stdout: '', stderr: '', failure: timeout.aborted ? tookTooLong(hook) : answer.why };
}

/** The same when the step is repeated, so that the receiver can recognise that. */
function callId({ name }: HookConfig, { of, step, context, point }: HookTask): string {
  const place = of === undefined ? ['step', step] : [of.iteration, of.attempt];
  return [context.loopId, ...place, point, name].join('/');
}

/** Additional environment variables of a hook. */
function variablesOf({ name, point }: DueHook, { of, context }: HookTask): Partial<Record<ChildVariable, string>> {
  const iteration = context.iteration === 0 ? {} : { iteration: context.iteration };
  return { RALPHD_HOOK: name, RALPHD_HOOK_POINT: point, ...attemptVariables({ ...iteration, ...of }) };
}

/** Only the reply of a successful hook counts: output of a failed one may be incomplete. */
function toHookRun(
  { name, point }: DueHook,
  hook: HookConfig,
  { said, task, durationMs }: { readonly said: Said; readonly task: HookTask; readonly durationMs: number },
): HookRun {
  const { stdout, stderr, failure } = said;
  const output = boundText([stdout, stderr].filter((text) => text !== '').join('\n'), maxOutputLength);
  const ran = { name, point, durationMs: Math.round(durationMs), output };
  const reading = readHookReply(stdout);
  const error = failure ?? (reading.ok ? misplaced(reading.reply, task) : reading.problem);
  if (error === undefined && reading.ok) return { result: { ...ran, ok: true }, reply: reading.reply };
  const fatal = hook.fatal ? { fatal: true } : {};
  return { result: { ...ran, ok: false, ...fatal, error: error ?? 'it failed' }, reply: {} };
}

function failureOf(ending: Ending, hook: HookConfig): string | undefined {
  if (ending.kind === 'exited' && ending.code === 0) return undefined;
  if (ending.kind === 'stopped' && ending.by === 'timeout') return tookTooLong(hook);
  return `it ${describeEnding(ending)}`;
}

function tookTooLong({ timeout }: HookConfig): string {
  return `it was ended because it took longer than ${formatDuration(timeout)}`;
}

function misplaced({ prompt }: HookReply, { point }: HookTask): string | undefined {
  return prompt !== undefined && point !== 'pre_iteration'
    ? 'it returned text for the prompt, but only a hook that runs right before the agent can add to it'
    : undefined;
}
