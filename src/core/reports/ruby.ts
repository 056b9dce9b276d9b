import type { Counts } from './report.ts';
import { countsOf, createTally, groupNumber, type LineReader, numbersOf } from './tally.ts';

const rspecSummary =
  /^(\d{1,9}) examples?, (\d{1,9}) failures?(?:, (\d{1,9}) pending)?(?:, (\d{1,9}) errors? occurred outside of examples)?$/;

/** RSpec: the counts are right below `Finished in …`, and below them the failed examples, if any. */
export function createRspecReader(): LineReader {
  const tally = createTally();
  let before = '';
  let isFinished = false;
  let listsFailures = false;
  let pending: { readonly counts: Counts; readonly at: number } | undefined;
  let lastSummary = '';

  const sumUp = (summary: RegExpExecArray, at: number) => {
    const [total = 0, failures = 0, skipped = 0, outside = 0] = numbersOf(summary, 4);
    const counts = countsOf(total, { failed: failures, skipped });
    // Every active formatter ends with the same lines.
    const words = `${before}\n${summary[0]}`;
    if (words === lastSummary) return;
    lastSummary = words;
    pending = { counts: { ...counts, failed: counts.failed + outside }, at };
    if (failures === 0) commit();
  };
  const commit = () => {
    if (pending !== undefined) tally.add(pending.counts, pending.at);
    pending = undefined;
  };

  return {
    read: (line, at) => {
      // An empty line goes before it, whatever the examples print.
      if (line.startsWith('Finished in ')) isFinished = before === '';
      const summary = isFinished && before.startsWith('Finished in ') ? rspecSummary.exec(line) : null;
      if (summary !== null) sumUp(summary, at);
      else if (line === 'Failed examples:') {
        commit();
        listsFailures = true;
      } else if (line.startsWith('An error occurred while loading ')) {
        tally.name('error', line.slice('An error occurred while loading '.length).replace(/\.$/, ''));
      } else if (listsFailures) nameFailure(line);
      // RSpec always lists its failures, so this is a quotation.
      else if (line !== '') pending = undefined;
      before = line;
    },
    finish: () => {
      commit();
      return tally.finish('rspec');
    },
  };

  function nameFailure(line: string): void {
    const [, place = '', name] = /^rspec ('[^']*'|\S+) # (.+)$/.exec(line) ?? [];
    const file = /^'?([^':[]{1,200}\.rb)/.exec(place)?.[1];
    if (name !== undefined && !tally.hasFailing(name)) tally.name('failed', name, { file });
    else if (name === undefined && line !== '') listsFailures = false;
  }
}

const minitestSummary =
  /^(\d{1,9}) (?:runs|tests), \d{1,9} assertions, (\d{1,9}) failures, (\d{1,9}) errors(?:, (\d{1,9}) skips)?(?:, (\d{1,9}) pendings, (\d{1,9}) omissions, \d{1,9} notifications)?$/;

/** Minitest and its predecessor, test-unit: both print their counts after `Finished in …`. */
export function createMinitestReader(): LineReader {
  const tally = createTally();
  let framework = 'minitest';
  let isFinished = false;
  let before = '';
  let suite = '';
  return {
    read: (line, at) => {
      if (line.startsWith('Finished in ')) isFinished = true;
      const counted = isFinished && /^\d/.test(line) ? minitestSummary.exec(line) : null;
      // Minitest itself, which counts runs, prints an empty line above them.
      const summary = counted?.[0].includes(' runs, ') && before !== '' ? null : counted;
      if (summary !== null) {
        const [total, failures, errors, skips, pendings, omissions] = [1, 2, 3, 4, 5, 6].map((group) =>
          groupNumber(summary, group),
        );
        if (summary[6] !== undefined) framework = 'test-unit';
        const skipped = (skips ?? 0) + (pendings ?? 0) + (omissions ?? 0);
        tally.add(countsOf(total ?? 0, { failed: (failures ?? 0) + (errors ?? 0), skipped }), at);
        isFinished = false;
      } else {
        nameFailure(line);
        nameReported(line);
      }
      before = line;
    },
    finish: () => tally.finish(framework),
  };

  function nameFailure(line: string): void {
    if (!before.endsWith(':') && !before.startsWith('=====')) return;
    const kind = /^(?: *\d{1,9}\) )?(Error|Failure):$/.exec(before)?.[1];
    const name = kind === undefined ? undefined : /^(\S.*#.+?)(?: \[.*\])?:$/.exec(line)?.[1];
    if (name !== undefined) tally.name(kind === 'Error' ? 'error' : 'failed', name);
    const legacy = before.startsWith('=====') ? /^(Error|Failure): (\S.*\(\S+\)):?$/.exec(line) : null;
    if (legacy?.[2] !== undefined) tally.name(legacy[1] === 'Error' ? 'error' : 'failed', legacy[2]);
  }

  /** Add-on reporters for Minitest have their own formats. */
  function nameReported(line: string): void {
    if (/^[A-Z][\w:]*$/.test(line)) suite = line;
    if (!/\b(?:FAIL|ERROR)\b/.test(line)) return;
    const progress = /^ ?(FAIL|ERROR) (\S+#.+) \([\d.]+s\)$/.exec(line);
    const spec = / {2}(FAIL|ERROR) \([\d.]+s\)$/.exec(line);
    const legacy = /^ ?(FAIL|ERROR)\["(.+?)", .*"([^"]+)">?, [\d.]+\]$/.exec(line);
    const test = line.slice(0, spec?.index ?? 0).trim();
    if (progress?.[2] !== undefined) tally.name(reported(progress[1]), progress[2]);
    else if (legacy !== null) tally.name(reported(legacy[1]), `${legacy[3]}#${legacy[2]}`);
    else if (test.startsWith('test_')) tally.name(reported(spec?.[1]), `${suite}#${test}`);
  }
}

function reported(word: string | undefined): 'failed' | 'error' {
  return word === 'ERROR' ? 'error' : 'failed';
}
