import { type LoopConfig, type LoopConfigInput, listSettings, type PromptMetadata } from '../protocol/index.ts';
import { setAt, valueAt } from './source.ts';

/** Which settings were given, by path. */
export type Given = (path: string) => boolean;

/** The settings given by a program; all others have their default. */
export function givenIn(input: LoopConfigInput): Given {
  return (path) => valueAt(input, path.split('.')) !== undefined;
}

/** The paths of the settings given by a program. */
export function givenSettings(input: LoopConfigInput): readonly string[] {
  const isGiven = givenIn(input);
  return listSettings().flatMap(({ path }) => (isGiven(path) ? [path] : []));
}

/**
 * The lowest layer above the defaults: the front matter of the prompt fills in settings that were not given.
 * Read when a loop starts; later changes to the file have no effect on the loop.
 */
export function fillFromPrompt(config: LoopConfig, { iteration }: PromptMetadata, isGiven: Given): LoopConfig {
  const settings: Readonly<Record<string, unknown>> = {
    contextRedlinePercent: iteration.contextThreshold,
    autoTest: iteration.runTests,
    'stopConditions.stopOnPatterns': iteration.stopOn,
  };
  const filled = structuredClone(config);
  for (const [path, value] of Object.entries(settings)) {
    if (value !== undefined && !isGiven(path)) setAt(filled, path.split('.'), value);
  }
  return filled;
}
