import {
  limitAccount,
  migrateFleet,
  readFleetStatus,
  removeSchedule,
  requeueLoop,
  withdrawLoop,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import { countOption } from '../count-option.ts';
import { requiredFleet } from '../fleet-address.ts';
import { printLines } from '../output/fit-lines.ts';
import { fleetLines } from '../output/fleet-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
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
      return print({ ...status }, fleetLines(status, { nowMs: Date.now(), paint: paintFor(stdout) }));
    }
    case 'migrate': {
      const done = await migrateFleet(address);
      const what = done.from === done.to ? 'was up to date' : `was brought from version ${done.from} to ${done.to}`;
      return print({ ...done }, [`The schema of the fleet ${what}.`]);
    }
    case 'account': {
      const account = required(name, 'NAME');
      const [most, reserve] = [countOption(invocation.options, 'most'), countOption(invocation.options, 'reserve')];
      const limits = { ...(most === undefined ? {} : { most }), ...(reserve === undefined ? {} : { reserve }) };
      await limitAccount(address, account, limits);
      return print({ account, ...limits }, [`The limits of account ${account} are set.`]);
    }
    default: {
      const loopId = required(name, 'ID');
      const [act, done] = changes[action === 'requeue' || action === 'unschedule' ? action : 'withdraw'];
      if (!(await act(address, loopId))) throw new LoopError(failures.fleetNotThere(loopId, action));
      return print({ loopId, action }, [`${loopId} ${done}.`]);
    }
  }
}

const changes = {
  requeue: [requeueLoop, 'is queued again'],
  withdraw: [withdrawLoop, 'is withdrawn'],
  unschedule: [removeSchedule, 'starts no more loops'],
} as const;

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new LoopError(failures.missingArgument(name, 'fleet'));
  return value;
}
