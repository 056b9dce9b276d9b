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
  Lack,
  LoopVersion,
  PrunableLoop,
  Schedule,
  StatusOfAccount,
  StatusOfLoop,
  StatusOfSchedule,
  StatusOfWorker,
  StoredLine,
  Submission,
  Taken,
  WaitingCommand,
  WorkerNote,
} from './words.ts';
