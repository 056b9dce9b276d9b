import { countsOf, createTally, groupNumber, type LineReader } from './tally.ts';

const rspecSummary =
  /^(\d{1,9}) examples?, (\d{1,9}) failures?(?:, (\d{1,9}) pending)?(?:, (\d{1,9}) errors? occurred outside of examples)?$/;

/** RSpec: the counts stand right below `Finished in …`. */
export function createRspecReader(): LineReader {
  const tally = createTally();
  let before = '';
  let listsFailures = false;
  return {
    read: (line, at) => {
      const summary = before.startsWith('Finished in ') ? rspecSummary.exec(line) : null;
      if (summary !== null) {
        const [total, failures, skipped, outside] = [1, 2, 3, 4].map((group) => groupNumber(summary, group));
        const counts = countsOf(total ?? 0, { failed: failures ?? 0, skipped: skipped ?? 0 });
        tally.add({ ...counts, failed: counts.failed + (outside ?? 0) }, at);
      } else if (line === 'Failed examples:') listsFailures = true;
      else if (line.startsWith('An error occurred while loading ')) {
        tally.name('error', line.slice('An error occurred while loading '.length).replace(/\.$/, ''));
      } else if (listsFailures) {
        const name = /^rspec \S.* # (.+)$/.exec(line)?.[1];
        if (name !== undefined) tally.name('failed', name);
        else if (line !== '') listsFailures = false;
      }
      before = line;
    },
    finish: () => tally.finish('rspec'),
  };
}

const minitestSummary =
  /^(\d{1,9}) (?:runs|tests), \d{1,9} assertions, (\d{1,9}) failures, (\d{1,9}) errors(?:, (\d{1,9}) skips)?(?:, (\d{1,9}) pendings, (\d{1,9}) omissions, \d{1,9} notifications)?$/;

/** Minitest and its elder, test-unit: both count behind `Finished in …`. */
export function createMinitestReader(): LineReader {
  const tally = createTally();
  let framework = 'minitest';
  let isFinished = false;
  let before = '';
  return {
    read: (line, at) => {
      if (line.startsWith('Finished in ')) isFinished = true;
      const summary = isFinished && /^\d/.test(line) ? minitestSummary.exec(line) : null;
      if (summary !== null) {
        const [total, failures, errors, skips, pendings, omissions] = [1, 2, 3, 4, 5, 6].map((group) =>
          groupNumber(summary, group),
        );
        if (summary[6] !== undefined) framework = 'test-unit';
        const skipped = (skips ?? 0) + (pendings ?? 0) + (omissions ?? 0);
        tally.add(countsOf(total ?? 0, { failed: (failures ?? 0) + (errors ?? 0), skipped }), at);
        isFinished = false;
      } else nameFailure(line);
      before = line;
    },
    finish: () => tally.finish(framework),
  };

  function nameFailure(line: string): void {
    if (!before.endsWith(':') && !before.startsWith('=====')) return;
    const kind = /^(?: *\d{1,9}\) )?(Error|Failure):$/.exec(before)?.[1];
    const name = kind === undefined ? undefined : /^(\S+#.+?)(?: \[.*\])?:$/.exec(line)?.[1];
    if (name !== undefined) tally.name(kind === 'Error' ? 'error' : 'failed', name);
    const elder = before.startsWith('=====') ? /^(Error|Failure): (\S.*\(\S+\)):?$/.exec(line) : null;
    if (elder?.[2] !== undefined) tally.name(elder[1] === 'Error' ? 'error' : 'failed', elder[2]);
  }
}
