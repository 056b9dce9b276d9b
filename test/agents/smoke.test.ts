import { expect, test } from 'vitest';
import { areInstalled } from './programs/program.ts';
import { runSuite } from './suite.ts';

const isThere = areInstalled();
if (!isThere) console.warn('No real agent is driven here: "npm run test:agents" installs and tries them all.');

test.skipIf(!isThere)(
  'A083 B117: Gemini CLI, the smallest real agent, works and is refused as its stream says',
  async () => {
    const { ok, results } = await runSuite({ agents: ['gemini'], only: 'answer to the prompt|401', output: 'ignore' });
    expect(results).toMatchInlineSnapshot(`
      [
        {
          "agent": "gemini",
          "row": "an answer to the prompt on stdin",
          "seen": "completed, claim refused: nothing changed",
          "status": "passed",
        },
        {
          "agent": "gemini",
          "row": "401",
          "seen": "auth (configuration)",
          "status": "passed",
        },
      ]
    `);
    expect(ok).toBe(true);
  },
);
