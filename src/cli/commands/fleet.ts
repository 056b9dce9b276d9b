import {
  forgetWorker,
  keepLoops,
  limitAccount,
  migrateFleet,
  pruneFleet,
  readFleetStatus,
  removeSchedule,
  requeueLoop,
  withdrawLoop,
} from '../../app/index.ts';
import { exitCodes, failures, formatDuration, LoopError, parseDuration } from '../../base/index.ts';
import { countOption } from '../count-option.ts';
import { requiredFleet } from '../fleet-address.ts';
import { printLines } from '../output/fit-lines.ts';
import { fleetLines } from '../output/fleet-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import { pruneLines } from '../output/prune-lines.ts';
import type { Invocation } from '../parse.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd fleet`: a fleet as a whole. */
export async function fleetCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const [action = '', name] = invocation.args;
  const { words = [] } = invocation.command;
  if (!words.includes(action)) throw new LoopError(failures.unknownSubcommand('fleet', action, words));
  const address = requiredFleet(invocation, surroundings);
  const { stdout } = surroundings;
  const asJson = invocation.options['json'] === true;
  const print = (result: Readonly<Record<string, unknown>>, lines: readonly string[]) => {
    if (asJson) stdout.write(jsonLine(result));
    else printLines(stdout, lines);
    return exitCodes.completed;
  };
  switch (action) {
    case 'status': {
      const status = await readFleetStatus(address);
      const drawing = { paint: paintFor(stdout), width: widthOf(stdout), all: invocation.options['all'] === true };
      return print({ ...status }, fleetLines(status, { nowMs: Date.now(), ...drawing }));
    }
    case 'migrate': {
      const done = await migrateFleet(address);
      const what = done.from === done.to ? 'was up to date' : `was brought from version ${done.from} to ${done.to}`;
      return print({ ...done }, [`The schema of the fleet ${what}.`]);
    }
    case 'account': {
      const account = required(name, 'NAME');
      const [most, reserve] = [
        countOption(invocation.options, 'max-loops'),
        countOption(invocation.options, 'reserve'),
      ];
      const limits = {
        ...(most === undefined ? {} : { most }),
        ...(reserve === undefined ? {} : { reserve }),
        ...(invocation.options['unblock'] === true ? { blockedUntil: null, blockedWhy: null, atOnce: null } : {}),
      };
      if (Object.keys(limits).length === 0)
        throw new LoopError(failures.missingArgument('--max-loops N', 'fleet account'));
      await limitAccount(address, account, limits);
      return print({ account, ...limits }, [`The limits of account ${account} are set.`]);
    }
    case 'prune': {
      const olderMs = durationOf(invocation.options['older-than'], '--older-than');
      const report = await pruneFleet(address, { olderMs, isConfirmed: invocation.options['yes'] === true });
      return print({ ...report }, pruneLines(report, { nowMs: Date.now(), width: widthOf(stdout) }));
    }
    case 'keep': {
      const text = required(name, 'DUR');
      const ms = text === 'forever' ? null : durationOf(text, 'DUR');
      await keepLoops(address, ms);
      const effect =
        ms === null
          ? 'Loops that have ended are kept for ever.'
          : `Workers remove loops ${formatDuration(ms)} after their end.`;
      return print({ keep: ms }, [effect]);
    }
    default: {
      const loopId = required(name, 'ID');
      const [act, done] = changes[isChange(action) ? action : 'withdraw'];
      if (!(await act(address, loopId))) throw new LoopError(failures.fleetNotThere(loopId, action));
      return print({ loopId, action }, [`${loopId} ${done}.`]);
    }
  }
}

const changes = {
  requeue: [requeueLoop, 'is queued again'],
  withdraw: [withdrawLoop, 'is withdrawn'],
  forget: [forgetWorker, 'is left out from now on'],
  unschedule: [removeSchedule, 'starts no more loops'],
} as const;

function durationOf(text: Invocation['options'][string] | undefined, what: string): number {
  if (typeof text !== 'string') throw new LoopError(failures.missingArgument(`${what} DUR`, 'fleet prune'));
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= shortestKeptMs) return ms;
  throw new LoopError(failures.badValue(what, 'a time of at least 1h, such as 90d', JSON.stringify(text)));
}

/** Whoever waits for the end of a loop still finds it. */
const shortestKeptMs = 3_600_000;

function isChange(action: string): action is keyof typeof changes {
  return Object.hasOwn(changes, action);
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new LoopError(failures.missingArgument(name, 'fleet'));
  return value;
}
