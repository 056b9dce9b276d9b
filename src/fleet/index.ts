export { type FleetAddress, parseFleetAddress } from './address.ts';
export type { Patience } from './connection.ts';
export { type Fired, type Fleet, openFleet } from './fleet.ts';
export { type Migrated, migrateFleet } from './migrate.ts';
export type { Signal, Signals } from './signals.ts';
export type {
  AccountLimits,
  Batch,
  BatchOutcome,
  Claim,
  DueSchedule,
  FleetFigures,
  FleetHealth,
  FleetLoop,
  FleetOwner,
  FleetStatus,
  KeptOutput,
  Lack,
  LoopVersion,
  PrunableLoop,
  ReadOutput,
  Removal,
  Schedule,
  StatusOfAccount,
  StatusOfLoop,
  StatusOfSchedule,
  StatusOfWorker,
  StoredLine,
  Submission,
  Taken,
  UndrivenLoop,
  WaitingCommand,
  WorkerNote,
} from './words.ts';
