import type { NotedIssue, RunNotes } from '../../protocol/index.ts';

/** A decision and its reason, in the agent's words. */
export interface Decision {
  readonly iteration: number;
  readonly at: string;
  readonly text: string;
  readonly why?: string | undefined;
}

/** Something that is wrong, in the agent's words. */
export interface Issue extends NotedIssue {
  /** Its number in a handover. */
  readonly number: number;
  readonly iteration: number;
  readonly isAddressed: boolean;
}

/** What the agents of a loop noted for later iterations: quotations, never instructions. Bounded. */
export interface Notes {
  /** Newest last, like all lists here. */
  readonly decisions: readonly Decision[];
  readonly issues: readonly Issue[];
  readonly done: readonly { readonly iteration: number; readonly text: string }[];
  /** What is left to do, from the newest list. */
  readonly pending: readonly string[];
  readonly values: readonly { readonly key: string; readonly value: string }[];
  /** How many issues have been noted in total. */
  readonly issueCount: number;
}

/** Nothing noted. */
export const noNotes: Notes = { decisions: [], issues: [], done: [], pending: [], values: [], issueCount: 0 };

/** How many of each stay in the state. */
export const maxNotes = { decisions: 10, issues: 30, done: 30, pending: 30, values: 20 } as const;

/** Worst first. */
const severities: readonly NotedIssue['severity'][] = ['critical', 'high', 'medium', 'low'];

/** When a run noted something. */
interface When {
  readonly iteration: number;
  readonly at: string;
}

/** Adds the notes of one run. What was already noted in the same words is not added twice. */
export function addNotes(notes: Notes, added: RunNotes | undefined, when: When): Notes {
  if (added === undefined) return notes;
  const { decisions = [], done = [], values = [] } = added;
  const { iteration } = when;
  const made = decisions.map((decision) => ({ ...when, ...decision }));
  const finished = done.map((text) => ({ iteration, text }));
  const pending = added.pending ?? notes.pending;
  return {
    ...withIssues(notes, added, iteration),
    decisions: newest(notes.decisions, made, maxNotes.decisions),
    done: newest(notes.done, finished, maxNotes.done),
    pending: pending.filter((text) => !done.some((other) => isSame(text, other))).slice(0, maxNotes.pending),
    values: [...new Map([...notes.values, ...values].map(({ key, value }) => [key, value]))]
      .map(([key, value]) => ({ key, value }))
      .slice(-maxNotes.values),
  };
}

/** The open issues, the worst first. */
export function openIssues({ issues }: Notes): readonly Issue[] {
  return issues.filter(({ isAddressed }) => !isAddressed).toSorted((one, other) => rankOf(one) - rankOf(other));
}

function withIssues(notes: Notes, { issues = [], resolved = [] }: RunNotes, iteration: number): Notes {
  let { issueCount } = notes;
  let known = notes.issues;
  for (const issue of issues) {
    const earlier = known.find(({ text }) => isSame(text, issue.text));
    if (earlier === undefined) issueCount += 1;
    const number = earlier?.number ?? issueCount;
    const others = known.filter((each) => each !== earlier);
    known = [...others, { ...earlier, ...issue, number, iteration, isAddressed: false }];
  }
  const marked = known.map((issue) =>
    resolved.some((words) => refersTo(issue, words)) ? { ...issue, isAddressed: true } : issue,
  );
  return { ...notes, issues: dropExcess(marked), issueCount };
}

/** Whether words refer to an issue: by its number, or by a part of its text that is long enough. */
function refersTo({ number, text }: Issue, words: string): boolean {
  const [, named] = /^(?:issue\s+)?#(\d+)\b/iu.exec(words) ?? [];
  if (named !== undefined) return Number(named) === number;
  const [one, other] = [plain(text), plain(words)];
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short === long || (short.length >= 12 && long.includes(short));
}

/** Addressed issues are dropped first, then the least severe, then the oldest. */
function dropExcess(issues: readonly Issue[]): readonly Issue[] {
  const excess = issues.length - maxNotes.issues;
  if (excess <= 0) return issues;
  const weight = (issue: Issue) => (issue.isAddressed ? severities.length : rankOf(issue));
  const dropped = new Set(issues.toSorted((one, other) => weight(other) - weight(one)).slice(0, excess));
  return issues.filter((issue) => !dropped.has(issue));
}

function rankOf({ severity }: NotedIssue): number {
  return severities.indexOf(severity);
}

function newest<Item extends { readonly text: string }>(
  known: readonly Item[],
  more: readonly Item[],
  max: number,
): readonly Item[] {
  const fresh = more.filter(({ text }) => !known.some((earlier) => isSame(earlier.text, text)));
  return [...known, ...fresh].slice(-max);
}

function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

/** Words and numbers only: markup and punctuation do not matter. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
