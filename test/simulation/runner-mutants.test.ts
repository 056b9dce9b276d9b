import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { plantIn } from '../support/plant-in.ts';
import { runnerMutants } from './runner-mutants.ts';

interface Caught {
  readonly bug: string;
  readonly rule?: string;
}

const masterSeed = 20_260_101;
const maxLoops = 500;

// A separate process, because the bugs are planted while Node loads the modules.
const program = path.join(import.meta.dirname, 'run-mutants.ts');
const { stdout } = await promisify(execFile)(process.execPath, [program, String(masterSeed), String(maxLoops)]);
const results = stdout
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Caught);

test.each(runnerMutants)('the simulation notices it when $bug', ({ bug }) => {
  expect(results.find((result) => result.bug === bug)?.rule).toEqual(expect.any(String));
});

test('a bug whose place in the source is gone, or is no longer the only one, is an error', () => {
  const mutant = { bug: 'it is wrong', file: 'drive.ts', find: 'right()', replace: 'wrong()' };
  expect(plantIn('return right();', mutant)).toBe('return wrong();');
  expect(() => plantIn('return left();', mutant)).toThrow('its text occurs 0 times in drive.ts');
  expect(() => plantIn('right() && right()', mutant)).toThrow('its text occurs 2 times in drive.ts');
});
