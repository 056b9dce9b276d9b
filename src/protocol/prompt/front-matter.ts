import * as z from 'zod';
import { count, group, list, text, toggle } from '../config/settings.ts';
import { promptVariables, variableName } from './variables.ts';

const versionError = 'text or a number';

/** What the front matter of a prompt file may say; a key that is not one of these is the user's own. */
export const frontMatterSchema = z.looseObject(
  {
    name: text().optional(),
    description: text().optional(),
    version: z.union([z.string(), z.number()], { error: versionError }).optional(),
    tags: list(text()).optional(),
    required_vars: list(variableName()).optional(),
    defaults: promptVariables().optional(),
    strict: toggle().optional(),
    iteration: group({
      context_threshold: count(0, 100).optional(),
      run_tests: toggle().optional(),
      stop_on: list(text()).optional(),
    }).optional(),
  },
  { error: 'a mapping' },
);

/** The keys of a front matter that ralphd reads. */
export const frontMatterKeys: readonly string[] = Object.keys(frontMatterSchema.shape);

/** What a prompt file says about itself. */
export interface PromptMetadata {
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly tags: readonly string[];
  readonly requiredVars: readonly string[];
  /** Values of variables that nobody gave otherwise. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Whether a required variable that is not used is an error and not only a warning. */
  readonly strict: boolean;
  /** Settings of the loop, unless they are given elsewhere. */
  readonly iteration: {
    readonly contextThreshold?: number;
    readonly runTests?: boolean;
    readonly stopOn?: readonly string[];
  };
  /** Keys of the user's own, as they are. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** A prompt that says nothing about itself. */
export const noMetadata: PromptMetadata = {
  tags: [],
  requiredVars: [],
  defaults: {},
  strict: false,
  iteration: {},
  more: {},
};

/** The names that people write, as the names that the program uses. */
export function toMetadata(written: z.output<typeof frontMatterSchema>): PromptMetadata {
  const { name, description, version, tags, required_vars, defaults, strict, iteration, ...more } = written;
  const { context_threshold, run_tests, stop_on } = iteration ?? {};
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version: String(version) }),
    tags: tags ?? [],
    requiredVars: required_vars ?? [],
    defaults: defaults ?? {},
    strict: strict ?? false,
    iteration: {
      ...(context_threshold === undefined ? {} : { contextThreshold: context_threshold }),
      ...(run_tests === undefined ? {} : { runTests: run_tests }),
      ...(stop_on === undefined ? {} : { stopOn: stop_on }),
    },
    more,
  };
}
