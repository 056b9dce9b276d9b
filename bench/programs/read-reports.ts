import { createTestReportReader } from '../../src/core/index.ts';

/*
 * Reads as many MB of one kind of text as its arguments say, as the output of a test run. Prints the milliseconds of
 * processor time that each MB took, and the most memory, in MB, that was held.
 */
const kinds: Readonly<Record<string, (index: number) => string>> = {
  cargo: (index) => `${index === 0 ? 'running 9000000 tests\n' : ''}test part::tests::name_of_test_${index} ... ok\n`,
  jest: (index) => `PASS src/part/file-${index}.test.js\n  ● Console\n\n    console.log\n      value ${index}\n\n`,
  tap: (index) => `${index === 0 ? 'TAP version 14\n' : ''}ok ${index + 1} - name of a point ${index}\n`,
  junit: (index) =>
    `${index === 0 ? '<testsuites><testsuite>\n' : ''}<testcase name="name ${index}" time="0.01"><failure/></testcase>\n`,
  noise: (index) => `[INFO] part ${index} of the whole is built: done in ${index % 100} ms\n`,
  'one line': (index) => `word ${index} `,
};

const [kind = '', megabytes = ''] = process.argv.slice(2);
const bytes = Number(megabytes) * 1_000_000;
const textOf = kinds[kind] ?? (() => '');
const reader = createTestReportReader();
let index = 0;
let taken = 0;
let spentMs = 0;
while (taken < bytes) {
  let chunk = '';
  while (chunk.length < 64 * 1024) chunk += textOf(index++);
  taken += chunk.length;
  // As it comes out of a file: in one piece.
  const piece = Buffer.from(chunk).toString();
  const before = process.cpuUsage();
  reader.push(piece);
  const { user, system } = process.cpuUsage(before);
  spentMs += (user + system) / 1_000;
}
reader.finish();
console.log(spentMs / Number(megabytes), process.resourceUsage().maxRSS / 1024);
