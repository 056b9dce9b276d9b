import { tailText } from '../../base/index.ts';
import type { RunNotes } from '../../protocol/index.ts';
import { withoutFences } from '../settle/claim.ts';
import { decisionIn, issueIn, oneNote, valueIn, wholeWords } from './note-items.ts';
import { linesOf } from './quote.ts';

type Kind = 'decisions' | 'issues' | 'resolved' | 'done' | 'pending' | 'values';

const maxItems = 20;
const maxPending = 30;
const maxLineLength = 1_000;
/** Notes are at the end of an answer. */
const maxTextLength = 64 * 1024;

const titles: readonly (readonly [RegExp, Kind])[] = [
  [/^(?:key )?decisions?(?: made)?$/u, 'decisions'],
  [/^(?:(?:open|known|unaddressed|new) )?(?:issues?|problems?)$/u, 'issues'],
  [/^(?:resolved|addressed|fixed)(?: issues?)?$/u, 'resolved'],
  [/^(?:done|completed)(?: items?| so far)?$/u, 'done'],
  [/^(?:pending|todo|to do|still to do|remaining|next steps?)(?: items?| work)?$/u, 'pending'],
  [/^notes?$/u, 'values'],
];

const anyTitle =
  /decision|issue|problem|resolved|addressed|fixed|done|completed|pending|to ?do|remaining|next step|note/iu;

/** A heading, or a separate line in bold. */
const heading = /^ {0,3}(?:#{1,6}\s+|\*\*(?=[^*]+\*\*:?$))(.+)$/u;
const labelled =
  /^(?:\*\*|__)?([A-Za-z][A-Za-z ]{2,20}?)\s*(?:\(([^()]{1,60})\))?\s*(?:\*\*|__)?:(?:\*\*|__)?(?:\s+(.*))?$/u;
const detail = /^(?:\*\*)?(?:why|because|rationale|reason|files?)\b/iu;
const listItem = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(.*)$/u;

interface Item {
  readonly kind: Kind;
  /** The text in brackets after the label: a severity, or a name. */
  readonly aside?: string | undefined;
  text: string;
}

/**
 * What an agent notes for its successors: lines such as `Decision: …`, `Issue (high): …`, `Resolved: …`, `Done: …`,
 * `Pending: …` and `Note (name): …`, or lists under headings of these names. Never inside code.
 */
export function extractNotes(text: string): RunNotes | undefined {
  // Most answers note nothing, and the next iteration waits for this.
  if (!anyTitle.test(text)) return undefined;
  const { items, listed } = readItems(tailText(withoutFences(text), maxTextLength));
  const texts = (kind: Kind, maxCount = maxItems) =>
    items
      .filter((item) => item.kind === kind && !isNothing(item.text))
      .map((item) => ({ text: item.text, ...(item.aside === undefined ? {} : { aside: item.aside }) }))
      .slice(-maxCount);
  const plain = (kind: Kind, maxCount?: number) => texts(kind, maxCount).flatMap((item) => shortened(item.text));
  const pending = plain('pending', maxPending);
  const found: RunNotes = {
    ...some(
      'decisions',
      texts('decisions').flatMap((item) => decisionIn(item.text)),
    ),
    ...some(
      'issues',
      texts('issues').flatMap((item) => issueIn(item.text, item.aside)),
    ),
    ...some('resolved', plain('resolved')),
    ...some('done', plain('done')),
    ...(pending.length === 0 && !listed.has('pending') ? {} : { pending }),
    ...some(
      'values',
      texts('values').flatMap((item) => valueIn(item.text, item.aside)),
    ),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

interface Reading {
  readonly items: readonly Item[];
  /** The kinds that were mentioned, even without any items. */
  readonly listed: ReadonlySet<Kind>;
}

/** Goes through the lines. A section lasts until the next heading, or until other text follows its list. */
function readItems(text: string): Reading {
  const items: Item[] = [];
  const listed = new Set<Kind>();
  let section: Kind | undefined;
  /** The indentation of the section's items; undefined before the first. */
  let itemsAt: number | undefined;
  let detailed: Item | undefined;
  const begin = (kind: Kind | undefined) => {
    section = kind;
    itemsAt = undefined;
    if (kind !== undefined) listed.add(kind);
  };
  const add = (item: Item) => {
    items.push(item);
    listed.add(item.kind);
    detailed = item;
  };
  for (const { line, indent, title, entry } of meaningfulLines(text)) {
    const content = entry ?? line.trim();
    const label = title === undefined ? labelIn(content) : undefined;
    const isBelow = itemsAt !== undefined && indent > itemsAt;
    if (label !== undefined && label.text !== '') add(label);
    else if (title !== undefined || label !== undefined) begin(label?.kind ?? kindOf(title ?? ''));
    else if (detailed !== undefined && detail.test(content)) addDetail(detailed, content);
    else if (section !== undefined && entry !== undefined && !isBelow) {
      itemsAt ??= indent;
      add(ticked(section, entry));
    } else if (!isBelow) {
      detailed = undefined;
      if (itemsAt !== undefined || isNothing(line)) begin(undefined);
    }
  }
  return { items, listed };
}

function meaningfulLines(text: string) {
  return linesOf(text).flatMap((whole) => {
    const line = wholeWords(whole, maxLineLength).trimEnd();
    const indent = line.search(/\S/u);
    const [title, entry] = [heading.exec(line)?.[1], listItem.exec(line)?.[1]];
    return indent === -1 ? [] : [{ line, indent, title, entry }];
  });
}

/** `Decision: …`, also as an item of a list. */
function labelIn(line: string): Item | undefined {
  const [, name = '', aside, text = ''] = labelled.exec(line) ?? [];
  const kind = name === '' ? undefined : kindOf(name);
  return kind && { kind, aside, text: text.trim() };
}

function kindOf(title: string): Kind | undefined {
  const words = title
    .replace(/[*_:#]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
    .toLowerCase();
  return titles.find(([pattern]) => pattern.test(words))?.[1];
}

/** A checkbox shows whether an item is done, whichever list it is in. */
function ticked(section: Kind, entry: string): Item {
  const [, box, rest = ''] = /^\[([ xX])\]\s+(.*)$/u.exec(entry) ?? [];
  if (box === undefined) return { kind: section, text: entry };
  const isTicked = box !== ' ';
  if (section === 'issues') return { kind: isTicked ? 'resolved' : 'issues', text: rest };
  if (section === 'pending' || section === 'done') return { kind: isTicked ? 'done' : 'pending', text: rest };
  return { kind: section, text: rest };
}

/** A reason or files on a separate line belong to the item above. */
function addDetail(item: Item, line: string): void {
  if (item.text.length + line.length < maxLineLength) item.text = `${item.text} ${line}`;
}

function isNothing(text: string): boolean {
  return /^[\s([*_-]*(?:none|nothing|n\/a|-)[\s)\].*_]*$/iu.test(text);
}

function shortened(text: string): readonly string[] {
  const short = oneNote(text);
  return short === '' ? [] : [short];
}

function some<Name extends Kind, Found>(name: Name, found: readonly Found[]): { readonly [key in Name]?: Found[] } {
  return found.length === 0 ? {} : ({ [name]: [...found] } as { readonly [key in Name]?: Found[] });
}
