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
  fleetLoginRefused: (place: string, why: string) => ({
    code: 'FLEET_LOGIN_REFUSED',
    exitCode: exitCodes.configuration,
    message: `The database ${place} refuses this login: ${why}.`,
    hint: 'Check user and password in the address given with "--db" or in RALPHD_DB, and what pg_hba.conf of the server allows.',
  }),
  fleetTls: (place: string, why: string) => ({
    code: 'FLEET_TLS',
    exitCode: exitCodes.configuration,
    message: `There is no encrypted connection to the database ${place}: ${why}.`,
    hint: 'Check "sslmode" and "sslrootcert" in the address given with "--db" or in RALPHD_DB, and the certificate of the server.',
  }),
  fleetServerOld: (place: string, found: number) => ({
    code: 'FLEET_SERVER_OLD',
    exitCode: exitCodes.configuration,
    message: `The server of the database ${place} is PostgreSQL ${found}; a fleet needs 15 or newer. Nothing was changed.`,
    hint: 'Update the server, or use another one.',
  }),
  fleetMigrationFailed: (place: string, why: string) => ({
    code: 'FLEET_MIGRATION_FAILED',
    exitCode: exitCodes.configuration,
    message: `The database ${place} could not be prepared: ${why}. Nothing was changed.`,
    hint: 'Run "ralphd fleet migrate" as a user that may create a schema there ("grant create on database") or, for an update, as the user who prepared the fleet.',
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
  fleetUnanswered: (loopId: string, command: string) => ({
    code: 'FLEET_UNANSWERED',
    exitCode: exitCodes.needsPerson,
    message: `No worker has answered ${command} for loop ${loopId} yet. The command is kept: the next worker that drives the loop carries it out.`,
    hint: 'See which workers are alive with "ralphd fleet status".',
  }),
  fleetNotThere: (loopId: string, action: string) => ({
    code: 'FLEET_NOT_THERE',
    exitCode: exitCodes.usage,
    message:
      action === 'requeue'
        ? `Loop ${loopId} is neither paused nor set aside in this fleet.`
        : action === 'unschedule'
          ? `There is no schedule ${loopId} in this fleet.`
          : action === 'forget'
            ? `No lost worker of this fleet is called ${loopId}.`
            : `Loop ${loopId} does not wait for its first worker in this fleet.`,
    hint: 'See "ralphd fleet status".',
  }),
  loopNotStarted: (loopId: string, since: string, why: string | undefined) => ({
    code: 'LOOP_NOT_STARTED',
    exitCode: exitCodes.needsPerson,
    message: `Loop ${loopId} waits for its first worker since ${since}${why === undefined ? '' : `; the last try failed: ${why}`}.`,
    hint: `See with "ralphd fleet status" whether a worker is alive that has its agent, account and labels. "ralphd watch ${loopId}" waits for it, "ralphd fleet withdraw ${loopId}" takes it back.`,
  }),
  loopSetAside: (loopId: string, why: string | undefined) => ({
    code: 'LOOP_SET_ASIDE',
    exitCode: exitCodes.needsPerson,
    message: `Loop ${loopId} was set aside before it started: ${why ?? 'nobody knows why'}.`,
    hint: `Once this is fixed, queue it again with "ralphd fleet requeue ${loopId}", or take it back with "ralphd fleet withdraw ${loopId}".`,
  }),
  removalLive: (loopId: string) => ({
    code: 'REMOVAL_LIVE',
    exitCode: exitCodes.locked,
    message: `A worker drives loop ${loopId}, or is about to, so it was not removed.`,
    hint: `End it first with "ralphd abort ${loopId}".`,
  }),
  notWithFleet: (command: string, why: string, instead: string) => ({
    code: 'NOT_WITH_FLEET',
    exitCode: exitCodes.usage,
    message: `"ralphd ${command}" does not work with --db: ${why}.`,
    hint: instead,
  }),
  fleetSetting: (setting: string, why: string, instead: string) => ({
    code: 'FLEET_SETTING',
    exitCode: exitCodes.configuration,
    message: `A loop with the setting "${setting}" cannot be driven by a fleet: ${why}.`,
    hint: instead,
  }),
  scheduleExists: (id: string) => ({
    code: 'SCHEDULE_EXISTS',
    exitCode: exitCodes.usage,
    message: `There is a schedule ${id} already.`,
    hint: 'Name this one with "--loop-id", or remove the other with "ralphd fleet unschedule".',
  }),
  workerRunning: (folder: string) => ({
    code: 'WORKER_RUNNING',
    exitCode: exitCodes.locked,
    message: `Another worker already uses ${folder}.`,
    hint: 'One worker drives several loops: raise its "--capacity", or give this one its own folder with "--dir".',
  }),
  workerDistrusts: (loopId: string, repository: string) => ({
    code: 'WORKER_DISTRUSTS',
    exitCode: exitCodes.configuration,
    message: `This worker does not run loops of ${repository}, which ${loopId} works on.`,
    hint: 'Name the repository, or the beginning of its address, with "--trust" where the worker is started.',
  }),
  workerNeedsPerl: () => ({
    code: 'WORKER_NEEDS_PERL',
    exitCode: exitCodes.configuration,
    message: 'A worker needs perl: its keepers stop agents whose loop another worker may have taken over.',
    hint: 'Install perl, then start the worker again.',
  }),
  workerTrustsNobody: () => ({
    code: 'WORKER_TRUSTS_NOBODY',
    exitCode: exitCodes.usage,
    message: 'A worker runs the commands of the loops that it drives, so it has to be told whose loops those may be.',
    hint: 'Name repositories, or the beginning of their addresses, with "--trust"; "--trust all" trusts whoever can submit loops.',
  }),
  submitNeedsRepository: (folder: string) => ({
    code: 'SUBMIT_NEEDS_REPOSITORY',
    exitCode: exitCodes.usage,
    message: `${folder} has no git remote "origin", so a worker on another machine could not get its files.`,
    hint: 'Name the repository with "--repo".',
  }),
} as const satisfies FailureFamily;
