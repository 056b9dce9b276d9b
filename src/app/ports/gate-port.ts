import { boundText } from '../../base/index.ts';
import { type FinishedRun, runToEnd } from '../../process/index.ts';
import type { Check, CheckCommand, LoopConfig, Verdict } from '../../protocol/index.ts';
import type { EffectSignals, GatePort, GateRun } from '../../runner/index.ts';

const keptOutputBytes = 64 * 1024;
const longestOutput = 4_000;
const shellNotFound = 127;

/** Where the checks run and how long they may take. */
export interface GateSetting {
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs every check of the gate in order, whatever the one before it said: the agent shall hear of all of them. */
export function createGatePort(setting: GateSetting): GatePort {
  return {
    async run(commands, signals) {
      const checks: Check[] = [];
      for (const command of commands) {
        const check = await runCheck(command, setting, signals);
        if (check === undefined) return undefined;
        checks.push(check);
      }
      return summarise(checks);
    },
  };
}

function summarise(checks: readonly Check[]): GateRun {
  const refused = checks.find(({ verdict }) => verdict !== 'passed');
  const verdict = checks.length === 0 ? 'unverifiable' : (refused?.verdict ?? 'passed');
  return { verdict, checks, durationMs: checks.reduce((sum, { durationMs }) => sum + durationMs, 0) };
}

async function runCheck(
  command: CheckCommand,
  setting: GateSetting,
  { signal, kill }: EffectSignals,
): Promise<Check | undefined> {
  const { config, workingDirectory, env } = setting;
  const run = await runToEnd({
    command,
    cwd: workingDirectory,
    env,
    timeoutMs: config.verifyTimeout,
    graceMs: config.iteration.killGrace,
    maxOutputBytes: keptOutputBytes,
    signal,
    killSignal: kill,
  });
  if (run.ending.kind === 'stopped' && run.ending.by === 'request') return undefined;
  return {
    command: typeof command === 'string' ? command : command.join(' '),
    verdict: verdictOf(run, typeof command === 'string'),
    ...(run.ending.kind === 'exited' ? { exitCode: run.ending.code } : {}),
    durationMs: Math.round(run.durationMs),
    output: boundText(run.output, longestOutput),
  };
}

/** Not found, timed out and failed are different things: only the last says something about the work. */
function verdictOf({ ending }: FinishedRun, inShell: boolean): Verdict {
  switch (ending.kind) {
    case 'exited':
      if (ending.code === 0) return 'passed';
      return inShell && ending.code === shellNotFound ? 'not_found' : 'failed';
    case 'stopped':
      return 'timed_out';
    case 'not_started':
      return 'not_found';
    case 'signalled':
      return 'failed';
  }
}
