import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { aiwgProblems } from '../../formats/index.ts';
import { exampleState } from '../../formats/testing/aiwg-example.ts';
import { foreignFixtures } from '../../formats/testing/foreign-fixtures.ts';
import { type CommandLine, createCommandLine } from '../testing/command-line.ts';

interface Report {
  readonly loopId: string;
  readonly result: string;
  readonly status: string;
  readonly from: string;
  readonly warnings: readonly string[];
  readonly kept: readonly string[];
}

function put(line: CommandLine, name: string, text: string): void {
  mkdirSync(path.dirname(path.join(line.folder, name)), { recursive: true });
  writeFileSync(path.join(line.folder, name), text);
}

async function importInto(line: CommandLine, ...args: readonly string[]): Promise<readonly Report[]> {
  const { code, stdout, stderr } = await line.run(['import', ...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return (JSON.parse(stdout) as { readonly loops: readonly Report[] }).loops;
}

async function importOne(line: CommandLine, text: string, name = 'state.json'): Promise<Report> {
  put(line, name, text);
  const [report] = await importInto(line, name);
  if (report === undefined) throw new Error('Nothing was imported.');
  return report;
}

async function ask(line: CommandLine, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await line.run([...args, '--json']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const refusal = (ended: { readonly code: number; readonly stdout: string; readonly stderr: string }) => [
  ended.code,
  /"code":"(\w+)"/u.exec(ended.stdout + ended.stderr)?.[1],
];

test.each(foreignFixtures)(
  'a running loop in $file becomes a paused loop of ralphd, and its file stays as it is',
  async (fixture) => {
    const line = createCommandLine();
    put(line, fixture.file, fixture.running);
    const before = statSync(path.join(line.folder, fixture.file)).mtimeMs;
    const [report] = await importInto(line, fixture.file);
    expect(report).toMatchObject({ result: 'imported', from: fixture.name, status: 'paused' });
    const { iteration, finished, maxIterations } = fixture.becomes;
    expect(await ask(line, 'status', report?.loopId ?? '')).toMatchObject({
      status: 'paused',
      iteration,
      maxIterations,
      startedAt: '2026-02-02T21:00:00.000Z',
      stats: { iterations: finished },
    });
    expect(readFileSync(path.join(line.folder, fixture.file), 'utf8')).toBe(fixture.running);
    expect(statSync(path.join(line.folder, fixture.file)).mtimeMs).toBe(before);
  },
);

test.each(foreignFixtures)('a finished loop in $file stays finished: $endsAs', async ({ file, finished, endsAs }) => {
  const line = createCommandLine();
  const { loopId } = await importOne(line, finished, file);
  expect(await ask(line, 'status', loopId)).toMatchObject({ status: endsAs, verified: false });
  const state = JSON.parse(
    readFileSync(path.join(line.folder, '.ralph/loops', loopId, 'state.json'), 'utf8'),
  ) as unknown;
  expect(aiwgProblems(state, 'state', 'pure')).toEqual([]);
});

test.each(foreignFixtures)(
  'a damaged document in $file is refused, and nothing is written',
  async ({ file, damaged }) => {
    const line = createCommandLine();
    put(line, file, damaged);
    const listing = () => readdirSync(line.folder, { recursive: true }).sort();
    const before = listing();
    expect(refusal(await line.run(['import', file, '--json']))).toEqual([5, 'DOCUMENT_DAMAGED']);
    expect(listing()).toEqual(before);
    expect(readFileSync(path.join(line.folder, file), 'utf8')).toBe(damaged);
  },
);

test('an imported loop resumes where it stopped, with its task, its criteria and its limit', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'agent: command\nagentCommand: ./agent.sh\n');
  const state = { ...exampleState, completion_criteria: './check.sh', working_directory: line.folder };
  const { loopId, warnings } = await importOne(line, JSON.stringify(state));
  expect([loopId, warnings]).toEqual(['ralph-fix-tests-a1b2c3d4', []]);
  const resumed = await line.run(['resume', loopId, '--json']);
  expect(JSON.parse(resumed.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    status: 'completed',
    verified: true,
    iterations: 6,
  });
  expect(readFileSync(path.join(line.folder, 'heard'), 'utf8')).toContain('fix all TypeScript errors');
  const exported = await ask(line, 'export', loopId);
  expect(exported).toMatchObject({ status: 'completed', iteration: 6, owner: 'ada', metrics: { total_iterations: 6 } });
  expect(exported['progress']).toMatchObject({
    completion_checks: [{ iteration: 3 }, { iteration: 5 }, { iteration: 6, passed: true }],
  });
});

test('A176: the example of the schema is read and reproduced; only who runs it is not repeated', async () => {
  const line = createCommandLine();
  const { loopId } = await importOne(line, JSON.stringify(exampleState));
  expect((await line.run(['explain', loopId])).stdout).toContain('the last progress was in iteration 5');
  const { pid: _pid, ...rest } = exampleState;
  expect(await ask(line, 'export', loopId)).toEqual({ ...rest, status: 'paused' });
  const strict = await ask(line, 'export', loopId, '--strict');
  expect(aiwgProblems(strict, 'state', 'pure')).toEqual([]);
});

test('a second import changes nothing, also when the file has changed since', async () => {
  const line = createCommandLine();
  const first = await importOne(line, JSON.stringify(exampleState));
  const journal = () =>
    readdirSync(path.join(line.folder, '.ralph/loops', first.loopId, 'journal')).map((name) =>
      readFileSync(path.join(line.folder, '.ralph/loops', first.loopId, 'journal', name), 'utf8'),
    );
  const before = journal();
  expect(await importInto(line, 'state.json')).toMatchObject([{ loopId: first.loopId, result: 'known' }]);
  expect(await importOne(line, JSON.stringify({ ...exampleState, iteration: 6 }))).toMatchObject({ result: 'changed' });
  expect(journal()).toEqual(before);
  expect(await ask(line, 'ls')).toMatchObject({ loops: [{ loopId: first.loopId }] });
});

test('--dry-run reports the same and writes nothing', async () => {
  const line = createCommandLine();
  line.write('state.json', JSON.stringify({ ...exampleState, x_team: 'core' }));
  const { code, stdout } = await line.run(['import', 'state.json', '--dry-run']);
  expect(code).toBe(0);
  expect(stdout).toContain('would become the loop ralph-fix-tests-a1b2c3d4 (aiwg)');
  expect(stdout).toContain('completion_criteria -> verify');
  expect(stdout).toMatch(/kept .*x_team/u);
  expect(line.has('.ralph')).toBe(false);
});

test.each(['ultraplan', 'tachikoma'])(
  'an export to %s after an import from it gives the same document',
  async (name) => {
    const line = createCommandLine();
    const [fixture] = foreignFixtures.filter((each) => each.name === name);
    const document = { ...(JSON.parse(fixture?.running ?? '') as object), x_unknown: { a: [1, null] } };
    const { loopId } = await importOne(line, JSON.stringify(document));
    const exported = await ask(line, 'export', loopId, '--to', name);
    const core = name === 'tachikoma' ? { core: { ...(exported['core'] as object), status: 'running' } } : {};
    expect({ ...exported, ...core }).toEqual(document);
  },
);

test('what a document of another system holds is in the extension of an AIWG export, and not in a strict one', async () => {
  const line = createCommandLine();
  const [, internal] = foreignFixtures;
  const { loopId } = await importOne(line, internal?.running ?? '');
  expect(await ask(line, 'export', loopId)).toMatchObject({
    ralphd: { imported: { 'aiwg-internal': { autoCommit: true, branch: 'fix/types' } } },
  });
  expect(await ask(line, 'export', loopId, '--strict')).not.toHaveProperty('ralphd');
  expect((await line.run(['export', loopId, '--out', 'out.json'])).stdout).toBe('Wrote out.json (aiwg-v2).\n');
  expect(refusal(await line.run(['export', loopId, '--out', 'out.json', '--json']))).toEqual([64, 'FILE_EXISTS']);
});

test('criteria that are no command are left out with a warning, and the loop asks for a check when it is resumed', async () => {
  const line = createCommandLine();
  line.write('ralphd.yml', 'agent: command\nagentCommand: ./agent.sh\n');
  const state = { ...exampleState, completion_criteria: 'the code is beautiful' };
  const { loopId, warnings } = await importOne(line, JSON.stringify(state));
  expect(warnings.join(' ')).toContain('the code is beautiful');
  expect(refusal(await line.run(['resume', loopId, '--json']))).toEqual([78, 'IMPORT_NEEDS_CHECK']);
  const resumed = await line.run(['resume', loopId, '--verify', './check.sh', '--json']);
  expect(resumed.code).toBe(0);
});

test('a link is followed once, and only inside the project; the target of a link is not changed', async () => {
  const [outside, line] = [createCommandLine(), createCommandLine()];
  outside.write('state.json', JSON.stringify(exampleState));
  symlinkSync(path.join(outside.folder, 'state.json'), path.join(line.folder, 'link.json'));
  expect(refusal(await line.run(['import', 'link.json', '--json']))).toEqual([64, 'LINK_LEADS_OUT']);
  expect(line.has('.ralph')).toBe(false);
  put(line, '.aiwg/ralph/loops/ralph-fix-tests-a1b2c3d4/state.json', JSON.stringify(exampleState));
  symlinkSync('loops/ralph-fix-tests-a1b2c3d4/state.json', path.join(line.folder, '.aiwg/ralph/current-loop.json'));
  expect(await importInto(line, '.aiwg/ralph')).toHaveLength(1);
});

test('A175: the legacy file is imported only if its loop is the only active one; it is never changed', async () => {
  const line = createCommandLine();
  const [, multi, legacy] = foreignFixtures;
  put(line, legacy?.file ?? '', legacy?.running ?? '');
  put(line, multi?.file ?? '', multi?.running ?? '');
  expect(await importInto(line, '.', '--dry-run')).toMatchObject([{ file: multi?.file }]);
  put(line, multi?.file ?? '', multi?.finished ?? '');
  expect(await importInto(line, '.')).toMatchObject([{ status: 'failed' }, { file: legacy?.file, status: 'paused' }]);
  expect(readFileSync(path.join(line.folder, legacy?.file ?? ''), 'utf8')).toBe(legacy?.running);
});

test("A175: the first start in AIWG's folder offers the legacy loop, and imports nothing unasked", async () => {
  const line = createCommandLine();
  const [, , legacy] = foreignFixtures;
  put(line, legacy?.file ?? '', legacy?.running ?? '');
  const run = ['run', 'x', '--agent', 'command', '--agent-command', './agent.sh', '--verify', './check.sh'];
  const shared = ['--state-dir', '.aiwg/ralph', '-n', '1'];
  const first = await line.run([...run, ...shared]);
  expect(first.stdout + first.stderr).toContain('ralphd import .aiwg/ralph/current-loop.json');
  const second = await line.run([...run, ...shared]);
  expect(second.stdout + second.stderr).not.toContain('ralphd import');
  expect(readdirSync(path.join(line.folder, '.aiwg/ralph/loops'))).toHaveLength(2);
});

test.each([
  ['ralph-fix-m3x9k2ab', /^ralph-fix-all-typescript-errors-[0-9a-f]{8}$/u],
  ['7f3a2b1c-0000-4000-8000-000000000000', /^ralph-fix-all-typescript-errors-7f3a2b1c$/u],
  [
    'ralph-fix-the-tests-of-the-whole-checkout-flow-a1b2c3d4',
    /^ralph-fix-the-tests-of-the-whole-checkout-flow-a1b2c3d4$/u,
  ],
])('R10: a loop called %s is called as before if possible, and always the same', async (loop_id, expected) => {
  const line = createCommandLine();
  const text = JSON.stringify({ ...exampleState, loop_id });
  const { loopId } = await importOne(line, text);
  expect(loopId).toMatch(expected);
  expect(await importInto(line, 'state.json')).toMatchObject([{ loopId, result: 'known' }]);
});

test('bad requests are refused with their codes', async () => {
  const line = createCommandLine();
  mkdirSync(path.join(line.folder, 'empty'));
  line.write('new.json', JSON.stringify({ ...exampleState, version: '3.0.0' }));
  for (const [args, code, failure] of [
    [['missing.json'], 64, 'FILE_UNREADABLE'],
    [['empty'], 64, 'NOTHING_TO_IMPORT'],
    [['new.json'], 78, 'DOCUMENT_NEWER_VERSION'],
    [['agent.sh'], 5, 'DOCUMENT_DAMAGED'],
    [['new.json', '--from', 'jira'], 64, 'BAD_VALUE'],
  ] as const) {
    expect(refusal(await line.run(['import', ...args, '--json'])), args.join(' ')).toEqual([code, failure]);
  }
  expect(line.has('.ralph')).toBe(false);
});
