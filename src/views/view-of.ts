import {
  bestResult,
  describeDoubts,
  type Loop,
  modeOf,
  paceOf,
  plainResume,
  sessionHealth,
  standings,
  summariseTests,
  trackedTests,
  warningsOf,
} from '../core/index.ts';
import { type StoredView, type ViewedRequest, type ViewedTests, viewVersion } from '../protocol/index.ts';

/** What readers show of a loop: written by its owner with each snapshot, and computed by a reader if facts followed. */
export function viewOf(loop: Loop): StoredView {
  const { id, status, phase, config, origin, journal, outcome, position, pending, totals, progress } = loop;
  const { uuid, agent, task, workingDirectory, worktree, startedAt, resumedFrom } = origin;
  const { iteration, attempt } = position;
  const { best, recentScores, lastIteration, measures } = progress;
  return {
    version: viewVersion,
    id,
    uuid,
    status,
    phase,
    ...given({ reason: outcome.reason, message: outcome.message }),
    verified: outcome.verified,
    proof: outcome.proof ?? 'none',
    iteration,
    attempt,
    ...given({ current: currentOf(loop) }),
    requested: requestedOf(loop),
    ...given({ requestedBy: (loop.commands.requests.end ?? loop.commands.requests.pause)?.sender }),
    maxIterations: config.maxIterations,
    agent,
    task,
    workingDirectory,
    ...given({ worktree, startedAt, lastActivityAt: journal.lastActivityAt, endedAt: outcome.endedAt }),
    ...given({ sandbox: config.sandbox === 'off' ? undefined : config.sandbox }),
    runningMs: totals.runningMs,
    mode: modeOf(loop),
    ...given({ nextMode: nextModeOf(loop), question: questionOf(loop) }),
    ...given({
      resumedFrom,
      wait: pending.wait,
      wakeAt: pending.wakeAt,
      hostSession: pending.hostSession,
      agentProcess: agentOf(loop),
    }),
    stats: totals.stats,
    spent: totals.spent,
    ...given({ resources: resourcesOf(loop) }),
    progress: { ...paceOf(loop), recentScores, lastIteration },
    ...given({ agentSession: sessionHealth(loop) }),
    reboots: (loop.session.reboots ?? []).slice(-maxViewedReboots),
    ...given({ best, bestResult: bestResult(loop) }),
    notes: loop.handover.notes,
    changedProtected: loop.gate.protectedFiles.changed,
    ...given({ denied: loop.signals.denied, lastGate: lastGateOf(loop) }),
    doubts: describeDoubts(loop),
    warnings: warningsOf(loop),
    ...given({ tests: testsOf(loop) }),
    measures,
    rules: standings(loop),
    ...given({ resume: status === 'paused' ? resumeOf(loop) : undefined }),
  };
}

const maxViewedReboots = 10;

type Given<Fields> = { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

/** The fields that have a value. */
function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}

function resourcesOf({ config: { resources }, totals: { recentCalls } }: Loop): StoredView['resources'] {
  return Object.values(resources).every((bound) => bound === undefined) ? undefined : { ...resources, recentCalls };
}

function currentOf({ position: { current } }: Loop): StoredView['current'] {
  return current && { startedAt: current.startedAt, stage: current.stage };
}

function requestedOf({ commands: { requests, guidance } }: Loop): readonly ViewedRequest[] {
  const { pause, end, skip, reboot, resume } = requests;
  return [
    ...(pause === undefined ? [] : [pause.now ? ('pause_now' as const) : ('pause' as const)]),
    ...(end === undefined ? [] : [end.gracefully ? ('stop' as const) : ('abort' as const)]),
    ...(skip === undefined ? [] : ['skip' as const]),
    ...(reboot === undefined ? [] : ['reboot' as const]),
    ...(resume === undefined ? [] : ['resume' as const]),
    ...(guidance.some(({ delivered }) => delivered === undefined) ? ['guide' as const] : []),
  ];
}

function nextModeOf({ commands: { requests } }: Loop): StoredView['nextMode'] {
  return requests.mode && { mode: requests.mode.mode, when: requests.mode.when };
}

function questionOf({ supervision: { question } }: Loop): StoredView['question'] {
  if (question === undefined) return undefined;
  const { epoch: _epoch, ...shown } = question;
  return shown;
}

function agentOf({ position: { current } }: Loop): StoredView['agentProcess'] {
  return current?.stage === 'executing' ? current.process : undefined;
}

function lastGateOf({ verification: { latest } }: Loop): StoredView['lastGate'] {
  if (latest === undefined) return undefined;
  const { verdict, tampered } = latest.result;
  return { iteration: latest.iteration, verdict, ...given({ tampered }) };
}

/** The latest run of the tests, and every test that has failed once. */
function testsOf(loop: Loop): ViewedTests | undefined {
  const summary = summariseTests(loop);
  return summary && { ...summary, tracked: trackedTests(loop.tests.memory) };
}

function resumeOf(loop: Loop): StoredView['resume'] {
  const resume = plainResume(loop);
  return resume === undefined ? undefined : { raise: resume.raise };
}
