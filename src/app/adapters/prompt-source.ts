import { createHash } from 'node:crypto';
import { failures, LoopError } from '../../base/index.ts';
import { readFrontMatter } from '../../config/index.ts';
import {
  assertHelpersExist,
  bindVariables,
  buildTemplate,
  checkVariables,
  fillIn,
  type Prompt,
  parseTemplate,
  renderTemplate,
  splitFrontMatter,
  type TemplateScope,
  type TemplateValue,
} from '../../core/index.ts';
import { builtInVariables, type LoopConfig, noMetadata, type PromptMetadata } from '../../protocol/index.ts';
import type { PromptSource } from '../../runner/index.ts';
import {
  assertPromptSize,
  currentBranch,
  findPromptFile,
  nameOf,
  readPromptFile,
  resolveIncludes,
} from '../../workspace/index.ts';
import { provideValues, type TemplateExtensions } from '../template-extensions.ts';

/** A usable task, and warnings about it. */
export interface ReadPrompt {
  readonly prompt: Prompt;
  readonly warnings: readonly string[];
  /** What it is rendered with, if it is a template. */
  readonly scope?: TemplateScope;
}

/** Where the task of a loop is read, and what its templates can use. */
export interface PromptPlace {
  readonly workingDirectory: string;
  /** Without it the front matter can be read, but templates are not rendered. */
  readonly env?: NodeJS.ProcessEnv;
  readonly templates?: TemplateExtensions | undefined;
}

/** The task of a loop, read again for every iteration; problems with it are reported each time. */
export function createPromptSource(
  config: LoopConfig,
  place: PromptPlace,
  report: (warning: string) => void,
): PromptSource {
  return {
    async read() {
      const { prompt, warnings, scope } = await readPrompt(config, place);
      for (const warning of warnings) report(warning);
      if (scope !== undefined) return { parts: prompt.parts, template: scope };
      return { parts: bindVariables(prompt.parts, valuesFor(config, prompt.metadata)) };
    },
  };
}

/** The current task: a plain text, or a file with front matter, includes and variables. */
export async function readPrompt(config: LoopConfig, place: PromptPlace): Promise<ReadPrompt> {
  const { workingDirectory } = place;
  if (config.prompt !== undefined) return readTextPrompt(config.prompt, config);
  const file = await findPromptFile(workingDirectory, config.promptPath);
  const { text, modifiedMs } = await readPromptFile(file);
  const name = nameOf(file, workingDirectory);
  const { metadata, body, firstLine, warnings } = await readPieces(name, text);
  const isTemplate = metadata.template;
  const resolved = await resolveIncludes({ file, text: body, firstLine, isTemplate, workingDirectory });
  const { parts, includes } = resolved;
  const content = fillIn(parts, {});
  const values = valuesFor(config, metadata);
  assertPromptSize(name, filledSize(parts, values));
  const findings = checkVariables(name, { metadata, parts }, values);
  if (findings.failure !== undefined) throw new LoopError(findings.failure);
  const scope = isTemplate && place.env !== undefined ? await scopeFor(values, metadata, place) : undefined;
  if (textAtStart(parts, values, scope).trim() === '') throw new LoopError(failures.promptEmpty(file));
  const modifiedAt = new Date(Math.max(modifiedMs, resolved.modifiedMs)).toISOString();
  return {
    prompt: { path: file, metadata, content, parts, includes, modifiedAt, sha256: sha256(content) },
    warnings: [...warnings, ...findings.warnings],
    ...(scope && { scope }),
  };
}

/** The task at the start of the loop; variables that change from attempt to attempt are not filled in. */
export function taskOf({ prompt: { parts, metadata }, scope }: ReadPrompt, config: LoopConfig): string {
  return textAtStart(parts, valuesFor(config, metadata), scope);
}

/** What a template is rendered with; the loop adds its own variables. */
async function scopeFor(
  vars: Readonly<Record<string, string>>,
  { defaults, strict }: PromptMetadata,
  { workingDirectory, env, templates = {} }: PromptPlace,
): Promise<TemplateScope> {
  const branch = env && (await currentBranch(workingDirectory, env));
  const provided = await provideValues(templates);
  const values = { git_branch: branch ?? '', ...defaults, ...provided, ...vars };
  return { values, strict, helpers: templates.helpers ?? {} };
}

/** What the loop's own variables could be at its start. A template is tried with them before a loop is created. */
const atStart: Readonly<Record<string, TemplateValue>> = {
  ...Object.fromEntries(builtInVariables.map((name) => [name, `{{${name}}}`])),
  iteration: '1',
  timestamp: '2026-01-01T00:00:00.000Z',
  date: '2026-01-01',
  time: '00:00:00',
  last_result: { success: false, files_changed: [], tests_passed: '', tests_failed: '', summary: '' },
};

function textAtStart(
  parts: Prompt['parts'],
  values: Readonly<Record<string, string>>,
  scope: TemplateScope | undefined,
): string {
  if (scope === undefined) return fillIn(parts, values);
  const nodes = buildTemplate(parts);
  assertHelpersExist(nodes, scope.helpers);
  return renderTemplate(nodes, { ...scope, values: { ...atStart, ...scope.values } });
}

/** The size in bytes of the text with its values, computed without building that text. */
function filledSize(parts: Prompt['parts'], values: Readonly<Record<string, string>>): number {
  const sizes = new Map(Object.entries(values).map(([name, value]) => [name, Buffer.byteLength(value)]));
  const sizeOf = (part: Prompt['parts'][number]) =>
    'text' in part ? Buffer.byteLength(part.text) : (sizes.get(nameIn(part)) ?? part.written.length);
  return parts.reduce((total, part) => total + sizeOf(part), 0);
}

function nameIn(part: Exclude<Prompt['parts'][number], { readonly text: string }>): string {
  return 'variable' in part ? part.variable : part.directive;
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
