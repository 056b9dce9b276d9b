import type { LoopConfig, Phase, Status } from '../../protocol/index.ts';
import { type CommandState, noCommands } from './commands.ts';
import { type GateState, noGate } from './gate.ts';
import { type Handover, nothingToHandOver } from './handover.ts';
import { emptyJournal, type JournalPosition } from './journal.ts';
import { type LoopHooks, noLoopHooks } from './loop-hooks.ts';
import { noOrigin, type Origin } from './origin.ts';
import { type LoopOutcome, noOutcome } from './outcome.ts';
import { nothingPending, type Pending } from './pending.ts';
import { beforeFirst, type LoopPosition } from './position.ts';
import { noProgress, type ProgressState } from './progress.ts';
import { noSession, type SessionState } from './session.ts';
import { noSignals, type StopSignals } from './signals.ts';
import { notSupervised, type Supervision } from './supervision.ts';
import { noTests, type TestState } from './tests.ts';
import { noTotals, type Totals } from './totals.ts';
import { notVerified, type Verification } from './verification.ts';

/** The loop's state in groups, each of one concern. */
export interface LoopGroups {
  readonly origin: Origin;
  readonly journal: JournalPosition;
  readonly outcome: LoopOutcome;
  readonly position: LoopPosition;
  readonly commands: CommandState;
  readonly pending: Pending;
  readonly gate: GateState;
  readonly verification: Verification;
  readonly tests: TestState;
  readonly progress: ProgressState;
  readonly signals: StopSignals;
  readonly handover: Handover;
  readonly session: SessionState;
  readonly totals: Totals;
  readonly supervision: Supervision;
  readonly hooks: LoopHooks;
}

/** Everything that decides what a loop does next: a pure fold over its facts, of bounded size. */
export interface Loop extends LoopGroups {
  readonly id: string;
  readonly status: Status | 'idle';
  readonly phase: Phase;
  readonly config: LoopConfig;
  readonly configHash: string;
}

/** Every group of a loop before its first fact. */
export const emptyGroups: LoopGroups = {
  origin: noOrigin,
  journal: emptyJournal,
  outcome: noOutcome,
  position: beforeFirst,
  commands: noCommands,
  pending: nothingPending,
  gate: noGate,
  verification: notVerified,
  tests: noTests,
  progress: noProgress,
  signals: noSignals,
  handover: nothingToHandOver,
  session: noSession,
  totals: noTotals,
  supervision: notSupervised,
  hooks: noLoopHooks,
};

/** A loop before its first fact. */
export function idleLoop(config: LoopConfig): Loop {
  return { ...emptyGroups, id: '', status: 'idle', phase: 'starting', config, configHash: '' };
}
