import { failures, LoopError, nearest } from '../base/index.ts';
import { isUsablePattern } from '../core/index.ts';
import { frontMatterKeys, frontMatterSchema, type PromptMetadata, toMetadata } from '../protocol/index.ts';
import { describeAt } from './check-source.ts';
import { parseYamlFile, type YamlFile } from './yaml-file.ts';

/** The front matter of a prompt file. */
export interface FrontMatter {
  readonly metadata: PromptMetadata;
  readonly warnings: readonly string[];
}

/**
 * Reads the lines between the two `---` of a prompt file called `name`. Text that is not a mapping, such as a paragraph
 * between two rules, is not front matter: `undefined`.
 *
 * @throws LoopError for text that is not YAML, and for a key of ralphd's that has an invalid value.
 */
export async function readFrontMatter(name: string, text: string): Promise<FrontMatter | undefined> {
  // The line before it is the first `---`, so that line numbers match an editor's.
  const file = await parseYamlFile(name, `\n${text}`, failures.promptNotYaml);
  if (typeof file.values !== 'object' || file.values === null || Array.isArray(file.values)) return undefined;
  const parsed = frontMatterSchema.safeParse(file.values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badValue(file, issue?.path ?? [], issue);
  }
  const stopOn = parsed.data.iteration?.stop_on ?? [];
  const bad = stopOn.findIndex((pattern) => !isUsablePattern(pattern));
  if (bad >= 0) throw badValue(file, ['iteration', 'stop_on', bad], { message: usablePattern });
  return { metadata: toMetadata(parsed.data), warnings: slips(name, file) };
}

const usablePattern = 'a regular expression without lookahead, lookbehind and backreferences';

interface Issue {
  readonly code?: string;
  readonly message: string;
  readonly keys?: readonly string[];
}

function badValue(file: YamlFile, path: readonly PropertyKey[], issue: Issue | undefined): LoopError {
  const [unknown] = issue?.keys ?? [];
  const full = unknown === undefined ? path : [...path, unknown];
  const place = `${full.join('.')} (${file.locate(full)})`;
  if (unknown !== undefined) return new LoopError(failures.promptBadValue(place, 'left out', 'an unknown key'));
  const found = issue?.code === 'invalid_key' ? JSON.stringify(path.at(-1)) : describeAt(file.values, path);
  return new LoopError(failures.promptBadValue(place, issue?.message ?? 'something else', found));
}

/** Keys of the user's own that look like a misspelling of one of ours. */
function slips(name: string, { values }: YamlFile): readonly string[] {
  const own = Object.keys(values as object).filter((key) => !frontMatterKeys.includes(key));
  return own.flatMap((key) => {
    const meant = nearest(key, frontMatterKeys);
    return meant === undefined ? [] : [`The front matter of ${name} has the key "${key}"; did you mean "${meant}"?`];
  });
}
