import { randomUUID } from 'node:crypto';
import { type DrivenLoop, signInOf } from '../app/index.ts';
import type { Loop } from '../core/index.ts';
import type { Pulse, RecordedFact } from '../protocol/index.ts';
import { canAsk } from './can-ask.ts';
import type { Display } from './display.ts';
import { createAttendant } from './live/attend.ts';
import { createInterrupts } from './live/interrupts.ts';
import { openLiveTerminal } from './live/live-terminal.ts';
import { createLoopPrinter } from './live/loop-printer.ts';
import { printLines } from './output/fit-lines.ts';
import { openingLines } from './output/opening.ts';
import { paintFor } from './output/paint.ts';
import { printProblems } from './output/problems.ts';
import { createQuestionCommands } from './question-commands.ts';
import { reportEnd } from './report-end.ts';
import { canShowScreen, mayAsk } from './screen/can-show.ts';
import type { Surroundings } from './surroundings.ts';

/** Runs a loop to its end or pause, shows it on the terminal, and returns the exit code. */
export async function follow(driven: DrivenLoop, outer: Surroundings, display: Display): Promise<number> {
  const { drive } = driven;
  // First, so that an interrupt reaches the loop as soon as the user sees it.
  const signals = listenForSignals(driven, outer.isHangupIgnored);
  using _signals = signals;
  const isScreen = display.isScreen && canShowScreen(outer) && !mayAsk(drive.loop);
  const loop = await (isScreen ? followOnScreen : followAsLines)(driven, outer, {
    ...display,
    run: () => runOf(driven),
  });
  return reportEnd(loop, outer, { asJson: display.asJson, signal: signals.first() });
}

/** How a run is shown as lines. */
interface Lines extends Display {
  /** Starts the loop, or returns the run under way. */
  readonly run: () => Promise<Loop>;
  /** The newest facts from before the lines begin, where the loop runs already. */
  readonly missed?: { readonly facts: readonly RecordedFact[]; readonly pulse: Pulse | undefined };
}

async function runOf({ drive }: DrivenLoop): Promise<Loop> {
  return (await drive.run({ stayWhenPaused: () => false })).loop;
}

const maxMissed = 20;

/** The screen first, and lines once the person wants them or the loop asks something. */
async function followOnScreen(driven: DrivenLoop, outer: Surroundings, lines: Lines): Promise<Loop> {
  const { showRun } = await import('./screen/run-screen.ts');
  printOpening(driven, outer);
  const missed: RecordedFact[] = [];
  let ended: Loop | undefined;
  const keep = (fact: RecordedFact) => {
    missed.push(fact);
    if (missed.length > maxMissed) missed.shift();
  };
  let pulse: Pulse | undefined;
  using facts = driven.drive.facts.subscribe(keep);
  using pulses = driven.onPulse((next) => (pulse = next));
  const running = lines.run().then((loop) => (ended = loop));
  await showRun(driven, running, outer);
  facts[Symbol.dispose]();
  pulses[Symbol.dispose]();
  if (ended === undefined) {
    return await followAsLines(driven, outer, { ...lines, run: () => running, missed: { facts: missed, pulse } });
  }
  await driven.settle();
  return ended;
}

function printOpening(driven: DrivenLoop, { stderr, cwd, env }: Surroundings): void {
  const { drive, folder, isEncrypted } = driven;
  const { redact } = driven.redactor;
  const signIn = signInOf(drive.loop.config, env);
  const opening = openingLines(drive.loop, { folder, cwd, paint: paintFor(stderr), signIn, isEncrypted });
  printLines(stderr, [...opening.map(redact), '']);
}

async function followAsLines(driven: DrivenLoop, outer: Surroundings, lines: Lines): Promise<Loop> {
  const { drive, folder, opening, isEncrypted } = driven;
  const { redact } = driven.redactor;
  const { asJson, verbosity, run, missed } = lines;
  using terminal = openLiveTerminal(outer, !asJson);
  const { stderr, cwd } = terminal.surroundings;
  using _problems = printProblems(driven, terminal.surroundings);
  const paint = paintFor(stderr);
  const printer = createLoopPrinter(drive.loop.id, terminal.surroundings, {
    ...lines,
    agentName: drive.loop.config.agent,
  });
  const signIn = signInOf(drive.loop.config, outer.env);
  if (!asJson && verbosity !== 'quiet' && missed === undefined)
    printer.print(openingLines(drive.loop, { folder, cwd, paint, signIn, isEncrypted }).map(redact));
  if (missed === undefined) for (const fact of opening) printer.fact(fact);
  else printer.past(missed.facts);
  printer.pulse(missed?.pulse);
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
  const asked = drive.loop.supervision.question && missed?.facts.findLast(({ type }) => type === 'question.asked');
  if (asked !== undefined) attendant?.fact(asked);
  using _facts = drive.facts.subscribe((fact) => {
    printer.fact(fact);
    attendant?.fact(fact);
  });
  using _pulses = driven.onPulse(printer.pulse);
  terminal.show(draw);
  const loop = await run();
  await driven.settle();
  if (!asJson && verbosity !== 'quiet') printer.print(['']);
  return loop;
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
