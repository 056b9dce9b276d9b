import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

const exitCode = exitCodes.configuration;

/** What can be wrong with a prompt. */
export const promptFailures = {
  promptMissing: (folder: string) => ({
    code: 'PROMPT_MISSING',
    exitCode,
    message: `There is no prompt: no task was given, and ${folder} contains neither PROMPT.md nor prompt.md.`,
    hint: 'Pass the task as text (ralphd run "TASK"), or write it to PROMPT.md.',
  }),
  promptUnreadable: (path: string, cause: string) => ({
    code: 'PROMPT_UNREADABLE',
    exitCode,
    message: `The prompt file ${path} cannot be read: ${cause}.`,
    hint: 'Fix the path in "--prompt-file", or make it a readable file of UTF-8 text.',
  }),
  promptEmpty: (source: string) => ({
    code: 'PROMPT_EMPTY',
    exitCode,
    message: `The prompt from ${source} is empty; the agent would have nothing to do.`,
    hint: 'Write the task there.',
  }),
  promptTooLong: (characters: number, maximum: number) => ({
    code: 'PROMPT_TOO_LONG',
    exitCode,
    message: `The prompt is ${characters} characters long; inline text may have at most ${maximum}.`,
    hint: 'Write it to a file and pass that with "--prompt-file".',
  }),
  promptGivenTwice: (text: string, file: string) => ({
    code: 'PROMPT_GIVEN_TWICE',
    exitCode,
    message: `The prompt is given twice: as text (${text}) and as a file (${file}).`,
    hint: 'Keep one of the two.',
  }),
  promptNotYaml: (where: string, cause: string) => ({
    code: 'PROMPT_NOT_YAML',
    exitCode,
    message: `The front matter at ${where} is not valid YAML: ${cause}.`,
    hint: 'Fix that line; if the file has no front matter, put an empty line before its first "---".',
  }),
  promptBadValue: (place: string, wanted: string, found: string) => ({
    code: 'PROMPT_BAD_VALUE',
    exitCode,
    message: `In the front matter, ${place} must be ${wanted}, but it is ${found}.`,
    hint: 'Fix the value, or remove it.',
  }),
  promptIncludeUnreadable: (path: string, includer: string, cause: string) => ({
    code: 'PROMPT_INCLUDE_UNREADABLE',
    exitCode,
    message: `${includer} includes ${path}, which cannot be read: ${cause}.`,
    hint: 'Fix the path (relative to the including file), or write "\\{{" for literal braces.',
  }),
  promptIncludeOutside: (path: string, includer: string) => ({
    code: 'PROMPT_INCLUDE_OUTSIDE',
    exitCode,
    message: `${includer} includes ${path}, which is outside the working directory and the prompt's folder.`,
    hint: 'Copy it into one of them; symbolic links that lead outside are refused as well.',
  }),
  promptIncludeCycle: (chain: readonly string[]) => ({
    code: 'PROMPT_INCLUDE_CYCLE',
    exitCode,
    message: `A prompt file includes itself: ${chain.join(' -> ')}.`,
    hint: 'Remove one of these includes.',
  }),
  promptIncludeTooDeep: (chain: readonly string[], maxDepth: number) => ({
    code: 'PROMPT_INCLUDE_TOO_DEEP',
    exitCode,
    message: `Includes are nested more than ${maxDepth} levels deep: ${chain.join(' -> ')}.`,
    hint: 'Include the last file from a file closer to the top.',
  }),
  promptTooLarge: (path: string, size: string, limit: string) => ({
    code: 'PROMPT_TOO_LARGE',
    exitCode,
    message: `The prompt file ${path} is too large: it has ${size}; the limit is ${limit}.`,
    hint: 'Shorten it; the agent can read files itself if the prompt names them.',
  }),
  promptVariableMissing: (variable: string, path: string) => ({
    code: 'PROMPT_VARIABLE_MISSING',
    exitCode,
    message: `The prompt file ${path} requires the variable ${variable}, which has no value.`,
    hint: `Add "--var ${variable}=VALUE", or set it under "vars" in ralphd.yml or "defaults" in the front matter.`,
  }),
  promptVariableUnused: (variable: string, path: string) => ({
    code: 'PROMPT_VARIABLE_UNUSED',
    exitCode,
    message: `The prompt file ${path} requires the variable ${variable}, but never uses {{${variable}}}.`,
    hint: 'Use it, or remove it from "required_vars".',
  }),
  promptTemplateInvalid: (where: string, why: string) => ({
    code: 'PROMPT_TEMPLATE_INVALID',
    exitCode,
    message: `The template at ${where} cannot be used: ${why}.`,
    hint: 'Fix that directive, write "\\{{" for literal braces, or remove "template: true" from the front matter.',
  }),
  promptValueMissing: (variable: string, where: string) => ({
    code: 'PROMPT_VALUE_MISSING',
    exitCode,
    message: `The template at ${where} uses ${variable}, which has no value.`,
    hint: `Give it a value, use {{default ${variable} "…"}}, or remove "strict: true" from the front matter.`,
  }),
  promptProviderFailed: (variable: string, why: string) => ({
    code: 'PROMPT_PROVIDER_FAILED',
    exitCode,
    message: `The provider of the variable ${variable} failed: ${why}.`,
    hint: 'Fix the function that the program passes as "templates.variables".',
  }),
} as const satisfies FailureFamily;
