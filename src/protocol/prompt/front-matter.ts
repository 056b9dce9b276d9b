import * as z from 'zod';
import { count, group, list, text, toggle } from '../config/settings.ts';
import { promptVariables, variableName } from './variables.ts';

const versionError = 'text or a number';

/** The front matter of a prompt file; other keys belong to the user. */
export const frontMatterSchema = z.looseObject(
  {
    name: text().optional(),
    description: text().optional(),
    version: z.union([z.string(), z.number()], { error: versionError }).optional(),
    tags: list(text()).optional(),
    required_vars: list(variableName()).optional(),
    defaults: promptVariables().optional(),
    strict: toggle().optional(),
    // Any other value is the user's own: earlier releases ignored the key.
    template: z.unknown().optional(),
    iteration: group({
      context_threshold: count(0, 100).optional(),
      run_tests: toggle().optional(),
      stop_on: list(text()).optional(),
    }).optional(),
  },
  { error: 'a mapping' },
);

/** The front matter keys that ralphd reads. */
export const frontMatterKeys: readonly string[] = Object.keys(frontMatterSchema.shape);

/** The metadata of a prompt file. */
export interface PromptMetadata {
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly tags: readonly string[];
  readonly requiredVars: readonly string[];
  /** Default values of variables. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Whether an unused required variable is an error instead of a warning. */
  readonly strict: boolean;
  /** Whether the file is a template, with conditions, loops and helpers. */
  readonly template: boolean;
  /** Loop settings, unless set elsewhere. */
  readonly iteration: {
    readonly contextThreshold?: number;
    readonly runTests?: boolean;
    readonly stopOn?: readonly string[];
  };
  /** The user's own keys, unchanged. */
  readonly more: Readonly<Record<string, unknown>>;
}

/** The metadata of a prompt without front matter. */
export const noMetadata: PromptMetadata = {
  tags: [],
  requiredVars: [],
  defaults: {},
  strict: false,
  template: false,
  iteration: {},
  more: {},
};

/** Converts the written keys to the names the program uses. */
export function toMetadata(written: z.output<typeof frontMatterSchema>): PromptMetadata {
  const { name, description, version, tags, required_vars, defaults, strict, template, iteration, ...more } = written;
  const { context_threshold, run_tests, stop_on } = iteration ?? {};
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version: String(version) }),
    tags: tags ?? [],
    requiredVars: required_vars ?? [],
    defaults: defaults ?? {},
    strict: strict ?? false,
    template: template === true,
    iteration: {
      ...(context_threshold === undefined ? {} : { contextThreshold: context_threshold }),
      ...(run_tests === undefined ? {} : { runTests: run_tests }),
      ...(stop_on === undefined ? {} : { stopOn: stop_on }),
    },
    more: template === undefined || template === true ? more : { template, ...more },
  };
}
