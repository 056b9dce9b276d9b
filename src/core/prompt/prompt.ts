import { type Failure, failures } from '../../base/index.ts';
import { builtInVariables, type PromptMetadata } from '../../protocol/index.ts';
import { type PromptPart, variablesIn } from './template.ts';
import { buildTemplate, variablesOf } from './template-tree.ts';

/** A task as it was read: its text and its metadata. */
export interface Prompt {
  /** The file it comes from; missing when it was given as text. */
  readonly path?: string;
  readonly metadata: PromptMetadata;
  /** The task with its includes inserted; variables are still placeholders. */
  readonly content: string;
  /** The same in pieces. */
  readonly parts: readonly PromptPart[];
  /** The included files, each once, in the order of their first use. */
  readonly includes: readonly string[];
  /** When the newest of its files was last written. */
  readonly modifiedAt?: string;
  /** Of the content, in hexadecimal. */
  readonly sha256: string;
}

/** The result of checking the variables of a prompt. */
export interface VariableFindings {
  /** Why it cannot be used. */
  readonly failure?: Failure;
  readonly warnings: readonly string[];
}

/** Checks that the variables that a prompt requires have values and are used. `name` is the name of the prompt. */
export function checkVariables(
  name: string,
  { metadata, parts }: Pick<Prompt, 'metadata' | 'parts'>,
  given: Readonly<Record<string, string>>,
): VariableFindings {
  const { requiredVars, strict, template } = metadata;
  const used = template ? variablesOf(buildTemplate(parts)) : variablesIn(parts);
  const missing = requiredVars.find((variable) => !Object.hasOwn(given, variable));
  if (missing !== undefined) return { failure: failures.promptVariableMissing(missing, name), warnings: [] };
  const unused = requiredVars.filter((variable) => !used.includes(variable));
  if (strict && unused[0] !== undefined)
    return { failure: failures.promptVariableUnused(unused[0], name), warnings: [] };
  // A strict template is refused when it is rendered.
  const unknown = strict && !template ? unresolvedVariables(used, given) : [];
  return {
    warnings: [
      ...unused.map((variable) => failures.promptVariableUnused(variable, name).message),
      ...(unknown.length === 0 ? [] : [`${name} has no value for ${unknown.join(', ')}: left unchanged.`]),
    ],
  };
}

function unresolvedVariables(used: readonly string[], given: Readonly<Record<string, string>>): readonly string[] {
  const builtIn: readonly string[] = builtInVariables;
  return used
    .filter((name) => !Object.hasOwn(given, name) && !builtIn.includes(name))
    .map((variable) => `{{${variable}}}`);
}
