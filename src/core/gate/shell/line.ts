import { peekReserved, skip, skipBlanks, skipLines } from './blanks.ts';
import type { Command, Item, Loop, Pipeline, Redirection, Script, SimpleCommand, Word } from './tree.ts';
import { balancedEnd, type Cursor, readWord } from './words.ts';

interface ShellLine {
  readonly script: Script;
  /** Whether all of the text was understood. */
  readonly isComplete: boolean;
}

const maxDepth = 50;

/**
 * Parses lines for sh or bash, in time proportional to their length. Never throws: what it does not understand is
 * skipped, and `isComplete` is false.
 */
export function parseShell(source: string): ShellLine {
  const cursor: Cursor = {
    source,
    at: 0,
    depth: 0,
    isComplete: true,
    hereDocuments: [],
    expectedClosers: new Map(),
    readSubstitution,
  };
  const script = readScript(cursor, []);
  return { script, isComplete: cursor.isComplete };
}

function readSubstitution(cursor: Cursor, closing: string): Script {
  const script = readScript(cursor, closing === '' ? [] : [closing]);
  expectSign(cursor, closing);
  return script;
}

/** Reads items up to a closing word or sign that an open construct expects. */
function readScript(cursor: Cursor, closers: readonly string[]): Script {
  for (const closer of closers) cursor.expectedClosers.set(closer, (cursor.expectedClosers.get(closer) ?? 0) + 1);
  cursor.depth += 1;
  const items: Item[] = [];
  const start = cursor.at;
  while (cursor.at < cursor.source.length) {
    skipLines(cursor);
    const closer = peekCloser(cursor);
    if (closer !== '' && (cursor.expectedClosers.get(closer) ?? 0) > 0) break;
    if (closer !== '') unexpected(cursor, closer.length);
    else if (cursor.at < cursor.source.length) items.push(...readItem(cursor));
  }
  cursor.depth -= 1;
  for (const closer of closers) cursor.expectedClosers.set(closer, (cursor.expectedClosers.get(closer) ?? 1) - 1);
  return { items, start: items[0]?.start ?? start, end: items.at(-1)?.end ?? start };
}

const closing = /;;&?|;&|\)/y;
const closingWords: ReadonlySet<string> = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}']);

/** The closing word or sign that begins here: `)`, `;;`, or a word such as `fi`. */
function peekCloser(cursor: Cursor): string {
  const word = peekReserved(cursor);
  if (closingWords.has(word)) return word;
  closing.lastIndex = cursor.at;
  return closing.exec(cursor.source)?.[0].replace(/^;.*/, ';;') ?? '';
}

function unexpected(cursor: Cursor, length: number): void {
  cursor.isComplete = false;
  cursor.at += Math.max(1, length);
}

function readItem(cursor: Cursor): readonly Item[] {
  const start = cursor.at;
  const first = readPipeline(cursor);
  const rest: Item['rest'][number][] = [];
  skipBlanks(cursor);
  for (let operator = skip(cursor, /&&|\|\|/y); operator !== ''; operator = skip(cursor, /&&|\|\|/y)) {
    skipLines(cursor);
    rest.push({ operator: operator === '&&' ? '&&' : '||', pipeline: readPipeline(cursor) });
    skipBlanks(cursor);
  }
  const end = rest.at(-1)?.pipeline.end ?? first.end;
  const separator = skip(cursor, /&|;(?!;|&)/y);
  if (cursor.at === start) {
    unexpected(cursor, 1);
    return [];
  }
  return [{ first, rest, isBackground: separator === '&', start, end }];
}

function readPipeline(cursor: Cursor): Pipeline {
  const start = cursor.at;
  let isNegated = false;
  for (let word = peekReserved(cursor); word === '!' || word === 'time'; word = peekReserved(cursor)) {
    cursor.at += word.length;
    if (word === '!') isNegated = !isNegated;
    skipBlanks(cursor);
    if (word === 'time') skip(cursor, /-p\b[ \t]*/y);
  }
  const stages = [readCommand(cursor)];
  skipBlanks(cursor);
  while (skip(cursor, /\|&|\|(?!\|)/y) !== '') {
    skipLines(cursor);
    stages.push(readCommand(cursor));
    skipBlanks(cursor);
  }
  return { isNegated, stages, start, end: stages.at(-1)?.end ?? start };
}

