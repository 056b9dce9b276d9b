import { type LoopConfig, type LoopConfigInput, listSettings, type PromptMetadata } from '../protocol/index.ts';
import { setAt, valueAt } from './source.ts';

/** Which settings somebody gave, by path. */
export type Given = (path: string) => boolean;

/** The settings that a program gave; everything else has its default. */
export function givenIn(input: LoopConfigInput): Given {
  return (path) => valueAt(input, path.split('.')) !== undefined;
}

/** The paths of the settings that a program gave. */
export function givenSettings(input: LoopConfigInput): readonly string[] {
  const isGiven = givenIn(input);
  return listSettings().flatMap(({ path }) => (isGiven(path) ? [path] : []));
}

/**
 * The weakest layer above the defaults: the front matter of the prompt fills in settings that nobody gave.
 * Read when a loop starts; from then on they belong to the loop, whatever happens to the file.
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
