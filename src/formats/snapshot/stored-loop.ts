import { type Loop, type LoopGroups, readSpent } from '../../core/index.ts';
import type { Frozen, LoopConfig, LoopConfigInput, StoredLoop } from '../../protocol/index.ts';

/** A loop in the form of a snapshot: all fields side by side, under the names of the first release. */
export function toStoredLoop(loop: Loop, config: LoopConfigInput): Frozen<StoredLoop> {
  const { id, status, phase, configHash, origin, journal, outcome, position, pending, gate } = loop;
  const { commands, verification, tests, progress, signals, handover, session, totals, supervision, hooks } = loop;
  const { served: servedCommands, ...otherCommands } = commands;
  const { latest: latestGate, ...otherVerification } = verification;
  const { latest: latestTests, memory: testMemory, ...otherTests } = tests;
  const { lastIteration: lastProgressIteration, ...otherProgress } = progress;
  const { current: currentSession, history: sessionHistory, ...otherSession } = session;
  return {
    id,
    status,
    phase,
    config: { ...config },
    configHash,
    ...origin,
    ...journal,
    ...outcome,
    ...position,
    ...pending,
    ...gate,
    ...otherCommands,
    servedCommands,
    ...otherVerification,
    ...(latestGate && { gate: latestGate }),
    ...otherTests,
    testMemory,
    ...(latestTests && { tests: latestTests }),
    ...otherProgress,
    lastProgressIteration,
    ...otherSession,
    sessionHistory,
    ...(currentSession && { session: currentSession }),
    ...signals,
    ...handover,
    ...totals,
    supervision,
    hooks,
  };
}

/** The loop in a snapshot. */
export function fromStoredLoop(found: StoredLoop, config: LoopConfig): Loop {
  const stored = withNumbers(found);
  const { id, status, phase, configHash, supervision, hooks } = stored;
  return {
    id,
    status,
    phase,
    config,
    configHash,
    supervision,
    hooks,
    ...basics(stored),
    ...judgement(stored),
    ...work(stored),
  };
}

/** The first releases did not number guidance. */
function withNumbers({ current, guidance, guidanceCount, ...stored }: StoredLoop) {
  const delivered = (current?.delivered.guidance ?? []).map((each, index) => ({ number: index + 1, ...each }));
  const waiting = guidance.map((each, index) => ({ number: delivered.length + index + 1, ...each }));
  return {
    ...stored,
    ...(current && { current: { ...current, delivered: { ...current.delivered, guidance: delivered } } }),
    guidance: waiting,
    guidanceCount: Math.max(guidanceCount, ...[...delivered, ...waiting].map(({ number }) => number)),
  };
}

type NumberedLoop = ReturnType<typeof withNumbers>;

function basics(stored: NumberedLoop): Pick<LoopGroups, 'origin' | 'journal' | 'outcome' | 'position' | 'pending'> {
  return {
    origin: group<'origin'>(stored, {
      uuid: true,
      task: true,
      agent: true,
      workingDirectory: true,
      worktree: true,
      startedBy: true,
      startedAt: true,
      resumedFrom: true,
      earlierIterations: true,
      imported: true,
      chosen: true,
      warnings: true,
    }),
    journal: group<'journal'>(stored, { seq: true, epoch: true, owner: true, lastActivityAt: true, recoveries: true }),
    outcome: group<'outcome'>(stored, { reason: true, message: true, endedAt: true, verified: true, proof: true }),
    position: group<'position'>(stored, {
      iteration: true,
      attempt: true,
      finished: true,
      current: true,
      earned: true,
    }),
    pending: group<'pending'>(stored, {
      wait: true,
      owed: true,
      wakeAt: true,
      hostSession: true,
      rebootWaits: true,
      retries: true,
    }),
  };
}

function judgement(stored: NumberedLoop): Pick<LoopGroups, 'gate' | 'verification' | 'tests' | 'signals'> {
  const { gate, tests, testMemory: memory } = stored;
  return {
    gate: group<'gate'>(stored, {
      checks: true,
      foundTest: true,
      readings: true,
      masked: true,
      guards: true,
      start: true,
      base: true,
      environment: true,
      protectedFiles: true,
      checkWrites: true,
    }),
    verification: group<'verification'>(
      { ...stored, ...(gate && { latest: gate }) },
      { baseline: true, latest: true, obstacle: true, completionChecks: true },
    ),
    tests: group<'tests'>(
      { ...stored, memory, ...(tests && { latest: tests }) },
      { latest: true, memory: true, checkMemory: true },
    ),
    signals: group<'signals'>(stored, {
      lastFailure: true,
      matchedPattern: true,
      observed: true,
      outputMatches: true,
      denied: true,
      hookStop: true,
      spiral: true,
    }),
  };
}

function work(stored: NumberedLoop): Pick<LoopGroups, 'commands' | 'progress' | 'handover' | 'session' | 'totals'> {
  const { servedCommands: served, lastProgressIteration: lastIteration, session, sessionHistory: history } = stored;
  const { handOff, contextWindow, reboots } = stored;
  return {
    commands: group<'commands'>(
      { ...stored, served },
      { requests: true, guidance: true, guidanceCount: true, served: true },
    ),
    progress: group<'progress'>(
      { ...stored, lastIteration },
      { lastIteration: true, best: true, lastChecked: true, recentScores: true, recentQuality: true, measures: true },
    ),
    handover: group<'handover'>(stored, {
      summaries: true,
      notes: true,
      touchedFiles: true,
      lastResult: true,
    }),
    session: group<'session'>(
      {
        history,
        handOff,
        ...(contextWindow === undefined ? {} : { contextWindow }),
        ...(reboots && { reboots }),
        ...(session && { current: session }),
      },
      { current: true, history: true, handOff: true, contextWindow: true, reboots: true },
    ),
    totals: group<'totals'>(
      { ...stored, spent: readSpent(stored.spent) },
      { stats: true, spent: true, runningMs: true, changed: true, recentCalls: true },
    ),
  };
}

/** The named fields that exist. The type checks that all fields of a group are named. */
function group<Name extends keyof LoopGroups>(
  stored: LoopGroups[Name],
  names: Readonly<Record<keyof LoopGroups[Name], true>>,
): LoopGroups[Name] {
  const entries = Object.entries(stored).filter(([name]) => Object.hasOwn(names, name));
  return Object.fromEntries(entries) as unknown as LoopGroups[Name];
}
