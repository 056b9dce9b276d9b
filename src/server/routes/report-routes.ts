import { type AppContext, findLoop, readReport, readStatistics } from '../../app/index.ts';
import { expositionText } from '../../core/index.ts';
import type { ReceiptText, SentLoopReport } from '../../protocol/index.ts';
import { stateLooks, stateOf } from '../../views/index.ts';
import type { Handlers } from '../http/requests.ts';
import type { Gatekeeper } from '../limits.ts';
import type { Fleet } from '../loops/fleet.ts';
import { createNightReport } from '../loops/night-report.ts';
import type { NamedLoop, Projects } from '../loops/projects.ts';
import { withRequests } from '../loops/requests-of.ts';
import { unreadableRow } from '../loops/unreadable.ts';
import type { ServerWords } from '../words.ts';

/** What is needed to report. */
export interface ReportParts {
  readonly projects: Projects;
  readonly fleet: Fleet;
  readonly words: ServerWords;
  readonly context: AppContext;
  readonly nowMs: () => number;
  readonly heavy: Gatekeeper;
}

/** What loops have done, and what it took. */
export function reportRoutes(
  parts: ReportParts,
): Pick<Handlers, 'getLoopReport' | 'getReport' | 'getNumbers' | 'getMetrics'> {
  const { projects, fleet, words, context, nowMs, heavy } = parts;
  const report = async (named: NamedLoop) => await reportOf(named, { words, context, nowMs: nowMs() });
  const night = createNightReport({
    fleet,
    words,
    nowMs,
    report: async (key) => (await report(projects.find(key))).text,
  });
  const statistics = (since?: string) => {
    const sinceMs = since === undefined ? undefined : Date.parse(since);
    return projects.list().map((served) => ({ served, ...readStatistics(served.place, sinceMs) }));
  };
  return {
    getLoopReport: async ({ params }) => await heavy.run(async () => await report(projects.find(params.key))),
    getReport: async ({ query }) => await heavy.run(async () => await night(query.since)),
    getNumbers: async ({ query: { since } }) =>
      await heavy.run(async () => {
        const [first, ...others] = statistics(since);
        void others;
        return {
          ...(since === undefined ? {} : { since }),
          statistics: first?.statistics,
          unreadable: (first?.unreadable ?? []).map(({ loopId, error }) =>
            unreadableRow(error, { key: loopId, id: loopId, project: first?.served.project }),
          ),
        };
      }),
    getMetrics: async () => await heavy.run(async () => expositionText([], 'openmetrics')),
  };
}

async function reportOf(
  named: NamedLoop,
  { words, context, nowMs }: { readonly words: ServerWords; readonly context: AppContext; readonly nowMs: number },
): Promise<SentLoopReport> {
  const { key, loopId, place } = named;
  const found = await readReport(place, loopId, context);
  const { report, files } = found;
  const { loop, proof, spent, runningMs, agentMs, interludes } = report;
  const view = findLoop(place, loopId);
  void view;
  const { next, ...text } = words.report(found, nowMs);
  const receipt: ReceiptText = { ...text, next: withRequests(next, []) };
  const state = stateOf(view as never, nowMs);
  return {
    key,
    loopId,
    status: loop.status,
    state,
    group: stateLooks[state].group,
    ...(loop.startedAt === undefined ? {} : { startedAt: loop.startedAt }),
    untilAt: loop.untilAt,
    isOver: loop.isOver,
    proof: {
      verified: proof.verified,
      level: proof.level,
      checks: proof.checks,
      doubts: proof.doubts,
      warnings: proof.warnings,
      tampered: proof.tampered,
      accepted: proof.accepted,
    },
    spent,
    runningMs,
    agentMs,
    waitedMs: interludes.waitedMs,
    pausedMs: interludes.pausedMs,
    files: files ?? null,
    text: receipt,
    markdown: await words.reportDocument(receipt),
  };
}
