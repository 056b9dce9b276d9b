import { LoopError } from '../base/index.ts';
import {
  fillFromPrompt,
  type Given,
  type SettingDifference,
  settingDifferences,
  withSettings,
} from '../config/index.ts';
import type { Loop } from '../core/index.ts';
import { isIdentity, type LoopConfig, type PromptMetadata } from '../protocol/index.ts';
import { readPrompt } from './adapters/prompt-source.ts';
import { withTimeZone } from './bounds.ts';

/** The current settings from files and variables. */
export interface CurrentSettings {
  readonly config: LoopConfig;
  /** Which of them are given explicitly. */
  readonly isGiven: Given;
}

/**
 * The settings that differ from those of the loop. Settings chosen for this loop by a flag or a variable
 * override any file and never differ.
 */
export async function changedSettings(
  { config, origin: { chosen, workingDirectory } }: Loop,
  current: CurrentSettings,
): Promise<readonly SettingDifference[]> {
  const isChosen = isChosenIn(chosen);
  const isSettled = (path: string) =>
    isIdentity(path) || (chosen === undefined ? !current.isGiven(path) : isChosen(path));
  const metadata = await metadataOf(config, current.config, { isChosen, workingDirectory });
  const filled = metadata === undefined ? current.config : fillFromPrompt(current.config, metadata, current.isGiven);
  const now = withTimeZone(filled);
  return settingDifferences(config, now).filter(
    ({ setting }) =>
      !isSettled(setting) && !(metadata === undefined && setting in fromPrompt && !current.isGiven(setting)),
  );
}

/** The settings that the front matter of a prompt can set. */
const fromPrompt: Readonly<Record<string, true>> = {
  contextRedlinePercent: true,
  autoTest: true,
  'stopConditions.stopOnPatterns': true,
};

/** A prompt as text and a prompt as a file are alternatives. */
function isChosenIn(chosen: readonly string[] = []): Given {
  const hasPrompt = chosen.includes('prompt') || chosen.includes('promptPath');
  return (path) => chosen.includes(path) || (hasPrompt && (path === 'prompt' || path === 'promptPath'));
}

/** The current front matter of the prompt; undefined if the prompt cannot be used. */
async function metadataOf(
  config: LoopConfig,
  now: LoopConfig,
  { isChosen, workingDirectory }: { readonly isChosen: Given; readonly workingDirectory: string },
): Promise<PromptMetadata | undefined> {
  const { prompt, promptPath, vars } = now;
  const promptConfig = isChosen('prompt') ? config : withSettings(config, { prompt, promptPath, vars });
  try {
    return (await readPrompt(promptConfig, { workingDirectory })).prompt.metadata;
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}
