import type { FactData, RecordedFact, TestCounts } from '../../protocol/index.ts';
import { missingNames } from '../progress/test-id.ts';

/** One attempt at an iteration, according to its facts. */
export interface AttemptAccount {
  readonly attempt: number;
  readonly startedAt: string;
  /** Missing while it is under way. */
  readonly endedAt?: string;
  readonly session: 'fresh' | 'continue';
  /** How many pieces of guidance its prompt has. */
  readonly guidance: number;
  readonly agentStartedAt?: string;
  readonly hooks: readonly FactData<'hooks.finished'>['results'][number][];
  readonly run?: FactData<'agent.finished'>;
  readonly conditions: FactData<'conditions.observed'>['results'];
  readonly gateStartedAt?: string;
  readonly gate?: FactData<'gate.finished'>;
  /** Why it does not count. */
  readonly interrupted?: FactData<'iteration.interrupted'>;
}

/** Everything that is recorded about one iteration. */
export interface IterationAccount {
  readonly iteration: number;
  /** At least one, oldest first; the last one is the one that counts. */
  readonly attempts: readonly AttemptAccount[];
  /** Missing while it is under way. */
  readonly finished?: FactData<'iteration.finished'>;
  /** The newest test counts from before it. */
  readonly testsBefore?: TestCounts;
}

/** The iterations of a loop, one at a time: the open one, which a fact may close or leave behind. */
export interface AccountFold {
  readonly open?: IterationAccount;
  /** The newest test counts. */
  readonly tests?: TestCounts;
}

/** How many attempts at one iteration are kept: a provider's limit can cause any number. */
const maxAttempts = 50;

/** The facts that matter here; all others may be left out. */
export const accountedFacts: ReadonlySet<string> = new Set<RecordedFact['type']>([
  'baseline.finished',
  'iteration.started',
  'hooks.finished',
  'agent.started',
  'agent.finished',
  'conditions.observed',
  'gate.started',
  'gate.finished',
  'iteration.finished',
  'iteration.interrupted',
]);

/** Follows a loop fact by fact. An iteration stays open until the next one starts. */
export function foldAccount(fold: AccountFold, fact: RecordedFact): AccountFold {
  if (fact.type === 'baseline.finished') return withTests(fold, fact.data.tests);
  if (fact.type === 'iteration.started') return begin(fold, fact);
  const { open } = fold;
  if (open === undefined || !('iteration' in fact.data) || fact.data.iteration !== open.iteration) return fold;
  if (fact.type === 'iteration.finished') {
    const closed = editLast(open, () => ({ endedAt: fact.at }));
    const { gate } = lastAttempt(open) ?? {};
    return withTests({ ...fold, open: { ...closed, finished: fact.data } }, gate?.tests);
  }
  return { ...fold, open: editLast(open, (last) => changeBy(last, fact)) };
}

/** Every iteration of a journal in turn, as it was when the next one started or the journal ended. */
export function* accountsOf(facts: Iterable<RecordedFact>): Generator<IterationAccount> {
  let fold: AccountFold = {};
  for (const fact of facts) {
    const { open } = fold;
    fold = foldAccount(fold, fact);
    if (open !== undefined && fold.open?.iteration !== open.iteration) yield open;
  }
  if (fold.open !== undefined) yield fold.open;
}

/** One iteration of a journal; the newest without a number. */
export function accountOf(facts: Iterable<RecordedFact>, number?: number): IterationAccount | undefined {
  let found: IterationAccount | undefined;
  for (const account of accountsOf(facts)) {
    if (number === undefined || account.iteration === number) found = account;
  }
  return found;
}

/** The attempt that counts, or that is under way. */
export function lastAttempt({ attempts }: IterationAccount): AttemptAccount | undefined {
  return attempts.at(-1);
}

/** Tests that changed in an iteration, as far as the reports name them. */
export function testsChangedBy(account: IterationAccount): {
  readonly fixed: readonly string[];
  readonly broken: readonly string[];
} {
  const before = account.testsBefore;
  const after = lastAttempt(account)?.gate?.tests;
  if (before === undefined || after === undefined) return { fixed: [], broken: [] };
  const isNamed = ({ failing, failed }: TestCounts) => failing.length >= failed;
  return {
    // A test whose name a shortened list does not have may still fail.
    fixed: isNamed(after) && after.total > 0 ? missingNames(before.failing, after.failing) : [],
    broken: isNamed(before) && before.total > 0 ? missingNames(after.failing, before.failing) : [],
  };
}

function withTests(fold: AccountFold, tests: TestCounts | undefined): AccountFold {
  return tests === undefined ? fold : { ...fold, tests };
}

function begin({ open, tests }: AccountFold, { data, at }: RecordedFact & { type: 'iteration.started' }): AccountFold {
  const { iteration, attempt, session, guidance } = data;
  const fresh: AttemptAccount = {
    attempt,
    startedAt: at,
    session,
    guidance: guidance.length,
    hooks: [],
    conditions: [],
  };
  const kept = tests === undefined ? {} : { tests };
  if (open?.iteration !== iteration) {
    const before = tests === undefined ? {} : { testsBefore: tests };
    return { ...kept, open: { iteration, attempts: [fresh], ...before } };
  }
  const earlier = open.attempts.filter((each) => each.attempt !== attempt);
  return { ...kept, open: { ...open, attempts: [...earlier, fresh].slice(-maxAttempts) } };
}

function editLast(
  account: IterationAccount,
  change: (last: AttemptAccount) => Partial<AttemptAccount>,
): IterationAccount {
  const last = lastAttempt(account);
  if (last === undefined) return account;
  return { ...account, attempts: [...account.attempts.slice(0, -1), { ...last, ...change(last) }] };
}

function changeBy(last: AttemptAccount, fact: RecordedFact): Partial<AttemptAccount> {
  switch (fact.type) {
    case 'hooks.finished':
      return { hooks: [...last.hooks, ...fact.data.results] };
    case 'agent.started':
      return { agentStartedAt: fact.at };
    case 'agent.finished':
      return { run: fact.data };
    case 'conditions.observed':
      return { conditions: fact.data.results };
    case 'gate.started':
      return { gateStartedAt: fact.at };
    case 'gate.finished':
      return { gate: fact.data };
    case 'iteration.interrupted':
      return { interrupted: fact.data, endedAt: fact.at };
    default:
      return {};
  }
}
