import { type AppContext, createFleetFigures, findLoop, type LoopReport, readReport } from '../../app/index.ts';
import type { SentLoopReport } from '../../protocol/index.ts';
import { stateLooks, stateOf, viewOf } from '../../views/index.ts';
import type { Handlers } from '../http/requests.ts';
import type { Gatekeeper } from '../limits.ts';
import type { Fleet } from '../loops/fleet.ts';
import { createNightReport } from '../loops/night-report.ts';
import type { NamedLoop, Projects } from '../loops/projects.ts';
import { withRequests } from '../loops/requests-of.ts';
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
  const textOf = async (key: string) => (await report(projects.find(key))).text;
  const night = createNightReport({ fleet, words, nowMs, report: textOf });
  const figures = createFleetFigures(() => projects.list().map(({ place }) => place));
  return {
    getLoopReport: async ({ params }) => await heavy.run(async () => await report(projects.find(params.key))),
    getReport: async ({ query }) => await heavy.run(async () => await night(query.since)),
    async getNumbers({ query: { since } }) {
      const sinceMs = since === undefined ? undefined : Date.parse(since);
      const { unreadable, ...numbers } = await figures.numbers({ sinceMs });
      return { ...(since === undefined ? {} : { since }), ...numbers, unreadable: unreadable.length };
    },
    getMetrics: async () => await figures.openMetrics(),
  };
}

async function reportOf(
  named: NamedLoop,
  { words, context, nowMs }: { readonly words: ServerWords; readonly context: AppContext; readonly nowMs: number },
): Promise<SentLoopReport> {
  const { key, loopId, place } = named;
  const found = await readReport(place, loopId, context);
  const { report, loop, files } = found;
  const { proof, spent, runningMs, agentMs, interludes } = report;
  const { status, startedAt, untilAt, isOver } = report.loop;
  const { ownerState, wakeAt } = findLoop(place, loopId);
  const state = stateOf({ view: viewOf(loop), shownStatus: status, ownerState, wakeAt }, nowMs);
  const text = words.report(found, nowMs);
  const steps = withRequests(words.explain(report.explanation, loop).next, report.explanation.next);
  const next = text.next.map((advice) => ({ ...advice, ...steps.find(({ command }) => command === advice.command) }));
  return {
    key,
    loopId,
    status,
    state,
    group: stateLooks[state].group,
    ...(startedAt === undefined ? {} : { startedAt }),
    untilAt,
    isOver,
    proof: pick(proof),
    spent,
    runningMs,
    agentMs,
    waitedMs: interludes.waitedMs,
    pausedMs: interludes.pausedMs,
    files: files ?? null,
    text: { ...text, next },
    markdown: await words.reportDocument(text),
  };
}

function pick({ iteration: _iteration, verdict: _verdict, ...proof }: LoopReport['report']['proof']) {
  return proof;
}