function readCommand(cursor: Cursor): Command {
  const start = cursor.at;
  if (cursor.depth >= maxDepth) {
    cursor.isComplete = false;
    cursor.at = cursor.source.length;
    return { kind: 'simple', raw: '', assignments: [], words: [], redirections: [], start, end: start };
  }
  const compound = readCompound(cursor, start);
  if (compound === undefined) return readSimple(cursor);
  const end = cursor.at;
  const redirections: Redirection[] = [];
  skipBlanks(cursor);
  for (let next = readRedirection(cursor); next !== undefined; next = readRedirection(cursor)) {
    redirections.push(next);
    skipBlanks(cursor);
  }
  return { ...compound, redirections, start, end: redirections.at(-1)?.target.end ?? end };
}

type Without<Kind> = Kind extends Command ? Omit<Kind, 'start' | 'end' | 'redirections'> : never;
type CompoundBody = Without<Exclude<Command, SimpleCommand>>;

function readCompound(cursor: Cursor, start: number): CompoundBody | undefined {
  if (cursor.source.startsWith('((', start)) {
    const end = balancedEnd({ ...cursor }, start);
    if (cursor.source[end - 2] === ')' && end - 2 > start) {
      cursor.at = end;
      return { kind: 'arithmetic', text: cursor.source.slice(start + 2, end - 2) };
    }
  }
  if (cursor.source[start] === '(') return readGroup(cursor, ')');
  const word = peekReserved(cursor);
  switch (word) {
    case '{':
      return readGroup(cursor, '}');
    case 'if':
      return readIf(cursor);
    case 'for':
    case 'select':
    case 'while':
    case 'until':
      return readLoop(cursor, word);
    case 'case':
      return readCase(cursor);
    case 'function':
      cursor.at += word.length;
      skipBlanks(cursor);
      return readFunction(cursor, readWord(cursor)?.text ?? '');
    default:
      return undefined;
  }
}

function readGroup(cursor: Cursor, closer: ')' | '}'): CompoundBody {
  cursor.at += 1;
  const body = readScript(cursor, [closer]);
  expectSign(cursor, closer);
  return { kind: 'group', isSubshell: closer === ')', body };
}

function readIf(cursor: Cursor): CompoundBody {
  const branches: { condition: Script; body: Script }[] = [];
  for (let word = 'if'; word === 'if' || word === 'elif'; word = peekReserved(cursor)) {
    cursor.at += word.length;
    const condition = readScript(cursor, ['then', 'fi']);
    expectSign(cursor, 'then');
    branches.push({ condition, body: readScript(cursor, ['elif', 'else', 'fi']) });
  }
  const hasElse = peekReserved(cursor) === 'else';
  if (hasElse) cursor.at += 'else'.length;
  const otherwise = hasElse ? readScript(cursor, ['fi']) : undefined;
  expectSign(cursor, 'fi');
  return { kind: 'if', branches, ...(otherwise === undefined ? {} : { otherwise }) };
}

function readLoop(cursor: Cursor, keyword: Loop['keyword']): CompoundBody {
  cursor.at += keyword.length;
  const hasCondition = keyword === 'while' || keyword === 'until';
  const condition = hasCondition ? readScript(cursor, ['do', 'done']) : undefined;
  const header = hasCondition ? [] : readHeader(cursor);
  expectSign(cursor, 'do');
  const body = readScript(cursor, ['done']);
  expectSign(cursor, 'done');
  return { kind: 'loop', keyword, ...(condition === undefined ? {} : { condition }), header, body };
}

/** The words between `for` and `do`. */
function readHeader(cursor: Cursor): readonly Word[] {
  const words: Word[] = [];
  skipBlanks(cursor);
  if (cursor.source.startsWith('((', cursor.at)) cursor.at = balancedEnd(cursor, cursor.at);
  for (;;) {
    skipLines(cursor);
    if (peekReserved(cursor) === 'do') return words;
    const word = readWord(cursor);
    if (word !== undefined) words.push(word);
    else if (skip(cursor, /;(?!;)/y) === '') return words;
  }
}

