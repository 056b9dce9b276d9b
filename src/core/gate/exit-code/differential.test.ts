import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { judgeExitCode } from './exit-code.ts';

/** The test command of the generated lines: it has the name of a test and always fails. */
const failing = 'check_it';

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
    // "! npm test" alone expects a failing test: there is nothing to compare.
    tie('line').map((line) => `if ! { ${line}; }; then exit 1; fi`),
    tie('line').map((line) => `{ ${line}; } && ! { exit 0; }`),
    tie('line').map((line) => `! false && { ${line}; }`),
    tie('line').map((line) => `{ ${line}; } & wait`),
    tie('line').map((line) => `{ ${line}; } & wait $!`),
    tie('line').map((line) => `x=$( ${line} )`),
    tie('line').map((line) => `echo "$( ${line} )"`),
    tie('line').map((line) => `case a in a) ${line} ;; *) echo n ;; esac`),
    tie('line').map((line) => `while ${line}; do break; done`),
    tie('line').map((line) => `while true; do ${line}; break; done`),
    tie('line').map((line) => `sh -c '${line.replaceAll("'", String.raw`'\''`)}'`),
  ),
})).line;

const linesWithTest = lines.filter((line) => line.includes(failing));

/** A program, not a function, so that a nested shell finds it too. A file records that it ran. */
function failingProgram(): { readonly env: NodeJS.ProcessEnv; readonly ran: () => boolean } {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd lines '));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const memory = path.join(folder, 'ran');
  writeFileSync(path.join(folder, failing), `#!/bin/sh\n: > '${memory}'\nexit 7\n`, { mode: 0o755 });
  const ran = () => {
    const isThere = existsSync(memory);
    rmSync(memory, { force: true });
    return isThere;
  };
  return { env: { PATH: `${folder}:/usr/bin:/bin` }, ran };
}

test.each(['bash', 'sh'])(
  'no generated line that is judged faithful exits 0 in a real %s after its test failed',
  (shell) => {
    const { env, ran } = failingProgram();
    const counts = { lines: 0, faithful: 0, ranTest: 0 };
    fc.assert(
      fc.property(linesWithTest, (line) => {
        counts.lines += 1;
        const judged = judgeExitCode(line);
        if (judged.kind === 'masked' || (judged.kind === 'pipe' && shell === 'sh')) return;
        counts.faithful += 1;
        const options = judged.kind === 'pipe' ? ['-o', 'pipefail'] : [];
        const { status } = spawnSync(shell, [...options, '-c', line], { env, encoding: 'utf8', timeout: 10_000 });
        if (!ran()) return;
        counts.ranTest += 1;
        expect(status).not.toBe(0);
      }),
      { numRuns: 200 },
    );
    console.info(
      `${shell}: ${counts.faithful} of ${counts.lines} lines judged faithful, ${counts.ranTest} ran the test`,
    );
    // A line that never runs its test shows nothing.
    expect(counts.ranTest).toBeGreaterThan(40);
  },
);

test('every corrected line passes the same judgement', () => {
  fc.assert(
    fc.property(lines, (line) => {
      const judged = judgeExitCode(line);
      if (judged.kind === 'masked') expect(judgeExitCode(judged.corrected).kind).not.toBe('masked');
    }),
  );
});
