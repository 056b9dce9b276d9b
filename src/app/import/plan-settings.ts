import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { type SettingValues, withSettings } from '../../config/index.ts';
import { isTerminal } from '../../core/index.ts';
import { lookAtForeign } from '../../files/index.ts';
import type { ForeignLoop } from '../../formats/index.ts';
import { type GatePlan, planGate } from '../../gate/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import { readPrompt, taskOf } from '../adapters/prompt-source.ts';
import type { LoopPlace } from '../stores.ts';

/** The settings with which an imported loop continues, its task and its checks. */
export interface PlannedSettings {
  readonly config: LoopConfig;
  readonly task: string;
  readonly gate: GatePlan;
  readonly warnings: readonly string[];
}

/** Where a loop is imported. */
export interface ImportPlace {
  readonly place: LoopPlace;
  /** The settings of the project. */
  readonly config: LoopConfig;
  readonly env: NodeJS.ProcessEnv;
}

const maxPromptLength = 250_000;
const noGate: GatePlan = { data: { checks: [] }, warnings: [] };

/** The project's settings with those of the loop: its limits and task win, its criteria are added to the checks. */
export async function planSettings(loop: ForeignLoop, setting: ImportPlace): Promise<PlannedSettings> {
  const { place, env } = setting;
  const own = withSettings(setting.config, valuesOf(loop));
  const prompted = await withTask(loop, own, place);
  if (isTerminal(loop.becomes)) return { ...prompted, gate: noGate };
  if (prompted.task.trim() === '') throw new LoopError(failures.promptEmpty('the imported loop'));
  const { config, gate, warnings } = planChecks(loop.criteria, prompted.config, { ...place, env });
  return { config, gate, task: prompted.task, warnings: [...prompted.warnings, ...boundWarnings(config), ...warnings] };
}

function valuesOf({ settings }: ForeignLoop): SettingValues {
  const { maxIterations, maxTimeMs: maxTime, attended, autoTest, checkpointInterval, promise } = settings;
  const values = {
    maxIterations,
    maxTime,
    autoTest,
    checkpointInterval,
    completionPromise: promise,
    mode: attended === true ? 'attended' : undefined,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

type Prompted = Pick<PlannedSettings, 'config' | 'task' | 'warnings'>;

/** A loop that reads its task from a file goes on doing so, if the file is there. */
async function withTask({ settings, task }: ForeignLoop, config: LoopConfig, place: LoopPlace): Promise<Prompted> {
  const { promptPath } = settings;
  if (promptPath !== undefined && lookAtForeign(path.resolve(place.workingDirectory, promptPath)) === 'file') {
    const reading = withSettings(config, { promptPath, prompt: undefined });
    const read = await readPrompt(reading, { workingDirectory: place.workingDirectory });
    return { config: reading, task: taskOf(read, reading), warnings: [] };
  }
  if (task.length > maxPromptLength) throw new LoopError(failures.promptTooLong(task.length, maxPromptLength));
  const missing =
    promptPath === undefined ? [] : [`Its prompt file ${promptPath} is not here; only the name of the file is known.`];
  return { config: withSettings(config, { prompt: task, promptPath: undefined }), task, warnings: missing };
}

/** The checks of the loop. Criteria that are no commands are left out, with a warning. */
function planChecks(
  criteria: string | undefined,
  config: LoopConfig,
  place: LoopPlace & { readonly env: NodeJS.ProcessEnv },
): Pick<PlannedSettings, 'config' | 'gate' | 'warnings'> {
  const isKnown = criteria === undefined || criteria.trim() === '' || config.verify.includes(criteria);
  const withCriteria = isKnown ? config : withSettings(config, { verify: [...config.verify, criteria] });
  const first = tryGate(withCriteria, place);
  if (first.gate !== undefined) return { config: withCriteria, gate: first.gate, warnings: first.gate.warnings };
  if (!isKnown) {
    const left = `Its criteria "${criteria}" are no command that ralphd can run: ${first.why}`;
    const second = tryGate(config, place);
    const { gate = noGate } = second;
    const more = second.gate === undefined ? [noCheck] : second.gate.warnings;
    return { config, gate, warnings: [left, ...more] };
  }
  return { config, gate: noGate, warnings: [noCheck] };
}

const noCheck = 'No check proves its completion: give one when you resume it, with --verify CMD.';

function tryGate(
  config: LoopConfig,
  place: LoopPlace & { readonly env: NodeJS.ProcessEnv },
): { readonly gate: GatePlan; readonly why?: undefined } | { readonly gate?: undefined; readonly why: string } {
  try {
    return { gate: planGate(config, place) };
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    return { why: error.failure.message };
  }
}

/** A loop without a limit needs another bound before it may run. */
function boundWarnings({ maxIterations, maxTime, maxCostUsd, maxTokens }: LoopConfig): readonly string[] {
  if (maxIterations !== 0 || [maxTime, maxCostUsd, maxTokens].some((bound) => bound !== undefined)) return [];
  return ['It has no limit: give one when you resume it, for example -n 100 or --max-time 2h.'];
}
