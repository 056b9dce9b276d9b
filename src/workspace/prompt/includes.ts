import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { type PromptPart, parseTemplate } from '../../core/index.ts';
import { reasonOf } from '../../files/index.ts';
import { nameOf } from './prompt-file.ts';
import { maxPromptBytes, promptSizeLimit, type ReadText, readText, UnreadableText } from './read-text.ts';

const maxDepth = 5;
const maxIncludes = 1_000;

interface PromptBody {
  readonly file: string;
  readonly text: string;
  /** The line of the file on which the text begins. */
  readonly firstLine: number;
  /** Whether the text and the prompt texts that it includes are templates. */
  readonly isTemplate?: boolean;
  /** Includes are read only from here and from the folder of the file. */
  readonly workingDirectory: string;
}

interface ResolvedBody {
  readonly parts: readonly PromptPart[];
  /** The included files, each once. */
  readonly includes: readonly string[];
  /** When the newest of them was last written; 0 when there are none. */
  readonly modifiedMs: number;
}

/**
 * Expands the includes of a prompt. A `.md` or `.txt` file is prompt text, with its own includes and variables; any
 * other file, such as source code, is inserted verbatim.
 */
export async function resolveIncludes(body: PromptBody): Promise<ResolvedBody> {
  const { firstLine } = body;
  const template = parseTemplate(body.text, { firstLine, ...templateName(body, body.file) });
  const work: Work = { body, known: new Map(), bytes: Buffer.byteLength(body.text), count: 0, folders: [] };
  const root = { file: body.file, real: body.file };
  if (template.some((part) => 'include' in part)) {
    root.real = await realPathOf(body.file, body);
    work.folders.push(await realPathOf(body.workingDirectory, body), await realPathOf(path.dirname(body.file), body));
  }
  const parts = await expand(work, [root], template);
  const files = [...work.known.values()];
  return {
    parts,
    includes: [...work.known.keys()],
    modifiedMs: Math.max(0, ...files.map(({ modifiedMs }) => modifiedMs)),
  };
}

/** A file on the path from the prompt to an include. */
interface ChainedFile {
  readonly file: string;
  readonly real: string;
}

interface Work {
  readonly body: PromptBody;
  /** The files read so far, by real path. */
  readonly known: Map<string, ReadText>;
  bytes: number;
  count: number;
  /** Where includes may be. */
  readonly folders: string[];
}

async function expand(
  work: Work,
  chain: readonly ChainedFile[],
  parts: ReturnType<typeof parseTemplate>,
): Promise<readonly PromptPart[]> {
  const expanded: PromptPart[] = [];
  for (const part of parts) {
    if ('include' in part) for (const each of await include(work, chain, part)) expanded.push(each);
    else expanded.push(part);
  }
  return expanded;
}

async function include(
  work: Work,
  chain: readonly ChainedFile[],
  { include: target, line }: { readonly include: string; readonly line: number },
): Promise<readonly PromptPart[]> {
  const includingFile = chain.at(-1)?.file ?? work.body.file;
  const includedAt = `${name(work, includingFile)}:${line}`;
  const file = path.resolve(path.dirname(includingFile), target);
  const real = await resolvePermitted(work, file, includedAt);
  const next = [...chain, { file, real }];
  const names = next.map((each) => name(work, each.file));
  if (chain.some((each) => each.real === real)) throw new LoopError(failures.promptIncludeCycle(names));
  if (chain.length > maxDepth) throw new LoopError(failures.promptIncludeTooDeep(names, maxDepth));
  const { text, bytes } = await read(work, { file, real }, includedAt);
  countInclude(work, bytes);
  const inner = text.replace(/\r?\n$/u, '');
  return /\.(?:md|txt)$/iu.test(file)
    ? await expand(work, next, parseTemplate(inner, templateName(work.body, file)))
    : [{ text: inner }];
}

function templateName(body: PromptBody, file: string): { readonly template?: string } {
  return body.isTemplate === true ? { template: nameOf(file, body.workingDirectory) } : {};
}

/** The real path of an include; throws when it is outside the permitted folders. */
async function resolvePermitted(work: Work, file: string, includedAt: string): Promise<string> {
  const real = await realpath(file).catch((error: unknown) => {
    throw unreadable(work, { file, includedAt }, reasonOf(error));
  });
  if (work.folders.some((folder) => isWithin(real, folder))) return real;
  throw new LoopError(failures.promptIncludeOutside(name(work, file), includedAt));
}

async function realPathOf(place: string, { file }: PromptBody): Promise<string> {
  return await realpath(place).catch((error: unknown) => {
    throw new LoopError(failures.promptUnreadable(file, reasonOf(error)), { cause: error });
  });
}

function isWithin(real: string, folder: string): boolean {
  const relative = path.relative(folder, real);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

async function read(work: Work, { file, real }: ChainedFile, includedAt: string): Promise<ReadText> {
  const known = work.known.get(real);
  if (known !== undefined) return known;
  try {
    const found = await readText(real);
    work.known.set(real, found);
    return found;
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    throw unreadable(work, { file, includedAt }, error.message);
  }
}

/** Counts every inclusion, repeated ones too: nested includes could otherwise grow a prompt without bound. */
function countInclude(work: Work, bytes: number): void {
  work.bytes += bytes;
  work.count += 1;
  if (work.bytes > maxPromptBytes) {
    throw tooLarge(work, `at least ${work.bytes} bytes with its includes`, promptSizeLimit);
  }
  if (work.count > maxIncludes) throw tooLarge(work, `more than ${maxIncludes} includes`, `${maxIncludes} includes`);
}

function tooLarge(work: Work, size: string, limit: string): LoopError {
  return new LoopError(failures.promptTooLarge(name(work, work.body.file), size, limit));
}

function unreadable(work: Work, at: { file: string; includedAt: string }, cause: string): LoopError {
  return new LoopError(failures.promptIncludeUnreadable(name(work, at.file), at.includedAt, cause));
}

function name({ body }: Work, file: string): string {
  return nameOf(file, body.workingDirectory);
}
