import { randomUUID } from 'node:crypto';
import { type DrivenLoop, signInOf } from '../app/index.ts';
import { exitCodes } from '../base/index.ts';
import { describeDoubts, exitCodeOf, type Loop, warningsOf } from '../core/index.ts';
import { canAsk } from './can-ask.ts';
import type { Display } from './display.ts';
import { createAttendant } from './live/attend.ts';
import { createInterrupts } from './live/interrupts.ts';
import { openLiveTerminal } from './live/live-terminal.ts';
import { createLoopPrinter } from './live/loop-printer.ts';
import { closingLines } from './output/closing.ts';
import { printLines } from './output/fit-lines.ts';
import { jsonLine } from './output/json-line.ts';
import { openingLines } from './output/opening.ts';
import { paintFor } from './output/paint.ts';
import { printProblems } from './output/problems.ts';
import { createQuestionCommands } from './question-commands.ts';
import type { Surroundings } from './surroundings.ts';

/** Runs a loop to its end or pause, shows it on the terminal, and returns the exit code. */
export async function follow(driven: DrivenLoop, outer: Surroundings, display: Display): Promise<number> {
  const { drive, folder, opening, redact, isEncrypted } = driven;
  const { asJson, verbosity } = display;
  // First, so that an interrupt reaches the loop as soon as the user sees it.
  const signals = listenForSignals(driven, outer.isHangupIgnored);
  using _signals = signals;
  using terminal = openLiveTerminal(outer, !asJson);
  const { stdout, stderr, cwd } = terminal.surroundings;
  using _problems = printProblems(driven, terminal.surroundings);
  const paint = paintFor(stderr);
  const printer = createLoopPrinter(drive.loop.id, terminal.surroundings, {
    ...display,
    agentName: drive.loop.config.agent,
  });
  const signIn = signInOf(drive.loop.config, outer.env);
  if (!asJson && verbosity !== 'quiet')
    printer.print(openingLines(drive.loop, { folder, cwd, paint, signIn, isEncrypted }).map(redact));
  for (const fact of opening) printer.fact(fact);
  const draw = (columns: number) => (attendant?.isBusy() === true ? undefined : printer.live(columns));
  using attendant =
    canAsk(outer) && !asJson
      ? createAttendant({
          driven,
          surroundings: outer,
          print: printer.print,
          redraw: () => terminal.show(draw),
          // Nothing else is drawn while a command runs.
          commands: createQuestionCommands({ driven, surroundings: outer }),
        })
      : undefined;
  using _facts = drive.facts.subscribe((fact) => {
    printer.fact(fact);
    attendant?.fact(fact);
  });
  using _pulses = driven.onPulse(printer.pulse);
  terminal.show(draw);
  const { loop } = await drive.run({ stayWhenPaused: () => false });
  await driven.settle();
  if (!asJson && verbosity !== 'quiet') printer.print(['']);
  return reportEnd(loop, { stdout }, { asJson, signal: signals.first() });
}

/** Prints the state of a loop that no longer runs, and returns the exit code. */
export function reportEnd(
  loop: Loop,
  { stdout }: Pick<Surroundings, 'stdout'>,
  { asJson, signal }: { readonly asJson: boolean; readonly signal?: NodeJS.Signals | undefined },
): number {
  const exitCode = exitCodeFor(loop, signal);
  if (asJson) stdout.write(jsonLine(endObject(loop, exitCode)));
  else printLines(stdout, closingLines(loop, paintFor(stdout)));
  return exitCode;
}

/** The last line of `run --json`: a public contract. */
function endObject(loop: Loop, exitCode: number): Record<string, unknown> {
  return {
    type: 'loop.ended',
    loopId: loop.id,
    status: loop.status,
    reason: loop.outcome.reason,
    verified: loop.outcome.verified,
    proof: loop.outcome.proof ?? 'none',
    doubts: describeDoubts(loop),
    warnings: warningsOf(loop),
    iterations: loop.totals.stats.iterations,
    exitCode,
  };
}

function exitCodeFor(loop: Loop, signal: NodeJS.Signals | undefined): number {
  const code = exitCodeOf(loop);
  return code === exitCodes.interrupted && signal === 'SIGTERM' ? exitCodes.terminated : code;
}

interface SignalListener extends Disposable {
  readonly first: () => NodeJS.Signals | undefined;
}

/** The first signal shuts down the agent cleanly and pauses the loop; a second one kills it immediately. */
function listenForSignals({ drive }: DrivenLoop, isHangupIgnored: boolean): SignalListener {
  const interrupts = createInterrupts({
    // If it cannot be recorded, the run ends with that error.
    pause: (signal) => void drive.send({ id: randomUUID(), command: 'interrupt', signal }).catch(() => {}),
    kill: () => drive.killNow(),
  });
  const receive = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGHUP' || !isHangupIgnored) interrupts.receive(signal);
  };
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, receive);
  return {
    first: interrupts.first,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, receive);
    },
  };
}
