import { flakyTests, recentlyFixed, rememberChecks } from '../core/index.ts';
import type { PersistedLoopState, ProgressState, SessionState } from './persisted-state.ts';

const maxSessions = 20;
const maxScores = 20;

/** Where the results of earlier test runs are kept, because the format has no place for them. */
const memoryKey = 'ralphd_test_results';

/** One more iteration of a session. */
export interface SessionUpdate {
  readonly sessionId: string | undefined;
  readonly contextUsage: number;
  readonly endReason: string;
  readonly now: string;
}

/** The sessions after one more iteration; a session that another one follows moves to the history. */
export function withSession(session: SessionState, update: SessionUpdate): SessionState {
  const { sessionId, contextUsage, endReason, now } = update;
  const { current_session_id: before, session_started_at: startedAt } = session;
  if (sessionId !== undefined && sessionId === before) {
    return { ...session, context_usage: contextUsage, session_iterations: session.session_iterations + 1 };
  }
  const ended =
    before === null
      ? []
      : [
          {
            session_id: before,
            started_at: startedAt ?? now,
            ended_at: now,
            iterations: session.session_iterations,
            end_reason: endReason,
          },
        ];
  return {
    ...session,
    current_session_id: sessionId ?? null,
    session_started_at: sessionId === undefined ? null : now,
    session_iterations: sessionId === undefined ? 0 : 1,
    context_usage: contextUsage,
    session_history: [...session.session_history, ...ended].slice(-maxSessions),
  };
}

/** The progress after one more iteration. */
export function withProgress(
  { progress, core }: PersistedLoopState,
  madeProgress: boolean,
  score: number,
): ProgressState {
  return {
    ...progress,
    iterations_since_progress: madeProgress ? 0 : progress.iterations_since_progress + 1,
    last_progress_iteration: madeProgress ? core.iteration : progress.last_progress_iteration,
    recent_scores: [...progress.recent_scores, score].slice(-maxScores),
  };
}

/** One run of the tests. */
export interface TestRun {
  readonly failureStreak: number;
  readonly passing: readonly string[];
  readonly failing: readonly string[];
}

/** The tests after one more run. */
export function withTests(
  { tests, custom }: PersistedLoopState,
  { failureStreak, passing, failing }: TestRun,
): Pick<PersistedLoopState, 'tests' | 'custom'> {
  const results = [
    ...passing.map((command) => ({ command, verdict: 'passed' as const })),
    ...failing.map((command) => ({ command, verdict: 'failed' as const })),
  ];
  const memory = rememberChecks(rememberedIn(custom), results);
  const reported = new Set([...passing, ...failing]);
  return {
    tests: {
      ...tests,
      failure_streak: failureStreak,
      passing_tests: [...passing],
      failing_tests: [...failing],
      flaky_tests: [...flakyTests(memory)],
      recently_fixed: recentlyFixed(memory).filter((name) => reported.has(name)),
    },
    custom: { ...custom, [memoryKey]: Object.fromEntries(memory.map(({ name, results: all }) => [name, all])) },
  };
}

function rememberedIn(custom: Readonly<Record<string, unknown>>) {
  const stored = custom[memoryKey];
  if (typeof stored !== 'object' || stored === null) return [];
  return Object.entries(stored).flatMap(([name, results]) =>
    typeof results === 'string' && /^[pf]*$/.test(results) ? [{ name, results }] : [],
  );
}
