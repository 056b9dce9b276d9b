import { createNodeSummary } from './node-test.ts';
import type { Counts } from './report.ts';
import { addCounts, createTally, groupNumber, type LineReader } from './tally.ts';
import { createTapDocuments } from './tap-documents.ts';
import { createTapTree } from './tap-tree.ts';

// Subtests are indented by four spaces in every producer's output.
const point = /^((?: {4})*)(not )?ok\b(?: (\d{1,9}))?(?: -)?(?: (.*))?$/;

/** TAP from any producer: subtests are counted, the points around them are not. */
export function createTapReader(): LineReader {
  const tally = createTally();
  const totals = createTotals();
  const tree = createTapTree(tally);
  const sign = { version: false, plan: -1, plansNone: false, points: 0, dashes: 0, totals: 0, lastLine: -1 };
  const documents = createTapDocuments((next) => tree.place(next));
  let bailed = 0;
  let yamlIndent: number | undefined;

  return {
    read: (line, at) => {
      if (yamlIndent !== undefined) {
        const indent = line.length - line.trimStart().length;
        if (indent === yamlIndent && line.trim() === '...') yamlIndent = undefined;
        tally.hold(at);
        return;
      }
      if (/^TAP version 1[34]$/.test(line)) {
        sign.version = true;
        documents.start();
      } else if (/^ +---$/.test(line) && sign.points > 0 && sign.lastLine === at - 1) yamlIndent = line.length - 3;
      else if (/^ *(?:not )?ok\b/.test(line)) readPoint(line, at);
      else if (/^ *1\.\.\d/.test(line)) readPlan(line, at);
      else if (line.startsWith('# ')) {
        if (totals.read(line, sign.version)) sign.lastLine = at;
        if (/^# (?:tests|pass|fail) \d{1,9}$/.test(line)) sign.totals += 1;
      } else if (line.startsWith('Bail out!') && (sign.version || sign.plan >= 0)) bailOut(line, at);
    },
    finish: () => {
      const isOver = documents.finish();
      const counts = tree.finish();
      const own = totals.own();
      // A word such as "ok" is not a report, nor is a plan alone: it takes both, or one and the version line.
      const isPlanned = sign.plan >= 0 && (sign.points > 0 || sign.plansNone);
      const isReport = isPlanned || (sign.version && (sign.points > 0 || sign.plan >= 0));
      if (isReport || own !== undefined) tally.add(own?.counts ?? counts, sign.lastLine);
      if (bailed > 0) tally.add({ failed: bailed }, sign.lastLine);
      // Without its plan, or with fewer points than planned, the run broke off.
      else if (isReport && own === undefined && !isOver) tally.open(sign.lastLine);
      return tally.finish(own?.framework ?? (isBats() ? 'bats' : 'tap'));
    },
  };

  /** Bats plans first, writes no version and no totals, and puts no dash before a name. */
  function isBats(): boolean {
    return !sign.version && sign.plan === 0 && sign.points > 0 && sign.dashes === 0 && sign.totals === 0;
  }

  function readPoint(line: string, at: number): void {
    const match = point.exec(line);
    if (match?.[1] === undefined || (match[3] === undefined && !sign.version)) return;
    // Without any other sign that this is TAP, its points are at least numbered from 1.
    if (!sign.version && sign.plan < 0 && sign.points === 0 && match[3] !== '1') return;
    const opened = (match[4] ?? '').replace(/ \{$/, '');
    const isParent = opened !== (match[4] ?? '');
    const { name, directive } = splitDirective(opened);
    const status = directive ? 'skipped' : match[2] === undefined ? 'passed' : 'failed';
    sign.points += 1;
    sign.lastLine = at;
    if (/^ *(?:not )?ok \d+ - /.test(line)) sign.dashes += 1;
    const named = name || `test ${match[3] ?? sign.points}`;
    documents.take({ indent: match[1].length, status, name: named, isParent }, match[3]);
  }

  /** The run gave up: how many tests remained is unknown, but something failed. */
  function bailOut(line: string, at: number): void {
    bailed += 1;
    sign.lastLine = at;
    tally.name('error', line);
  }

  function readPlan(line: string, at: number): void {
    if (!/^(?: {4})*1\.\.\d{1,9}(?: #.*)?$/.test(line)) return;
    if (line.startsWith(' ') && !sign.version && sign.points === 0) return;
    if (sign.plan < 0) sign.plan = sign.points;
    if (/^1\.\.0\b/.test(line)) sign.plansNone = true;
    if (!line.startsWith(' ')) documents.plan(groupNumber(/^1\.\.(\d{1,9})/.exec(line), 1));
    sign.lastLine = at;
  }
}

/** The totals that node:test and node-tap write at the end. They contain more than the points. */
function createTotals() {
  const nodeSummary = createNodeSummary();
  let own: { readonly counts: Counts; readonly framework: string } | undefined;

  /** Whether the line is the last of such totals. */
  const read = (line: string, isTap: boolean): boolean => {
    const node = nodeSummary(line);
    if (node !== undefined && isTap) {
      own = { counts: addCounts(own?.counts ?? node, own === undefined ? {} : node), framework: 'node:test' };
      return true;
    }
    const tap = /^# \{ total: \d{1,9}, pass: (\d{1,9})(.*) \}$/.exec(line);
    if (tap === null) return false;
    const numberOf = (word: string) => groupNumber(new RegExp(`, ${word}: (\\d{1,9})`).exec(tap[2] ?? ''), 1);
    const skipped = numberOf('skip') + numberOf('todo');
    own = { counts: { passed: groupNumber(tap, 1), failed: numberOf('fail'), skipped }, framework: 'tap' };
    return true;
  };
  return { read, own: () => own };
}

function splitDirective(text: string): { readonly name: string; readonly directive: boolean } {
  const directive = /(?:^| )# ?(?:skip|todo)\b/i.exec(text);
  const named = directive === null ? text : text.slice(0, directive.index);
  return {
    name: named
      .replace(/ # timeout after \d+s?$/, '')
      .replace(/ (?:# time=[\d.]+m?s|in \d+ ?ms)$/, '')
      .replaceAll(/\\([#\\])/g, '$1')
      .trim(),
    directive: directive !== null,
  };
}
