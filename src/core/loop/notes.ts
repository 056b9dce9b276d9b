import type { NotedIssue, RunNotes } from '../../protocol/index.ts';

/** Something that was decided, and why, as the agent put it. */
export interface Decision {
  readonly iteration: number;
  readonly at: string;
  readonly text: string;
  readonly why?: string | undefined;
}

/** Something that is wrong, as the agent put it. */
export interface Issue extends NotedIssue {
  /** What it is called by in a hand-over. */
  readonly number: number;
  readonly iteration: number;
  readonly isAddressed: boolean;
}

/** What the agents of a loop noted for those after them: quotations, never instructions. Bounded. */
export interface Notes {
  /** Newest last, as all of these. */
  readonly decisions: readonly Decision[];
  readonly issues: readonly Issue[];
  readonly done: readonly { readonly iteration: number; readonly text: string }[];
  /** What the newest list says is left to do. */
  readonly pending: readonly string[];
  readonly values: readonly { readonly key: string; readonly value: string }[];
  /** How many issues there have ever been. */
  readonly issueCount: number;
}

/** Nothing noted. */
export const noNotes: Notes = { decisions: [], issues: [], done: [], pending: [], values: [], issueCount: 0 };

/** How much of each stays in the state. */
export const keptNotes = { decisions: 10, issues: 30, done: 30, pending: 30, values: 20 } as const;

/** From the worst to the least. */
const severities: readonly NotedIssue['severity'][] = ['critical', 'high', 'medium', 'low'];

/** When a run was that noted something. */
interface When {
  readonly iteration: number;
  readonly at: string;
}

/** Adds what one run noted. What was noted before in the same words is not noted twice. */
export function addNotes(notes: Notes, said: RunNotes | undefined, when: When): Notes {
  if (said === undefined) return notes;
  const { decisions = [], done = [], values = [] } = said;
  const { iteration } = when;
  const made = decisions.map((decision) => ({ ...when, ...decision }));
  const finished = done.map((text) => ({ iteration, text }));
  const pending = said.pending ?? notes.pending;
  return {
    ...withIssues(notes, said, iteration),
    decisions: newest(notes.decisions, made, keptNotes.decisions),
    done: newest(notes.done, finished, keptNotes.done),
    pending: pending.filter((text) => !done.some((other) => isSame(text, other))).slice(0, keptNotes.pending),
    values: [...new Map([...notes.values, ...values].map(({ key, value }) => [key, value]))]
      .map(([key, value]) => ({ key, value }))
      .slice(-keptNotes.values),
  };
}

/** The issues that nobody has addressed, the worst first. */
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
    resolved.some((words) => isMeant(issue, words)) ? { ...issue, isAddressed: true } : issue,
  );
  return { ...notes, issues: fewer(marked), issueCount };
}

/** Whether words name an issue: by its number, or by a part of it that is long enough to be meant. */
function isMeant({ number, text }: Issue, words: string): boolean {
  const [, named] = /^(?:issue\s+)?#(\d+)\b/iu.exec(words) ?? [];
  if (named !== undefined) return Number(named) === number;
  const [one, other] = [plain(text), plain(words)];
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short === long || (short.length >= 12 && long.includes(short));
}

/** What is addressed goes first, then what matters least, then what is oldest. */
function fewer(issues: readonly Issue[]): readonly Issue[] {
  const excess = issues.length - keptNotes.issues;
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
  most: number,
): readonly Item[] {
  const fresh = more.filter(({ text }) => !known.some((earlier) => isSame(earlier.text, text)));
  return [...known, ...fresh].slice(-most);
}

function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

/** Words and numbers alone: how an agent marks or ends a sentence does not matter. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
