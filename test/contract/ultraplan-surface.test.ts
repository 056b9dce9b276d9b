import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const built = path.resolve(import.meta.dirname, '../../dist/ultraplan.js');

test('A195: what the summary of ultraplan names is in the published file, and works together', async () => {
  const ultraplan = (await import(built)) as typeof import('../../src/ultraplan.ts');
  const cwd = mkdtempSync(path.join(os.tmpdir(), 'ralphd-ultraplan-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  expect(Object.keys(ultraplan)).toEqual(
    expect.arrayContaining([
      'DEFAULT_MAX_ITERATIONS',
      'DEFAULT_COMPLETION_PROMISE',
      'readRalphLoopState',
      'writeRalphLoopState',
      'clearRalphLoopState',
      'incrementIteration',
      'detectCompletion',
      'escapeRegex',
      'COMPLETION_TAG_PATTERN',
      'startRalphLoop',
      'endRalphLoop',
      'isRalphLoopActive',
      'buildContinuationPrompt',
      'canStartMode',
    ]),
  );
  ultraplan.startRalphLoop('Build it', {}, { cwd });
  expect(ultraplan.getActiveModes({ cwd })).toMatchObject([{ mode: 'executing', metadata: { mode: 'ralph-loop' } }]);
  expect(ultraplan.continueRalphLoop('<promise>DONE</promise>', { cwd }).action).toBe('completed');
  expect(ultraplan.isRalphLoopActive({ cwd })).toBe(false);
});
