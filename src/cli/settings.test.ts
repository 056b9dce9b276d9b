import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LoopError } from '../base/index.ts';
import { parseCommandLine } from './parse.ts';
import { settingsFor } from './settings.ts';
import { ownSurroundings } from './surroundings.ts';

async function varsOf(...argv: readonly string[]): Promise<unknown> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'ralphd-settings-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const request = parseCommandLine(['run', ...argv]);
  if (request.kind !== 'invoke') throw new Error(`expected a command, not ${request.kind}`);
  return (await settingsFor(request.invocation, { ...ownSurroundings(), cwd, env: {} })).config.vars;
}

test('B009: --var gives one variable each time, up to the first "=", and the last value of a name wins', async () => {
  expect(await varsOf('--var', 'a=1', '--var=b=x=y', '--var', 'c=', '--var', 'a=two\nlines', '--var', 'd=--x')).toEqual(
    {
      a: 'two\nlines',
      b: 'x=y',
      c: '',
      d: '--x',
    },
  );
  expect(await varsOf()).toEqual({});
});

test.each(['a', '=x', 'a b=x', '__proto__=x', '{"a": "1"}', 'date=today'])(
  'a variable that is not NAME=VALUE, or has a name of ours, is a mistake of usage: %j',
  async (pair) => {
    const error = await varsOf('--var', pair).catch((thrown: unknown) => thrown);
    if (!(error instanceof LoopError)) throw new Error('Expected a LoopError.', { cause: error });
    expect(error.failure).toMatchObject({ code: 'BAD_VALUE', exitCode: 64 });
    expect(error.failure.message).toMatch(/^--var must be /);
  },
);
