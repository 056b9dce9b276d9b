import { randomInt } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import { runSelftest, scenarioNames } from '../../selftest/index.ts';
import { countOption } from '../count-option.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import { widthOf } from '../output/plain.ts';
import { selftestRow, selftestSummary } from '../output/selftest-lines.ts';
import type { Invocation } from '../parse.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd selftest`: does harm to real loops in a temporary folder and checks from outside what it promises. */
export async function selftestCommand({ options }: Invocation, surroundings: Surroundings): Promise<number> {
  const { stdout, stderr, env, program } = surroundings;
  const asJson = options['json'] === true;
  const names = namesIn(options['only']);
  const seed = countOption(options, 'seed') ?? randomInt(1, maxSeed);
  const paint = paintFor(stdout);
  using stop = listenForSignals();
  if (!asJson) printLines(stderr, ['Testing ralphd with a scripted agent in a temporary folder, for up to a minute.']);
  const report = await runSelftest(names, {
    program,
    searchPath: env['PATH'] ?? '',
    temporaryFolder: path.resolve(surroundings.cwd, env['TMPDIR'] || os.tmpdir()),
    seed,
    keep: options['keep'] === true,
    signal: stop.signal,
    onRow: (row) => {
      if (!asJson) printLines(stdout, selftestRow(row, paint, widthOf(stdout)));
    },
  }).catch((error: unknown) => {
    throw notSetUp(error);
  });
  if (stop.received !== undefined) {
    const folder = report.folder === undefined ? 'the temporary folder was removed' : `${report.folder} was kept`;
    printLines(stderr, [`Interrupted: everything was ended, and ${folder}.`]);
    return stop.received === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }
  if (asJson) stdout.write(jsonLine(report));
  else printLines(stdout, selftestSummary(report, paint));
  return report.ok ? exitCodes.completed : exitCodes.failed;
}

const maxSeed = 2 ** 31;

function namesIn(only: Invocation['options'][string] | undefined): readonly string[] {
  const names = Array.isArray(only) ? (only as readonly string[]) : [];
  const unknown = names.find((name) => !scenarioNames.includes(name));
  if (unknown === undefined) return names;
  throw new LoopError(failures.badValue('--only', `one of ${scenarioNames.toSorted().join(', ')}`, `"${unknown}"`));
}

// Only its own folder can be the reason: what goes wrong inside a scenario is a finding.
function notSetUp(error: unknown): unknown {
  const isSystemError = error instanceof Error && 'syscall' in error;
  if (!isSystemError) return error;
  return new LoopError(failures.selftestNotSetUp(error.message), { cause: error });
}

interface Stop extends Disposable {
  readonly signal: AbortSignal;
  readonly received: NodeJS.Signals | undefined;
}

function listenForSignals(): Stop {
  const stop = new AbortController();
  let received: NodeJS.Signals | undefined;
  const end = (signal: NodeJS.Signals) => {
    received ??= signal;
    stop.abort();
  };
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, end);
  return {
    signal: stop.signal,
    get received() {
      return received;
    },
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, end);
    },
  };
}
