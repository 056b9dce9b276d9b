import { randomUUID } from 'node:crypto';
import type { DrivenLoop } from '../app/index.ts';
import { exitCodes } from '../base/index.ts';
import { exitCodeOf, type Loop, toldDoubts, warningsOf } from '../core/index.ts';
import type { RecordedFact } from '../protocol/index.ts';
import { closingLines } from './output/closing.ts';
import { factLines } from './output/fact-lines.ts';
import { jsonLine } from './output/json-line.ts';
import { openingLines } from './output/opening.ts';
import { paintFor } from './output/paint.ts';
import type { Surroundings } from './surroundings.ts';

// The launcher forwards what a terminal has already sent to both processes.
const sameInterruptMs = 300;

/** Drives a loop to its end or pause on a terminal, and says what to exit with. */
export async function follow(
  driven: DrivenLoop,
  { stdout, stderr, cwd }: Surroundings,
  { asJson }: { readonly asJson: boolean },
): Promise<number> {
  const { drive, folder, opening, redact } = driven;
  // First of all: from the moment somebody sees the loop, an interrupt is meant for it.
  const signals = listenForSignals(driven);
  using _signals = signals;
  const paint = paintFor(stderr);
  const tell = (lines: readonly string[]) => lines.length > 0 && stderr.write(`${lines.join('\n')}\n`);
  const show = (fact: RecordedFact) => {
    if (!asJson) tell(factLines(fact, paint));
    else if (fact.type !== 'loop.ended') stdout.write(jsonLine(factObject(drive.loop.id, fact)));
  };
  if (!asJson) tell(openingLines(drive.loop, { folder, cwd, paint }).map(redact));
  for (const fact of opening) show(fact);
  using _facts = drive.facts.subscribe(show);
  const loop = await drive.run({ stayWhenPaused: () => false });
  if (!asJson) tell(['']);
  return tellEnd(loop, { stdout }, { asJson, signal: signals.first() });
}

/** Says how a loop stands now that nobody drives it any more, and what to exit with. */
export function tellEnd(
  loop: Loop,
  { stdout }: Pick<Surroundings, 'stdout'>,
  { asJson, signal }: { readonly asJson: boolean; readonly signal?: NodeJS.Signals | undefined },
): number {
  const exitCode = exitCodeFor(loop, signal);
  stdout.write(asJson ? jsonLine(endObject(loop, exitCode)) : `${closingLines(loop, paintFor(stdout)).join('\n')}\n`);
  return exitCode;
}

/** One line of `--json` output for a fact. */
function factObject(loopId: string, { type, seq, at, data }: RecordedFact): Record<string, unknown> {
  return { type, loopId, seq, at, ...data };
}

/** The last line of `run --json`: a public contract. */
function endObject(loop: Loop, exitCode: number): Record<string, unknown> {
  return {
    type: 'loop.ended',
    loopId: loop.id,
    status: loop.status,
    reason: loop.reason,
    verified: loop.verified,
    proof: loop.proof ?? 'none',
    doubts: toldDoubts(loop),
    warnings: warningsOf(loop),
    iterations: loop.stats.iterations,
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

/** The first signal ends the agent in good order and pauses the loop; a second one kills at once. */
function listenForSignals({ drive }: DrivenLoop): SignalListener {
  let first: { readonly signal: NodeJS.Signals; atMs: number } | undefined;
  const receive = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = { signal, atMs: Number.POSITIVE_INFINITY };
      try {
        drive.send({ id: randomUUID(), command: 'interrupt', signal });
      } catch {
        // What could not be recorded ends the run with its error.
      }
      // Counted from here: a slow disk must not make one interrupt into two.
      first.atMs = performance.now();
    } else if (performance.now() - first.atMs > sameInterruptMs) drive.killNow();
  };
  const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, receive);
  return {
    first: () => first?.signal,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, receive);
    },
  };
}
