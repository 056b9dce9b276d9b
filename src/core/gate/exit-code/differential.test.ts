import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeExitCode } from './exit-code.ts';

/** The test command of the generated lines: by its name a test, by its function a failure. */
const failing = 'check_it';
const prelude = `${failing}() { echo ran >&2; return 7; }\n`;

const simple = fc.constantFrom(failing, failing, 'true', 'echo x', ':', 'exit 1', 'exit 0', 'false');
const lines = fc.letrec<{ line: string }>((tie) => ({
  line: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    fc.tuple(tie('line'), fc.constantFrom(' && ', ' || ', '; ', '\n'), tie('line')).map((parts) => parts.join('')),
    tie('line').map((line) => `( ${line} )`),
    tie('line').map((line) => `{ ${line}; }`),
    tie('line').map((line) => `if ${line}; then echo y; fi`),
    tie('line').map((line) => `if ${line}; then echo y; else exit 1; fi`),
    tie('line').map((line) => `for i in 1 2; do ${line}; done`),
    tie('line').map((line) => `set -e; ${line}`),
    tie('line').map((line) => `{ ${line}; } | cat`),
  ),
})).line;

test('no generated line that is judged faithful exits 0 in a real shell after its test failed', () => {
  fc.assert(
    fc.property(lines, (line) => {
      const judged = judgeExitCode(line);
      if (judged.kind === 'masked') return;
      const options = judged.kind === 'pipe' ? ['-o', 'pipefail'] : [];
      const { status, stderr } = spawnSync('bash', [...options, '-c', prelude + line], { encoding: 'utf8' });
      if (stderr.includes('ran')) expect(status).not.toBe(0);
    }),
    { numRuns: 400 },
  );
});

test('every corrected line is right itself', () => {
  fc.assert(
    fc.property(lines, (line) => {
      const judged = judgeExitCode(line);
      if (judged.kind === 'masked') expect(judgeExitCode(judged.corrected).kind).not.toBe('masked');
    }),
  );
});
