import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

const exitCode = exitCodes.configuration;

/** What can be wrong with a prompt. */
export const promptFailures = {
  promptMissing: (folder: string) => ({
    code: 'PROMPT_MISSING',
    exitCode,
    message: `There is no prompt: no task was given, and ${folder} has neither PROMPT.md nor prompt.md.`,
    hint: 'Give the task as text (ralphd run "TASK") or write it into PROMPT.md.',
  }),
  promptUnreadable: (path: string, cause: string) => ({
    code: 'PROMPT_UNREADABLE',
    exitCode,
    message: `The prompt file ${path} cannot be read: ${cause}.`,
    hint: 'Correct the path given with "--prompt-file", or make the file readable.',
  }),
  promptEmpty: (source: string) => ({
    code: 'PROMPT_EMPTY',
    exitCode,
    message: `The prompt from ${source} is empty, so the agent would have nothing to do.`,
    hint: 'Write the task into it.',
  }),
  promptTooLong: (characters: number, most: number) => ({
    code: 'PROMPT_TOO_LONG',
    exitCode,
    message: `The prompt has ${characters} characters; as a text it may have ${most}.`,
    hint: 'Write it into a file and name that with "--prompt-file".',
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
    message: `The front matter at ${where} is not plain YAML: ${cause}.`,
    hint: 'Correct that line; if the file has no front matter, put an empty line before its first "---".',
  }),
  promptBadValue: (place: string, wanted: string, found: string) => ({
    code: 'PROMPT_BAD_VALUE',
    exitCode,
    message: `In the front matter ${place} must be ${wanted}, but it is ${found}.`,
    hint: 'Change the value there, or remove it.',
  }),
  promptIncludeUnreadable: (path: string, asked: string, cause: string) => ({
    code: 'PROMPT_INCLUDE_UNREADABLE',
    exitCode,
    message: `The file ${path} that ${asked} includes cannot be read: ${cause}.`,
    hint: 'Correct the path, which is relative to the file that names it, or write "\\{{" where no include is meant.',
  }),
  promptIncludeOutside: (path: string, asked: string) => ({
    code: 'PROMPT_INCLUDE_OUTSIDE',
    exitCode,
    message: `The file ${path} that ${asked} includes is neither in the working directory nor in the folder of the prompt.`,
    hint: 'Copy it into one of the two; a link that leads out of them does not help.',
  }),
  promptIncludeCycle: (chain: readonly string[]) => ({
    code: 'PROMPT_INCLUDE_CYCLE',
    exitCode,
    message: `A prompt file includes itself: ${chain.join(' -> ')}.`,
    hint: 'Remove one of these includes.',
  }),
  promptIncludeTooDeep: (chain: readonly string[], most: number) => ({
    code: 'PROMPT_INCLUDE_TOO_DEEP',
    exitCode,
    message: `Includes are nested deeper than ${most} levels: ${chain.join(' -> ')}.`,
    hint: 'Include the last of them from a file further up.',
  }),
  promptTooLarge: (path: string, cause: string) => ({
    code: 'PROMPT_TOO_LARGE',
    exitCode,
    message: `The prompt file ${path} is too large with all that it includes: ${cause}.`,
    hint: 'Include less; an agent can read files by itself when it is told where they are.',
  }),
  promptVariableMissing: (variable: string, path: string) => ({
    code: 'PROMPT_VARIABLE_MISSING',
    exitCode,
    message: `The prompt file ${path} requires the variable ${variable}, and it has no value.`,
    hint: `Add "--var ${variable}=VALUE", or give it under "vars" in ralphd.yml or under "defaults" in the front matter.`,
  }),
  promptVariableUnused: (variable: string, path: string) => ({
    code: 'PROMPT_VARIABLE_UNUSED',
    exitCode,
    message: `The prompt file ${path} requires the variable ${variable}, but {{${variable}}} stands nowhere in it.`,
    hint: 'Use it, or take it out of "required_vars".',
  }),
} as const satisfies FailureFamily;