function readCase(cursor: Cursor): CompoundBody {
  cursor.at += 'case'.length;
  skipBlanks(cursor);
  readWord(cursor);
  skipLines(cursor);
  if (skip(cursor, /in(?=\s)/y) === '') cursor.isComplete = false;
  const bodies: Script[] = [];
  for (;;) {
    skipLines(cursor);
    if (peekReserved(cursor) === 'esac' || cursor.at >= cursor.source.length) break;
    const start = cursor.at;
    skip(cursor, /\(/y);
    do skipBlanks(cursor);
    while (readWord(cursor) !== undefined || skip(cursor, /\|/y) !== '');
    expectSign(cursor, ')');
    bodies.push(readScript(cursor, [';;', 'esac']));
    skip(cursor, /;;&?|;&/y);
    if (cursor.at === start) break;
  }
  expectSign(cursor, 'esac');
  return { kind: 'case', bodies };
}

function readFunction(cursor: Cursor, name: string): CompoundBody {
  skip(cursor, /[ \t]*\([ \t]*\)/y);
  skipLines(cursor);
  cursor.depth += 1;
  const body = readCommand(cursor);
  cursor.depth -= 1;
  return { kind: 'function', name, body };
}

function readSimple(cursor: Cursor): Command {
  const start = cursor.at;
  const assignments: Word[] = [];
  const words: Word[] = [];
  const redirections: Redirection[] = [];
  const isTest = peekReserved(cursor) === '[[';
  let end = start;
  for (;;) {
    const redirection = isTest && words.length > 0 ? undefined : readRedirection(cursor);
    const word = redirection === undefined ? readWord(cursor) : undefined;
    if (redirection !== undefined) redirections.push(redirection);
    else if (word === undefined) {
      if (!isTest || !takesOperator(cursor, words)) break;
    } else if (words.length === 0 && isAssignment(cursor, word)) assignments.push(word);
    else words.push(word);
    end = cursor.at;
    if (words.length === 1 && assignments.length === 0 && !isTest && skip(cursor, /[ \t]*\([ \t]*\)/y) !== '') {
      return { ...readFunction(cursor, words[0]?.text ?? ''), redirections, start, end: cursor.at };
    }
    if (isTest && word?.text === ']]') break;
    skipBlanks(cursor);
  }
  if (end === start) cursor.isComplete = false;
  return { kind: 'simple', raw: cursor.source.slice(start, end), assignments, words, redirections, start, end };
}

/** Inside `[[ … ]]`, operators are ordinary words. */
function takesOperator(cursor: Cursor, words: Word[]): boolean {
  const start = cursor.at;
  const text = skip(cursor, /&&|\|\||[<>()|\n]/y);
  if (text !== '') words.push({ text, isQuoted: false, substitutions: [], start, end: cursor.at });
  return text !== '';
}

function isAssignment({ source }: Cursor, { start, end }: Word): boolean {
  return /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(source.slice(start, Math.min(end, start + 200)));
}

const redirect = /(?:\d+|\{\w+\})?(?:<<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\())|&>>?/y;

function readRedirection(cursor: Cursor): Redirection | undefined {
  const operator = skip(cursor, redirect);
  if (operator === '') return undefined;
  skipBlanks(cursor);
  const at = cursor.at;
  const target = readWord(cursor);
  if (target === undefined) cursor.isComplete = false;
  if (target !== undefined && /<<-?$/.test(operator)) {
    cursor.hereDocuments.push({ delimiter: target.text, stripsTabs: operator.endsWith('-') });
  }
  return { operator, target: target ?? { text: '', isQuoted: false, substitutions: [], start: at, end: at } };
}

/** Skips a closing sign that must be here. */
function expectSign(cursor: Cursor, sign: string): void {
  if (sign === '') return;
  skipLines(cursor);
  if (cursor.source.startsWith(sign, cursor.at)) cursor.at += sign.length;
  else cursor.isComplete = false;
}
