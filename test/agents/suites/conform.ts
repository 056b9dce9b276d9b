import { afterAll, describe, expect, test } from 'vitest';
import { isTried } from '../../../src/agents/index.ts';
import { stageFor } from '../cases/case.ts';
import { sandboxCases } from '../cases/sandbox.ts';
import { troubleCases } from '../cases/trouble.ts';
import { workCases } from '../cases/work.ts';
import { startModelServer } from '../model-server/server.ts';
import { type Program, versionOf } from '../programs/program.ts';

/** What the table of results needs from a case. */
declare module 'vitest' {
  interface TaskMeta {
    agent?: string;
    row?: string;
    seen?: string;
  }
}

/** Runs every case with one agent. */
export async function conform(program: Program): Promise<void> {
  const server = await startModelServer();
  afterAll(() => server[Symbol.asyncDispose]());
  const { name, tried } = program.adapter;

  describe(name, () => {
    test('A014: is installed in a version that its adapter was tried with', () => {
      expect(tried !== undefined && isTried(versionOf(program), tried), versionOf(program)).toBe(true);
    });

    for (const { row, shows, exempt, play } of [...workCases, ...sandboxCases, ...troubleCases]) {
      const exemption = exempt?.(program);
      test(`${shows}: ${row}`, async ({ task, skip }) => {
        Object.assign(task.meta, { agent: name, row, seen: exemption });
        skip(exemption !== undefined, exemption);
        task.meta.seen = await play(stageFor(program, server));
        expect(task.meta.seen).not.toBe('');
      });
    }
  });
}
