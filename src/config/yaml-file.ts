import type * as Yaml from 'yaml';
import { type Failure, failures, LoopError } from '../base/index.ts';

/** A parsed file: its values, and the position of each. */
export interface YamlFile {
  readonly values: unknown;
  readonly locate: (path: readonly PropertyKey[]) => string;
}

const maxAliases = 100;

/** Creates the error for text that is not valid YAML. */
type Refusal = (where: string, cause: string) => Failure;

/** Parses plain YAML: no custom tags, no second document, no duplicate keys, no exploding aliases. */
export async function parseYamlFile(
  name: string,
  text: string,
  refusal: Refusal = failures.configNotYaml,
): Promise<YamlFile> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, resolveKnownTags: false, stringKeys: true } as const;
  const guarded = <Result>(parse: () => Result) => guard(parse, (problem) => notYaml(name, problem, refusal));
  const document = guarded(() => yaml.parseDocument(text, options));
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw notYaml(place(name, lines, problem.pos[0]), problem.message, refusal);
  const values = guarded((): unknown => document.toJS({ maxAliasCount: maxAliases }));
  return { values: values ?? {}, locate: (path) => place(name, lines, offsetOf(document, path, yaml)) };
}

/** The top-level keys of a file, whatever their values; undefined when it is not a plain YAML mapping. */
export async function readTopNames(text: string): Promise<readonly string[] | undefined> {
  const yaml = await import('yaml');
  const document = guard(
    () => yaml.parseDocument(text, { prettyErrors: false, resolveKnownTags: false, stringKeys: true }),
    (problem) => notYaml('', problem, failures.configNotYaml),
  );
  if (document.errors.length > 0) return undefined;
  if (document.contents === null) return [];
  if (!yaml.isMap(document.contents)) return undefined;
  const { items } = document.contents;
  return items.map(({ key }) => (yaml.isScalar(key) ? String(key.value) : ''));
}

// The parser throws plain errors for exploding aliases and for nesting that is too deep for the stack.
function guard<Result>(parse: () => Result, refuse: (problem: string) => LoopError): Result {
  try {
    return parse();
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}

function notYaml(where: string, problem: string, refusal: Refusal): LoopError {
  const [firstLine = ''] = problem.split('\n');
  const known = ownWords.find(([pattern]) => pattern.test(firstLine));
  return new LoopError(refusal(where, known?.[1] ?? firstLine.replace(/[.:]$/, '')));
}

/** Messages of the parser that only programmers understand, rephrased for users. */
const ownWords: readonly (readonly [RegExp, string])[] = [
  [/call stack/, 'it is nested too deeply'],
  [/multiple documents/, 'it contains more than one document'],
  [/alias count/i, 'its aliases expand to too many values'],
];

function place(name: string, lines: Yaml.LineCounter, offset: number | undefined): string {
  if (offset === undefined) return name;
  const { line, col } = lines.linePos(offset);
  return `${name}:${line}:${col}`;
}

/** The position of a setting's key, or of the list item, or of the nearest node around it that has one. */
function offsetOf(document: Yaml.Document, path: readonly PropertyKey[], yaml: typeof Yaml): number | undefined {
  const [last, parent] = [path.at(-1), path.slice(0, -1)];
  if (last === undefined) return document.contents?.range?.[0];
  const around = parent.length === 0 ? document.contents : (document.getIn(parent, true) as Yaml.Node | undefined);
  const map = yaml.isAlias(around) ? around.resolve(document) : around;
  if (yaml.isMap(map)) {
    const key = map.items.find((pair) => yaml.isScalar(pair.key) && pair.key.value === last)?.key;
    if (yaml.isNode(key) && key.range) return key.range[0];
  }
  if (yaml.isSeq(map) && typeof last === 'number') {
    const item = map.items[last];
    if (yaml.isNode(item) && item.range) return item.range[0];
  }
  return offsetOf(document, parent, yaml);
}
