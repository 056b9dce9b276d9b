import { expect, test } from 'vitest';
import { areInstalled } from './programs/program.ts';
import { runSuite } from './suite.ts';

const isThere = areInstalled();
if (!isThere) console.warn('No real agent is driven here: "npm run test:agents" installs and tries them all.');

test.skipIf(!isThere)(
  'A083 B117: Gemini CLI, the smallest real agent, works and is refused as its stream says',
  async () => {
    const { ok, results } = await runSuite({ agents: ['gemini'], only: 'success, with|401', output: 'ignore' });
    expect(results).toMatchInlineSnapshot(`
      [
        {
          "agent": "gemini",
          "row": "success, with the prompt on stdin",
          "seen": "completed, verified",
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
