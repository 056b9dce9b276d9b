import type { NotedIssue, RunNotes } from '../../protocol/index.ts';

type NotedDecision = NonNullable<RunNotes['decisions']>[number];
type NotedValue = NonNullable<RunNotes['values']>[number];

const longestNote = 240;
const mostFiles = 5;
const longestPath = 120;

/** One note on one line, without marks of emphasis, and bounded. */
export function oneNote(text: string): string {
  const line = text
    .replace(/\*\*|__/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length <= longestNote ? line : `${wholeWords(line, longestNote - 2)} …`.trimStart();
}

/** The beginning of a text, without a word that is cut: half a secret would not be known for one. */
export function wholeWords(text: string, longest: number): string {
  return text.length <= longest ? text : text.slice(0, longest + 1).replace(/\s*\S*$/u, '');
}

const reason = /[\s,;.(—–-]*(?:\b(?:because|since)\s|\b(?:rationale|why|reason):\s*)/iu;

/** A decision, and its reason where one is given: `use X because Y`, `use X (why: Y)`. */
export function decisionIn(said: string): readonly NotedDecision[] {
  const line = said.replace(/\*\*|__/gu, '');
  const found = reason.exec(line);
  const text = oneNote(found === null || found.index === 0 ? line : line.slice(0, found.index));
  const why = found === null || found.index === 0 ? '' : oneNote(line.slice(found.index + found[0].length));
  if (text === '') return [];
  return [{ text, ...(why === '' ? {} : { why: why.replace(/\)$/u, '') }) }];
}

const words: readonly (readonly [RegExp, NotedIssue['severity']])[] = [
  [/critical|blocker|severe/iu, 'critical'],
  [/high|major/iu, 'high'],
  [/low|minor|trivial/iu, 'low'],
  [/medium|moderate|normal/iu, 'medium'],
];
const word = 'critical|blocker|severe|high|major|medium|moderate|normal|low|minor|trivial';
const bracketed = new RegExp(`^[[(]\\s*(?:severity:?\\s*)?(${word})\\s*[\\])]\\s*[:—–-]?\\s*`, 'iu');
const prefixed = new RegExp(`^(${word})\\s*(?::|\\s[—–-])\\s+`, 'iu');

/** An issue: how bad it is, from what stands in brackets or in front of it, and the files that it names. */
export function issueIn(said: string, aside = ''): readonly NotedIssue[] {
  const line = said.replace(/\*\*|__/gu, '').trim();
  const found = bracketed.exec(line) ?? prefixed.exec(line);
  const text = oneNote(found === null ? line : line.slice(found[0].length));
  if (text === '') return [];
  const severity = severityIn(aside) ?? severityIn(found?.[1] ?? '') ?? 'medium';
  const files = filesIn(`${aside} ${line}`);
  return [{ text, severity, ...(files.length === 0 ? {} : { files: [...files] }) }];
}

function severityIn(text: string): NotedIssue['severity'] | undefined {
  return words.find(([pattern]) => pattern.test(text))?.[1];
}

/** Paths: words with a slash and an ending, or with an ending inside backticks. */
function filesIn(line: string): readonly string[] {
  const paths = [
    ...line.matchAll(/`([\w@./-]*\w\.\w{1,8})(?::\d+)*`/gu),
    ...line.matchAll(/(?<![\w./:@-])((?:[\w@.-]+\/)+[\w@.-]*\w\.\w{1,8})(?![\w/])/gu),
  ].map(([, path = '']) => path);
  return [...new Set(paths)].filter((path) => path.length <= longestPath).slice(0, mostFiles);
}

/** A value under a name: `Note (port): 8080`, or `port: 8080` in a list of notes. */
export function valueIn(said: string, aside?: string): readonly NotedValue[] {
  const [, name = '', rest = ''] = /^([^:]{1,40}):\s+(.+)$/u.exec(said.replace(/\*\*|__|`/gu, '').trim()) ?? [];
  const [key, value] = aside === undefined ? [name.trim(), rest] : [aside.trim(), said];
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._/-]{0,39}$/u.test(key)) return [];
  const text = oneNote(value);
  return text === '' ? [] : [{ key, value: text }];
}
