import { readTestReport } from '../../core/index.ts';
import type { TestHints } from '../../protocol/index.ts';

/** Reads test counts from what an agent shows of its own test runs: hints for people, which prove nothing. */
export interface TestHintReader {
  /** Takes what one command printed. */
  take(output: string): void;
  /** The counts of the newest test run; undefined if no output contains any. */
  hints(): TestHints | undefined;
}

// A report ends with its totals, so the end of an output is enough, and a run of any length costs the same memory.
const maxLength = 32 * 1024;
const maxOutputs = 8;
const mayReport = /\d/;
const words = /\b(?:tests?|pass(?:ed|es|ing)?|fail(?:ed|ing|ures?)?|ok|specs?|examples?|assertions?)\b/i;

/** Starts without any output. */
export function createTestHintReader(): TestHintReader {
  let outputs: readonly string[] = [];
  return {
    take(output) {
      const end = output.slice(-maxLength);
      if (!mayReport.test(end) || !words.test(end)) return;
      // A slice would keep the whole line of the stream in memory.
      const copy = output.length > maxLength ? Buffer.from(end).toString() : end;
      outputs = [...outputs, copy].slice(-maxOutputs);
    },
    hints() {
      for (const output of outputs.toReversed()) {
        const found = hintsIn(output);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** An output may contain any number, and one that no test run can have is no hint. */
function hintsIn(output: string): TestHints | undefined {
  const report = readTestReport(output);
  if (report === undefined) return undefined;
  const { framework, total, passed, failed, skipped } = report;
  const isPlausible = [total, passed, failed, skipped].every((count) => Number.isSafeInteger(count) && count >= 0);
  return isPlausible ? { framework, total, passed, failed, skipped } : undefined;
}
