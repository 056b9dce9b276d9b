import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can go wrong with a fleet: loops in a database, driven by workers on many machines. */
export const fleetFailures = {
  fleetUnreachable: (place: string, why: string) => ({
    code: 'FLEET_UNREACHABLE',
    exitCode: exitCodes.needsPerson,
    message: `The fleet's database ${place} does not answer: ${why}.`,
    hint: 'Check the address given with "--db" or in RALPHD_DB, and that the database server runs. Loops that are driven wait for it and lose nothing.',
  }),
  fleetAddressInvalid: (why: string) => ({
    code: 'FLEET_ADDRESS_INVALID',
    exitCode: exitCodes.usage,
    message: `This is no address of a PostgreSQL database: ${why}.`,
    hint: 'Write it like postgresql://user@host:5432/database, in "--db" or RALPHD_DB.',
  }),
  fleetNotPrepared: (place: string) => ({
    code: 'FLEET_NOT_PREPARED',
    exitCode: exitCodes.configuration,
    message: `The database ${place} holds no fleet yet, or this user may not see it.`,
    hint: 'Prepare it once with "ralphd fleet migrate", as a user that may create a schema there; then grant the role ralphd_worker to the user of the workers.',
  }),
  fleetOlder: (place: string, found: number, needed: number) => ({
    code: 'FLEET_OLDER',
    exitCode: exitCodes.configuration,
    message: `The fleet in ${place} has schema ${found}; this version of ralphd needs ${needed}.`,
    hint: 'Bring it up to date with "ralphd fleet migrate". Workers of the older version can go on meanwhile.',
  }),
  fleetNewer: (place: string, found: number, known: number) => ({
    code: 'FLEET_NEWER',
    exitCode: exitCodes.configuration,
    message: `The fleet in ${place} has schema ${found}, of a newer ralphd; this version knows ${known}. Nothing was changed.`,
    hint: 'Update ralphd on this machine, then run the command again.',
  }),
  fleetLost: (loopId: string, why: string) => ({
    code: 'FLEET_LEASE_LOST',
    exitCode: exitCodes.locked,
    message: `This worker no longer owns loop ${loopId}: ${why}. Everything recorded before is safe.`,
    hint: `See who drives it now with "ralphd fleet status".`,
  }),
  fleetWentBack: (loopId: string, known: number, found: number) => ({
    code: 'FLEET_WENT_BACK',
    exitCode: exitCodes.needsPerson,
    message: `The database knows ${found} facts of loop ${loopId}, but this worker was told that ${known} are safe: the database has lost some, as after a restored backup or a fail-over to a replica that lagged.`,
    hint: "The worker's own copy has the missing facts: keep its folder, and see docs/fleet.md before anything continues.",
  }),
} as const satisfies FailureFamily;
