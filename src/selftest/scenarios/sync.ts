import { mustHold } from '../findings.ts';
import { loopArgs, mustBeCompleted } from '../project.ts';
import type { Scenario } from '../scenario.ts';

/**
 * Loaded into ralphd's process before its own code: writes down, in order, what is written to a file, made durable, renamed
 * and printed.
 */
const recorder = `import fs from 'node:fs';
const { appendFileSync, openSync, writeSync, fdatasyncSync, fsyncSync, renameSync } = fs;
const log = process.env.HOME + '/calls';
const names = new Map();
const note = (call) => appendFileSync(log, JSON.stringify(call) + '\\n');
const seqs = (bytes) => [...Buffer.from(bytes).toString().matchAll(/"seq":(\\d+),"at"/g)].map(([, seq]) => Number(seq));
fs.openSync = (file, ...rest) => {
  const descriptor = openSync(file, ...rest);
  names.set(descriptor, String(file));
  return descriptor;
};
fs.writeSync = (descriptor, bytes, ...rest) => {
  note({ call: 'write', file: names.get(descriptor), seqs: seqs(bytes) });
  return writeSync(descriptor, bytes, ...rest);
};
const syncing = (sync) => (descriptor) => {
  sync(descriptor);
  note({ call: 'sync', file: names.get(descriptor) });
};
fs.fdatasyncSync = syncing(fdatasyncSync);
fs.fsyncSync = syncing(fsyncSync);
fs.renameSync = (from, to) => {
  note({ call: 'rename', file: String(from), to: String(to) });
  return renameSync(from, to);
};
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = (text, ...rest) => {
  note({ call: 'print', seqs: seqs(text) });
  return print(text, ...rest);
};
`;

interface Call {
  readonly call: 'write' | 'sync' | 'rename' | 'print';
  readonly file?: string;
  readonly to?: string;
  readonly seqs?: readonly number[];
}

/** The order of writing, syncing and acknowledging, which only a power failure would show otherwise. */
export const sync: Scenario = {
  name: 'sync',
  action: 'record every write, sync and printed fact',
  promise: 'synced to disk before it is acknowledged',
  play: async (stage) => {
    const project = stage.project('sync');
    project.writeHome('recorder.mjs', recorder);
    project.script(
      'agent.sh',
      'cat > /dev/null',
      'echo more >> work',
      'if [ "$(wc -l < work)" -ge 2 ]; then echo "<promise>DONE</promise>"; fi',
    );
    project.script('check.sh', 'test "$(wc -l < work)" -ge 2');
    mustBeCompleted(await project.start(loopArgs(), ['--import', `${project.home}/recorder.mjs`]).ended);
    judge(project.homeLines('calls').map((line) => JSON.parse(line) as Call));
  },
};

function judge(calls: readonly Call[]): void {
  const dirty = new Map<string, readonly number[]>();
  const durable = new Set<number>();
  let acknowledged = 0;
  let snapshots = 0;
  for (const { call, file = '', to = '', seqs = [] } of calls) {
    if (call === 'write') dirty.set(file, [...(dirty.get(file) ?? []), ...(isJournal(file) ? seqs : [])]);
    if (call === 'sync') {
      for (const seq of dirty.get(file) ?? []) durable.add(seq);
      dirty.delete(file);
    }
    if (call === 'rename' && to.endsWith('/state.json')) {
      mustHold(!dirty.has(file), 'state.json was replaced by a file that was not synced to disk');
      snapshots += 1;
    }
    if (call !== 'print') continue;
    for (const seq of seqs) mustHold(durable.has(seq), `fact ${seq} was acknowledged before it was synced to disk`);
    acknowledged += seqs.length;
  }
  mustHold(acknowledged > 0 && snapshots > 0, 'no acknowledged fact or no snapshot was observed');
}

function isJournal(file: string): boolean {
  return /\/journal\/[\d-]+\.jsonl$/u.test(file);
}
