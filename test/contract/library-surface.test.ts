import { existsSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import type { LoopConfigInput } from '../../src/index.ts';
import { surfaces } from '../../tools/build/surfaces.ts';
import { library } from '../support/library.ts';
import { withPlantedBug } from '../support/planted-text.ts';

const root = path.resolve(import.meta.dirname, '../..');
const entryOf = (surface: string) => path.join(root, `src/${surface}.ts`);

function checkedProgram(): ts.Program {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.readFile = (file) => withPlantedBug(file, readFile(file));
  return ts.createProgram(surfaces.map(entryOf), options, host);
}

const program = checkedProgram();
const checker = program.getTypeChecker();

function exportsOf(surface: string): readonly ts.Symbol[] {
  const source = program.getSourceFile(entryOf(surface));
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  return exported.map((item) => ((item.flags & ts.SymbolFlags.Alias) === 0 ? item : checker.getAliasedSymbol(item)));
}

const items = exportsOf('index');

test('A001: the names of the loop runner are all there, and what runs is in the published file', () => {
  expect(items.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'LoopConfig',
      'SessionConfig',
      'StopConditionsConfig',
      'LoopError',
      'LoopResult',
      'LoopEvent',
      'IterationOutcome',
      'LoopCommand',
      'LoopRunner',
      'LoopContext',
      'LoopState',
      'LoopStats',
      'LoopStatsSnapshot',
      'LoopId',
    ]),
  );
  const values = items.filter(({ flags }) => (flags & ts.SymbolFlags.Value) > 0);
  expect(Object.keys(library).toSorted()).toEqual(values.map(({ name }) => name).toSorted());
});

test.each(surfaces)(
  'A002: every public item of %s, and every member of its interfaces and classes, is documented',
  (name) => {
    const exported = exportsOf(name);
    const structured = exported.filter(({ flags }) => (flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) > 0);
    const members = structured.flatMap((item) => [...(item.members?.values() ?? [])]);
    const named = members.filter((member) => /^[a-z]/.test(member.name));
    expect(named.length).toBeGreaterThan(5);
    const bare = [...exported, ...named].filter((item) => item.getDocumentationComment(checker).length === 0);
    expect(bare.map((item) => checker.getFullyQualifiedName(item))).toEqual([]);
  },
);

test('A018: a configuration with its defaults is written as JSON with readable durations, and read back the same', () => {
  const config = library.parseConfig({ prompt: 'x', maxTime: '1h 30m', iteration: { timeout: '20m' } });
  const text = JSON.stringify(library.encodeConfig(config));
  expect(text).toContain('"maxTime":"1h 30m"');
  expect(library.parseConfig(JSON.parse(text) as LoopConfigInput)).toEqual(config);
});

test('a configuration that makes no sense is refused with a code, before anything runs', () => {
  const context = { cwd: '.', env: {} };
  expect(() => new library.LoopRunner({ maxIterations: -1 }, context)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'CONFIG_BAD_VALUE', exitCode: 78 }) }),
  );
});

test('settings that are too large for a fact are refused with the largest one, before anything is created', async () => {
  const prompt = '\u0001'.repeat(200_000);
  const runner = new library.LoopRunner(
    { prompt, agent: 'command', agentCommand: 'true', verify: ['true'] },
    { cwd: import.meta.dirname, env: { PATH: '/usr/bin:/bin' } },
  );
  await expect(runner.run()).rejects.toMatchObject({
    failure: {
      code: 'CONFIG_TOO_LARGE',
      exitCode: 78,
      message: expect.stringMatching(/need 12\d{5} bytes; the limit is 1000000\. The largest is "prompt"/) as string,
    },
  });
  expect(existsSync(`${import.meta.dirname}/.ralph`)).toBe(false);
});

test('a prompt text that is too long for a fact is refused before anything is created', async () => {
  const prompt = 'x'.repeat(250_001);
  const runner = new library.LoopRunner(
    { prompt, agent: 'command', agentCommand: 'true', verify: ['true'] },
    { cwd: import.meta.dirname, env: {} },
  );
  await expect(runner.run()).rejects.toMatchObject({ failure: { code: 'PROMPT_TOO_LONG', exitCode: 78 } });
});
