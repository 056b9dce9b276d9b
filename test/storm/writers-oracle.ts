import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openLoopFolders, planRestore, storedDocuments } from '../../src/store/index.ts';
import { callRalphd } from '../support/ralphd-process.ts';
import type { Reign } from './writers.ts';

/** The state of one loop after many processes wrote to it, and what each of them acknowledged. */
export interface WrittenLoop {
  readonly folder: string;
  readonly loopId: string;
  readonly reigns: readonly Reign[];
}

/** One line of a journal. */
export interface Line {
  readonly seq: number;
  readonly epoch: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** All violations, one sentence each. */
export async function compareWriters(loop: WrittenLoop): Promise<readonly string[]> {
  const lines = journalLines(loop);
  return [
    ...judgeOrder(lines),
    ...judgeReigns(lines, loop.reigns),
    ...judgeAgents(readFileSync(path.join(loop.folder, 'agents.log'), 'utf8')),
    ...judgeCopies(loop),
    ...(await judgeLoading(loop)),
  ];
}

/** All lines in the journal of a loop. */
export function journalLines({ folder, loopId }: Pick<WrittenLoop, 'folder' | 'loopId'>): readonly Line[] {
  const journal = path.join(folder, '.ralph/loops', loopId, 'journal');
  const segments = readdirSync(journal).filter((name) => name.endsWith('.jsonl'));
  return segments
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .flatMap((name) => readFileSync(path.join(journal, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Line);
}

/** Sequence numbers have no gaps, and epochs never fall. */
export function judgeOrder(lines: readonly Line[]): readonly string[] {
  return lines.flatMap(({ seq, epoch }, index) => {
    const before = lines[index - 1] ?? { seq: 0, epoch: 0 };
    if (seq !== before.seq + 1) return [`line ${seq} follows line ${before.seq}`];
    return epoch < before.epoch ? [`epoch ${epoch} follows epoch ${before.epoch} at line ${seq}`] : [];
  });
}

/** Every acknowledged fact is there, and no two owners share an epoch. */
function judgeReigns(lines: readonly Line[], reigns: readonly Reign[]): readonly string[] {
  const bySeq = new Map(lines.map((line) => [line.seq, line]));
  const lost = reigns
    .flat()
    .filter(({ seq, type }) => bySeq.get(seq)?.type !== type)
    .map(({ seq, type }) => `fact ${seq}, ${type}, was acknowledged and is lost`);
  const epochs = reigns.map((reign) => [...new Set(reign.map(({ seq }) => bySeq.get(seq)?.epoch))]);
  const torn = epochs.filter((each) => each.length > 1).map((each) => `one owner wrote in epochs ${each.join()}`);
  const shared = epochs
    .flat()
    .filter((epoch, index, all) => all.indexOf(epoch) !== index)
    .map((epoch) => `two owners wrote in epoch ${epoch}`);
  return [...lost, ...torn, ...shared];
}

/** No agent starts before the previous one has ended. */
function judgeAgents(log: string): readonly string[] {
  let running: string | undefined;
  return log
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [what, pid] = line.split(' ');
      const before = running;
      running = what === 'start' ? pid : undefined;
      if (what === 'start') return before === undefined ? [] : [`agent ${pid} started while ${before} ran`];
      return before === pid ? [] : [`agent ${pid} ended while ${before ?? 'none'} ran`];
    });
}

/** Every remaining backup and checkpoint can be restored. */
function judgeCopies({ folder, loopId }: WrittenLoop): readonly string[] {
  const owner = { host: '', bootId: '', pid: process.pid, startTime: '' };
  const root = path.join(folder, '.ralph');
  const place = openLoopFolders({ root, owner, livenessOf: () => 'dead', now: () => new Date() }).place(loopId);
  const copies = [...storedDocuments(place)];
  if (!copies.some((copy) => 'kind' in copy && copy.kind === 'backup')) return ['there is no backup'];
  return copies.flatMap((copy) => {
    if ('problem' in copy) return [copy.problem.message];
    try {
      planRestore(place, copy.file);
      return [];
    } catch (error) {
      return [`${copy.file} cannot be restored: ${String(error)}`];
    }
  });
}

async function judgeLoading({ folder, loopId }: WrittenLoop): Promise<readonly string[]> {
  const { code, stdout } = await callRalphd(folder, ['status', loopId, '--json']);
  const { loops } = JSON.parse((await callRalphd(folder, ['ls', '--json'])).stdout) as { readonly loops: unknown[] };
  return [
    ...(code === 0 && stdout.includes('"completed"') ? [] : [`the loop cannot be loaded: ${stdout}`]),
    ...(loops.length === 1 ? [] : [`there are ${loops.length} loops instead of one`]),
  ];
}
