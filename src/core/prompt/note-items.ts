import type { NotedIssue, RunNotes } from '../../protocol/index.ts';

type NotedDecision = NonNullable<RunNotes['decisions']>[number];
type NotedValue = NonNullable<RunNotes['values']>[number];

const maxNoteLength = 240;
const maxFiles = 5;
const maxPathLength = 120;

/** One note on one line, without marks of emphasis, and bounded. */
export function oneNote(text: string): string {
  const line = text
    .replace(/\*\*|__/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length <= maxNoteLength ? line : `${wholeWords(line, maxNoteLength - 2)} …`.trimStart();
}

/** The beginning of a text without a cut word: half a secret would not be recognised as one. */
export function wholeWords(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength + 1).replace(/\s*\S*$/u, '');
}

const reason = /[\s,;.(—–-]*(?:\b(?:because|since)\s|\b(?:rationale|why|reason):\s*)/iu;

/** A decision, and its reason where one is given: `use X because Y`, `use X (why: Y)`. */
export function decisionIn(item: string): readonly NotedDecision[] {
  const line = item.replace(/\*\*|__/gu, '');
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

/** An issue: its severity, from the word in brackets or in front of it, and the files that it names. */
export function issueIn(item: string, aside = ''): readonly NotedIssue[] {
  const line = item.replace(/\*\*|__/gu, '').trim();
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
  return [...new Set(paths)].filter((path) => path.length <= maxPathLength).slice(0, maxFiles);
}

/** A value under a name: `Note (port): 8080`, or `port: 8080` in a list of notes. */
export function valueIn(item: string, aside?: string): readonly NotedValue[] {
  const [, name = '', rest = ''] = /^([^:]{1,40}):\s+(.+)$/u.exec(item.replace(/\*\*|__|`/gu, '').trim()) ?? [];
  const [key, value] = aside === undefined ? [name.trim(), rest] : [aside.trim(), item];
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._/-]{0,39}$/u.test(key)) return [];
  const text = oneNote(value);
  return text === '' ? [] : [{ key, value: text }];
}
