import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JournalEntry } from '../../src/store/index.ts';

/** The evidence that a storm leaves. */
export interface Evidence {
  /** The folder of the loop. */
  readonly loop: string;
  readonly entries: readonly JournalEntry[];
  /** The log that the agents wrote themselves, line by line. */
  readonly log: readonly string[];
  /** The attempts whose keeper was killed: their exit code may be unknown. */
  readonly struck: ReadonlySet<string>;
}

/** The result for all runs. */
export interface Judgement {
  readonly violations: readonly string[];
  /** Runs that began under one ralphd and were adopted by a later one, with their true exit code. */
  readonly adopted: number;
  /** Runs whose exit code is unknown. */
  readonly lost: number;
  readonly iterations: number;
}

interface Finished {
  readonly key: string;
  readonly iteration: number;
  readonly ending: { readonly kind: string; readonly code?: number };
  readonly epoch: number;
}

/** How many lines each run of the agent prints. */
const linesOfRun = 25;

/** Compares what the agents did with the journal. */
export function judge(evidence: Evidence): Judgement {
  const { entries } = evidence;
  const finished = entries.filter(({ type }) => type === 'agent.finished').map(finishedOf);
  const beganIn = new Map(
    entries.filter(({ type }) => type === 'iteration.started').map((entry) => [keyOf(entry), entry.epoch]),
  );
  const took = ({ key, epoch, ending }: Finished) => ending.kind === 'exited' && epoch !== beganIn.get(key);
  return {
    violations: [
      ...judgeOrder(evidence),
      ...startsOf(evidence.log).flatMap((key) => judgeRun(evidence, finished, key)),
      ...judgeIterations(evidence),
    ],
    adopted: finished.filter(took).length,
    lost: finished.filter(({ ending }) => ending.kind === 'lost').length,
    iterations: entries.filter(({ type }) => type === 'iteration.finished').length,
  };
}

/** No run starts twice, and none starts while another is active. */
function judgeOrder({ log, struck }: Evidence): readonly string[] {
  const violations: string[] = [];
  const seen = new Set<string>();
  let open: string | undefined;
  for (const line of log) {
    const [word = '', key = ''] = line.split(' ');
    if (word === 'met') violations.push(`${key} began while an earlier run was alive`);
    if (word === 'start' && seen.has(key)) violations.push(`${key} was started twice`);
    if (word === 'start' && open !== undefined && !struck.has(open))
      violations.push(`${key} began before ${open} ended`);
    if (word === 'end' && key !== open) violations.push(`${key} ended, but ${open} was at work`);
    if (word === 'start') open = key;
    if (word === 'end') open = undefined;
    seen.add(key);
  }
  return violations;
}

/** A run whose keeper survived is recorded once, with its own exit code and every line it printed. */
function judgeRun({ loop, log, struck }: Evidence, finished: readonly Finished[], key: string): readonly string[] {
  const [record, ...others] = finished.filter((one) => one.key === key);
  if (record === undefined) return [`${key} ran, but nobody recorded its end`];
  if (others.length > 0) return [`${key} was recorded ${others.length + 1} times`];
  const { kind, code } = record.ending;
  if (struck.has(key) && kind !== 'exited') return kind === 'lost' ? [] : [`${key} lost its keeper and is ${kind}`];
  if (!log.includes(`end ${key}`)) return [`${key} was ended in the middle of its work: ${JSON.stringify(record)}`];
  const wanted = record.iteration % 4;
  const wrongCode = kind === 'exited' && code === wanted ? [] : [`${key} exited with ${wanted}, not ${kind} ${code}`];
  return [...wrongCode, ...judgeSpool(loop, key)];
}

function judgeSpool(loop: string, key: string): readonly string[] {
  const [iteration = '', attempt = ''] = key.split('/');
  const file = path.join(loop, 'iterations', iteration.padStart(3, '0'), `attempt-${attempt}`, 'stdout');
  const wanted = Array.from({ length: linesOfRun }, (_, index) => `line ${index + 1} of ${key}\n`).join('');
  return readFileSync(file, 'utf8') === wanted ? [] : [`the output of ${key} is not whole`];
}

/** Every iteration finishes once, in order; it is retried only when its keeper was killed or its run never began. */
function judgeIterations({ entries, log, struck }: Evidence): readonly string[] {
  const done = entries.filter(({ type }) => type === 'iteration.finished').map(keyOf);
  const numbers = done.map((key) => Number(key.split('/')[0]));
  const inOrder = numbers.every((number, index) => number === index + 1);
  const retried = startsOf(log).filter((key) => !done.includes(key) && !struck.has(key));
  return [
    ...(inOrder ? [] : [`iterations finished as ${numbers.join(' ')}`]),
    ...retried.map((key) => `${key} ran to its end but did not count`),
  ];
}

function startsOf(log: readonly string[]): readonly string[] {
  return [...new Set(log.flatMap((line) => (line.startsWith('start ') ? [line.slice('start '.length)] : [])))];
}

function finishedOf(entry: JournalEntry): Finished {
  const { iteration, ending } = entry.data as Pick<Finished, 'iteration' | 'ending'>;
  return { key: keyOf(entry), iteration, ending, epoch: entry.epoch };
}

function keyOf({ data }: JournalEntry): string {
  const { iteration, attempt } = data as { readonly iteration: number; readonly attempt: number };
  return `${iteration}/${attempt}`;
}
