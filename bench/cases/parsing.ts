import { createReader } from '../../src/agents/_shared/reader.ts';
import { type RecordedAgent, recordedAgents } from '../../test/recordings/agents.ts';
import { loadRecording } from '../../test/recordings/recording.ts';
import type { BenchCase } from '../case.ts';

const bytesPerRun = 8 * 1024 * 1024;
const chunkBytes = 64 * 1024;

/** The cost of interpreting a stream, beyond splitting it into lines and parsing them. */
export const cases: readonly BenchCase[] = recordedAgents.map(({ name, createDialect, eventful }) => {
  const stream = repeated(name, eventful);
  return {
    name: `reading 8 MB of ${name}'s events`,
    against: 'line splitting and JSON.parse',
    unit: 'ms',
    budget: { times: 2 },
    runs: 10,
    floor: async () => cpuOf(() => parseLines(stream)),
    subject: async () =>
      cpuOf(() => {
        const reader = createReader(createDialect());
        for (let at = 0; at < stream.length; at += chunkBytes) reader.push(stream.subarray(at, at + chunkBytes));
        reader.finish({ stderr: '', ending: { kind: 'exited', code: 0 } });
      }),
  };
});

/** The events of a recording, repeated; its result comes only at the end. */
function repeated(agent: string, [version, name]: RecordedAgent['eventful']): Buffer {
  const { stdout } = loadRecording(agent, version, name);
  const lines = Buffer.from(stdout).toString().trimEnd().split('\n');
  const last = lines.pop() ?? '';
  const body = Buffer.from(`${lines.join('\n')}\n`);
  const times = Math.ceil(bytesPerRun / body.length);
  return Buffer.concat([...Array.from({ length: times }, () => body), Buffer.from(`${last}\n`)]);
}

function parseLines(stream: Buffer): void {
  let rest = '';
  const decoder = new TextDecoder();
  for (let at = 0; at < stream.length; at += chunkBytes) {
    const lines = (rest + decoder.decode(stream.subarray(at, at + chunkBytes), { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) JSON.parse(line);
  }
}

/** Milliseconds of processor time, because wall time on a shared machine includes other processes. */
function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
