import { createReadStream } from 'node:fs';
import { createTestReportReader } from '../../src/core/index.ts';

/*
 * Reads a file as the output of a test run. Prints the milliseconds of processor time that each MB took, and the most
 * memory, in MB, that was held.
 */
const [file = ''] = process.argv.slice(2);
const reader = createTestReportReader();
let bytes = 0;
let spentMs = 0;
for await (const chunk of createReadStream(file, { encoding: 'utf8' }) as AsyncIterable<string>) {
  bytes += chunk.length;
  const before = process.cpuUsage();
  reader.push(chunk);
  const { user, system } = process.cpuUsage(before);
  spentMs += (user + system) / 1_000;
}
reader.finish();
console.log((spentMs * 1_000_000) / bytes, process.resourceUsage().maxRSS / 1024);
