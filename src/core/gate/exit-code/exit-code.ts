import { readLine, testCommands } from './read-line.ts';
import { lossOf } from './run-line.ts';
import { applyEdit } from './run-simple.ts';
import type { Loss, LossKind, ReadCommand, ReadLine } from './trial.ts';

/** Whether the exit code of a line is that of its test command. */
export type ExitCode =
  | { readonly kind: 'faithful' }
  /** It is, once `pipefail` is set. `alone` is the same test without its pipe. */
  | { readonly kind: 'pipe'; readonly test: string; readonly alone: string }
  /** It is not: the line can exit 0 although the test failed. */
  | { readonly kind: 'masked'; readonly test: string; readonly why: string; readonly corrected: string };

const reasons: Readonly<Record<LossKind, string>> = {
  or: 'what follows "||" succeeds when it fails',
  sequence: 'the line exits with the code of the command after it',
  background: 'it runs in the background, and nothing waits for its exit code',
  if: 'an "if" succeeds when its condition fails and no branch exits with an error',
  loop: 'a loop exits with the code of its last round',
  substitution: 'the exit code of a command in "$(…)" is not passed on',
  option: 'it is told to exit 0 whatever happens',
  pipe: 'a pipe exits with the code of its last command',
  trap: 'the trap for EXIT sets another exit code',
};

const mostFixes = 8;

/** Judges a shell line: can it exit 0 although its test command failed? */
export function judgeExitCode(source: string): ExitCode {
  const line = readLine(source);
  const found = firstLoss(line, false);
  if (found === undefined) return { kind: 'faithful' };
  const strict = firstLoss(line, true);
  const test = oneLine(found.test);
  if (strict === undefined) return { kind: 'pipe', test, alone: withoutPipe(source, found) };
  return { kind: 'masked', test, why: reasons[strict.loss.why], corrected: correct(source, strict) };
}

interface Found {
  readonly loss: Loss;
  readonly test: string;
  readonly command: ReadCommand;
}

/** The first test whose failure the line hides. */
function firstLoss(line: ReadLine, pipefail: boolean): Found | undefined {
  const tests = testCommands(line);
  const sets = [...tests.map((test) => [test]), ...(tests.length > 1 ? [tests] : [])];
  for (const failing of sets) {
    for (const fails of ['always', 'once'] as const) {
      const loss = lossOf(line, { failing, fails, pipefail });
      const [command] = failing;
      if (loss !== undefined && command !== undefined) return { loss, test: command.command.raw, command };
    }
  }
  return undefined;
}

/** Changes the line until nothing is hidden. Where that does not work out, the test alone is the right line. */
function correct(source: string, first: Found): string {
  let text = source;
  let found: Found | undefined = first;
  for (let round = 0; round < mostFixes && found?.loss.edit !== undefined && !text.includes('<<'); round += 1) {
    text = applyEdit(text, found.loss.edit).trim();
    found = firstLoss(readLine(text), true);
    if (found === undefined && text !== '') return text;
  }
  return first.test;
}

/** The line for a machine that has no bash. */
function withoutPipe(source: string, { loss, test }: Found): string {
  if (loss.why !== 'pipe' || loss.edit === undefined) return test;
  const changed = applyEdit(source, { ...loss.edit, text: test });
  return judgeFaithful(changed) ? changed : test;
}

function judgeFaithful(source: string): boolean {
  return firstLoss(readLine(source), false) === undefined;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
