import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { type PromptPart, parseTemplate } from '../../core/index.ts';
import { nameOf } from './prompt-file.ts';
import { largestPrompt, type ReadText, readText, reasonOf, UnreadableText } from './read-text.ts';

const deepest = 5;
const mostIncludes = 1_000;

/** The text of a prompt file whose includes are to be put in. */
export interface PromptBody {
  readonly file: string;
  readonly text: string;
  /** The line of the file on which the text begins. */
  readonly firstLine: number;
  /** Includes are read from here and from the folder of the file, and from nowhere else. */
  readonly workingDirectory: string;
}

/** A prompt with everything put in that it includes. */
export interface ResolvedBody {
  readonly parts: readonly PromptPart[];
  /** The files that were put in, each once. */
  readonly includes: readonly string[];
  /** When the newest of them was last written; 0 when there are none. */
  readonly modifiedMs: number;
}

/**
 * Puts in what a prompt includes. A file called `.md` or `.txt` is prompt text, with includes and variables of its
 * own; anything else, such as source code, stands in the prompt as it is.
 */
export async function resolveIncludes(body: PromptBody): Promise<ResolvedBody> {
  const template = parseTemplate(body.text, body.firstLine);
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

/** A file on the way from the prompt to an include. */
interface Link {
  readonly file: string;
  readonly real: string;
}

interface Work {
  readonly body: PromptBody;
  /** What was read already, by its real path: a file is the same wherever it is put in. */
  readonly known: Map<string, ReadText>;
  bytes: number;
  count: number;
  /** Where includes may be. */
  readonly folders: string[];
}

async function expand(
  work: Work,
  chain: readonly Link[],
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
  chain: readonly Link[],
  { include: wanted, line }: { readonly include: string; readonly line: number },
): Promise<readonly PromptPart[]> {
  const asker = chain.at(-1)?.file ?? work.body.file;
  const asked = `${name(work, asker)}:${line}`;
  const file = path.resolve(path.dirname(asker), wanted);
  const real = await permitted(work, file, asked);
  const next = [...chain, { file, real }];
  const names = next.map((link) => name(work, link.file));
  if (chain.some((link) => link.real === real)) throw new LoopError(failures.promptIncludeCycle(names));
  if (chain.length > deepest) throw new LoopError(failures.promptIncludeTooDeep(names, deepest));
  const { text, bytes } = await read(work, { file, real }, asked);
  spend(work, bytes);
  const inner = text.replace(/\r?\n$/u, '');
  return /\.(?:md|txt)$/iu.test(file) ? await expand(work, next, parseTemplate(inner)) : [{ text: inner }];
}

/** The real path of an include that may be read. */
async function permitted(work: Work, file: string, asked: string): Promise<string> {
  const real = await realpath(file).catch((error: unknown) => {
    throw unreadable(work, { file, asked }, reasonOf(error));
  });
  if (work.folders.some((folder) => isWithin(real, folder))) return real;
  throw new LoopError(failures.promptIncludeOutside(name(work, file), asked));
}

/** The real path of something that was there a moment ago. */
async function realPathOf(place: string, { file }: PromptBody): Promise<string> {
  return await realpath(place).catch((error: unknown) => {
    throw new LoopError(failures.promptUnreadable(file, reasonOf(error)), { cause: error });
  });
}

function isWithin(real: string, folder: string): boolean {
  const relative = path.relative(folder, real);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

async function read(work: Work, { file, real }: { file: string; real: string }, asked: string): Promise<ReadText> {
  const known = work.known.get(real);
  if (known !== undefined) return known;
  try {
    const found = await readText(real);
    work.known.set(real, found);
    return found;
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    throw unreadable(work, { file, asked }, error.message);
  }
}

/** Counts every time that a file is put in: ten lines could otherwise make a prompt of any size. */
function spend(work: Work, bytes: number): void {
  work.bytes += bytes;
  work.count += 1;
  const cause =
    work.bytes > largestPrompt
      ? `more than ${largestPrompt} bytes`
      : work.count > mostIncludes
        ? `more than ${mostIncludes} includes`
        : undefined;
  if (cause !== undefined) throw new LoopError(failures.promptTooLarge(name(work, work.body.file), cause));
}

function unreadable(work: Work, { file, asked }: { file: string; asked: string }, cause: string): LoopError {
  return new LoopError(failures.promptIncludeUnreadable(name(work, file), asked, cause));
}

function name({ body }: Work, file: string): string {
  return nameOf(file, body.workingDirectory);
}
