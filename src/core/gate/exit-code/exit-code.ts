import { shellWord } from '../../../base/index.ts';
import type { CheckCommand } from '../../../protocol/index.ts';
import { readLine, testCommands } from './read-line.ts';
import { lossOf } from './run-line.ts';
import { applyEdit } from './run-simple.ts';
import type { Loss, LossKind, ReadCommand, ReadLine } from './trial.ts';

/** Whether the exit code of a line is that of its test command. */
export type ExitCode =
  | { readonly kind: 'faithful' }
  /** Only with `pipefail` set. `withoutPipe` is the same line without the pipe. */
  | { readonly kind: 'pipe'; readonly test: string; readonly reason: string; readonly withoutPipe: string }
  /** No: the line can exit 0 although the test failed. */
  | { readonly kind: 'masked'; readonly test: string; readonly reason: string; readonly corrected: string };

const reasons: Readonly<Record<LossKind, (test: string) => string>> = {
  or: (test) => `the command after "||" succeeds when ${test} fails`,
  sequence: (test) => `it exits with the code of the command after ${test}`,
  background: (test) => `${test} runs in the background, and its exit code is lost`,
  if: (test) => `the "if" also succeeds when ${test} fails`,
  loop: (test) => `a loop exits with the code of its last round, even when ${test} failed before`,
  substitution: (test) => `"$(…)" does not pass on the exit code of ${test}`,
  option: (test) => `an option makes ${test} exit 0 even when it fails`,
  pipe: (test) => `a pipe exits with the code of its last command, not with that of ${test}`,
  trap: (test) => `the EXIT trap replaces the exit code of ${test}`,
};

const maxCorrections = 8;

/** Judges a shell line: can it exit 0 although its test command failed? */
export function judgeExitCode(source: string): ExitCode {
  const line = readLine(source);
  const found = firstLoss(line, false);
  if (found === undefined) return { kind: 'faithful' };
  const strict = firstLoss(line, true);
  const test = oneLine(found.test);
  if (strict === undefined)
    return { kind: 'pipe', test, reason: reasons.pipe(`"${test}"`), withoutPipe: withoutPipe(source, found) };
  return {
    kind: 'masked',
    test: oneLine(strict.test),
    reason: reasons[strict.loss.kind](`"${oneLine(strict.test)}"`),
    corrected: correct(source, strict),
  };
}

interface CheckProblem {
  readonly line: string;
  readonly reason: string;
  readonly corrected: string;
}

/** Why a check can pass although its test failed, and the corrected line; undefined for a sound check. */
export function checkProblem(check: CheckCommand, hasBash: boolean): CheckProblem | undefined {
  const line = typeof check === 'string' ? check : check.map(asWord).join(' ');
  const judged = judgeExitCode(line);
  if (judged.kind === 'masked') return { line, reason: judged.reason, corrected: judged.corrected };
  if (hasBash || typeof check !== 'string') return undefined;
  if (judged.kind === 'pipe') return { line, reason: judged.reason, corrected: judged.withoutPipe };
  const test = testCommands(readLine(line)).at(-1)?.command.raw ?? '';
  return shellNeeded(line) === 'sh'
    ? undefined
    : { line, reason: 'it needs bash, which is not installed', corrected: test };
}

function asWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellWord(word);
}

/** The shell that must run a line: `sh`, `bash`, or `bash` with pipefail set. */
export function shellNeeded(line: string): 'sh' | 'bash' | 'pipefail' {
  if (judgeExitCode(line).kind === 'pipe') return 'pipefail';
  return /\bpipefail\b|\bPIPESTATUS\b/.test(line) && !/^\s*(?:\S+\s+)*?(?:\S*\/)?bash\s+-/.test(line) ? 'bash' : 'sh';
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

/** Edits the line until it hides no failure. Where that fails, the corrected line is the test alone. */
function correct(source: string, first: Found): string {
  let text = source;
  let found: Found | undefined = first;
  for (let round = 0; round < maxCorrections && found?.loss.edit !== undefined && !text.includes('<<'); round += 1) {
    text = applyEdit(text, found.loss.edit).trim();
    found = firstLoss(readLine(text), true);
    if (found === undefined && text !== '') return text;
  }
  return first.test;
}

/** The line for a machine without bash. */
function withoutPipe(source: string, { loss, test }: Found): string {
  if (loss.kind !== 'pipe' || loss.edit === undefined) return test;
  const changed = applyEdit(source, { ...loss.edit, text: test });
  return firstLoss(readLine(changed), false) === undefined ? changed : test;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
