import path from 'node:path';
import { listAgents, runWorker, userStateFolder } from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import { countOption } from '../count-option.ts';
import { allOf, requiredFleet } from '../fleet-address.ts';
import { paintFor } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { version } from '../version.ts';

const defaultCapacity = 2;
const longestLine = 2_000;

/** `ralphd worker`: drives loops of a fleet until it is told to stop. */
export async function workerCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options } = invocation;
  const { cwd, env, stderr } = surroundings;
  const { dir } = options;
  const folder = typeof dir === 'string' ? path.resolve(cwd, dir) : path.join(userStateFolder(env) ?? cwd, 'worker');
  const accounts = allOf(options['account']);
  const [drain, stop] = [new AbortController(), new AbortController()];
  const end = () => (drain.signal.aborted ? stop : drain).abort();
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
  for (const name of signals) process.on(name, end);
  const report = (message: string) => {
    stderr.write(`${paintFor(stderr).dim(new Date().toISOString())} ${oneLine(message, longestLine)}\n`);
  };
  try {
    await runWorker({
      address: requiredFleet(invocation, surroundings),
      folder,
      trust: allOf(options['trust']),
      capacity: countOption(options, 'capacity') ?? defaultCapacity,
      agents: await offered(allOf(options['offer']), invocation, surroundings),
      ...(accounts.length === 0 ? {} : { accounts }),
      labels: allOf(options['label']),
      ...metricsIn(options['metrics']),
      version,
      env,
      report,
      drain: drain.signal,
      stop: stop.signal,
    });
    return exitCodes.completed;
  } finally {
    for (const name of signals) process.off(name, end);
  }
}

/** `9464`, `10.0.0.7:9464` or `[::]:9464`. */
function metricsIn(given: Invocation['options'][string] | undefined) {
  if (typeof given !== 'string') return {};
  const [, ipv6, name, port] = /^(?:(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+)):)?(\d{1,5})$/i.exec(given) ?? [];
  if (port !== undefined && Number(port) <= 65_535) {
    return { metrics: { host: ipv6 ?? name ?? '127.0.0.1', port: Number(port) } };
  }
  throw new LoopError(failures.badValue('--metrics', 'a port, or an address and a port', JSON.stringify(given)));
}

async function offered(
  given: readonly string[],
  invocation: Invocation,
  surroundings: Surroundings,
): Promise<readonly string[]> {
  if (given.length > 0) return given;
  const { config } = await settingsFor(invocation, surroundings);
  const listed = await listAgents(config, appContext(surroundings));
  const installed = listed.flatMap(({ agent, program }) => (program === undefined ? [] : [agent]));
  return [...installed, 'command', 'demo'];
}
