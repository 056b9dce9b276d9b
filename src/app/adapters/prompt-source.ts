import { createHash } from 'node:crypto';
import { failures, LoopError } from '../../base/index.ts';
import { readFrontMatter } from '../../config/index.ts';
import {
  bindVariables,
  checkVariables,
  fillIn,
  type Prompt,
  parseTemplate,
  splitFrontMatter,
} from '../../core/index.ts';
import { type LoopConfig, noMetadata, type PromptMetadata } from '../../protocol/index.ts';
import type { PromptSource } from '../../runner/index.ts';
import { assertPromptSize, findPromptFile, nameOf, readPromptFile, resolveIncludes } from '../../workspace/index.ts';

/** A usable task, and warnings about it. */
export interface ReadPrompt {
  readonly prompt: Prompt;
  readonly warnings: readonly string[];
}

/** The task of a loop, read again for every iteration; problems with it are reported each time. */
export function createPromptSource(
  config: LoopConfig,
  workingDirectory: string,
  report: (warning: string) => void,
): PromptSource {
  return {
    async read() {
      const { prompt, warnings } = await readPrompt(config, workingDirectory);
      for (const warning of warnings) report(warning);
      return bindVariables(prompt.parts, valuesFor(config, prompt.metadata));
    },
  };
}

/** The current task: a plain text, or a file with front matter, includes and variables. */
export async function readPrompt(config: LoopConfig, workingDirectory: string): Promise<ReadPrompt> {
  if (config.prompt !== undefined) return readTextPrompt(config.prompt, config);
  const file = await findPromptFile(workingDirectory, config.promptPath);
  const { text, modifiedMs } = await readPromptFile(file);
  const name = nameOf(file, workingDirectory);
  const { metadata, body, firstLine, warnings } = await readPieces(name, text);
  const resolved = await resolveIncludes({ file, text: body, firstLine, workingDirectory });
  const { parts, includes } = resolved;
  const content = fillIn(parts, {});
  const values = valuesFor(config, metadata);
  assertPromptSize(name, filledSize(parts, values));
  const findings = checkVariables(name, { metadata, parts }, values);
  if (findings.failure !== undefined) throw new LoopError(findings.failure);
  if (fillIn(parts, values).trim() === '') throw new LoopError(failures.promptEmpty(file));
  const modifiedAt = new Date(Math.max(modifiedMs, resolved.modifiedMs)).toISOString();
  return {
    prompt: { path: file, metadata, content, parts, includes, modifiedAt, sha256: sha256(content) },
    warnings: [...warnings, ...findings.warnings],
  };
}

/** The task at the start of the loop; variables that change from attempt to attempt are not filled in. */
export function taskOf({ parts, metadata }: Prompt, config: LoopConfig): string {
  return fillIn(parts, valuesFor(config, metadata));
}

/** The size in bytes of the text with its values, computed without building that text. */
function filledSize(parts: Prompt['parts'], values: Readonly<Record<string, string>>): number {
  const sizes = new Map(Object.entries(values).map(([name, value]) => [name, Buffer.byteLength(value)]));
  const sizeOf = (part: Prompt['parts'][number]) =>
    'text' in part ? Buffer.byteLength(part.text) : (sizes.get(part.variable) ?? part.written.length);
  return parts.reduce((total, part) => total + sizeOf(part), 0);
}

function valuesFor({ vars }: LoopConfig, { defaults }: PromptMetadata): Readonly<Record<string, string>> {
  return { ...defaults, ...vars };
}

/** A text is used verbatim; a value given for a name in it suggests that the user expected a replacement. */
function readTextPrompt(text: string, { vars }: LoopConfig): ReadPrompt {
  if (text.trim() === '') throw new LoopError(failures.promptEmpty('the command line'));
  const names = parseTemplate(text).flatMap((part) => ('variable' in part ? [part.variable] : []));
  const meant = names.find((name) => Object.hasOwn(vars, name));
  const prompt = { metadata: noMetadata, content: text, parts: [{ text }], includes: [], sha256: sha256(text) };
  return { prompt, warnings: meant === undefined ? [] : [notReplaced(meant)] };
}

function notReplaced(variable: string): string {
  return `The task is given as text, so {{${variable}}} in it is not replaced; variables work only in prompt files.`;
}

interface PromptPieces {
  readonly metadata: PromptMetadata;
  readonly body: string;
  readonly firstLine: number;
  readonly warnings: readonly string[];
}

const doubts = {
  unclosed: 'begins with "---", but no second line "---" follows',
  too_long: 'begins with "---", but the next line "---" is too far away',
  no_mapping: 'begins with "---", but what follows is not a mapping of keys to values',
} as const;

async function readPieces(name: string, text: string): Promise<PromptPieces> {
  const { frontMatter, body, bodyLine, doubt } = splitFrontMatter(text);
  const asPlainText = (why: readonly string[]) => ({ metadata: noMetadata, body: text, firstLine: 1, warnings: why });
  if (frontMatter === undefined) return asPlainText(doubt === undefined ? [] : [noFrontMatter(name, doubts[doubt])]);
  const read = await readFrontMatter(name, frontMatter);
  if (read === undefined) return asPlainText([noFrontMatter(name, doubts.no_mapping)]);
  return { ...read, body, firstLine: bodyLine };
}

function noFrontMatter(name: string, why: string): string {
  return `${name} ${why}: it is treated as text without front matter.`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
