import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runToEnd } from '../../process/index.ts';
import { configSchema, type LoopConfigInput } from '../../protocol/index.ts';
import { emptyFolder, env, repository, type Tree } from '../../workspace/testing/tree.ts';
import { withBase } from '../clean/save-base.ts';
import { createGate } from '../run-gate.ts';
import { readCandidate } from './candidate.ts';

let loops = 0;

/** Runs checks on a tree; `work` happens between the start of the loop and the gate. */
async function runGate(tree: Tree, input: LoopConfigInput, checks: readonly string[], work = async () => {}) {
  const config = configSchema.parse(input);
  loops += 1;
  const loopId = `ralph-bind-${process.pid}-${loops}`;
  const setting = { config, workingDirectory: tree.folder, env, uuid: randomUUID(), loopId };
  return await withBase(config, setting, async (base) => {
    const gate = createGate({ ...setting, base, own: [tree.at('.ralph')] });
    onTestFinished(() => gate.tidy(true));
    await work();
    const idle = { signal: new AbortController().signal, kill: new AbortController().signal };
    return await gate.run({ checks, guards: [], purpose: 'gate', isRepeat: false }, idle);
  });
}

const treeOf = (tree: Tree) => readCandidate(tree.folder, { exclude: [tree.at('.ralph')] }).tree;

test('R6: a run that passes names the files of the work tree and the digest of each output; one that fails names no files', async () => {
  const tree = await repository();
  tree.write('.ralph/state.json', 'our own');
  const passed = await runGate(tree, {}, ['echo fine']);
  expect(passed).toMatchObject({ verdict: 'passed', tree: treeOf(tree) });
  expect(passed?.checks[0]?.outputDigest).toBe(createHash('sha256').update('fine\n').digest('hex'));
  const failed = await runGate(tree, {}, ['exit 1']);
  expect(failed).toMatchObject({ verdict: 'failed' });
  expect(failed?.tree).toBeUndefined();
});

test('R6: outside git a verdict is bound to the files too', async () => {
  const tree = emptyFolder();
  tree.write('a.txt', '');
  expect(await runGate(tree, {}, ['true'])).toMatchObject({ tree: { files: 1, bytes: 0 } });
});

test('R6: a clean checkout is bound to its files as they were before the checks wrote there, without shared folders', async () => {
  const tree = await repository();
  tree.write('.gitignore', '*.log\nnode_modules/\n');
  tree.write('node_modules/a.js', '');
  const input: LoopConfigInput = { verifyIn: 'clean', verifyShare: ['node_modules'] };
  const run = await runGate(tree, input, ['ls node_modules/a.js && echo x > new.txt && echo y > clean.txt']);
  expect(run).toMatchObject({ verdict: 'passed', tree: treeOf(tree) });
});

const filters: readonly { readonly title: string; readonly file: string }[] = [
  { title: '.git/info/attributes', file: '.git/info/attributes' },
  { title: '.gitattributes', file: '.gitattributes' },
];

test.each(filters)(
  'R6: a filter in $title that shows the checks other files than the user has proves nothing',
  async ({ file }) => {
    const tree = await repository();
    tree.write('clean.txt', 'bad');
    const isGood = ['grep -q good clean.txt'];
    expect(await runGate(tree, { verifyIn: 'clean' }, isGood)).toMatchObject({ verdict: 'failed' });
    await tree.sh("git config filter.x.smudge 'sed s/bad/good/' && git config filter.x.clean cat");
    tree.write(file, 'clean.txt filter=x\n');
    const run = await runGate(tree, { verifyIn: 'clean' }, isGood);
    expect(run).toMatchObject({ verdict: 'unverifiable', checks: [{ verdict: 'unverifiable' }] });
    expect(run?.checks[0]?.output).toContain('the checkout differs from the work tree: clean.txt');
    expect((await runToEnd({ command: isGood[0] ?? '', cwd: tree.folder, env })).ending).toEqual({
      kind: 'exited',
      code: 1,
    });
  },
);

test('R6: clean checks prove nothing when a hidden process swaps the sources while they run', async () => {
  const tree = await repository();
  tree.write('clean.txt', 'good');
  const run = await runGate(tree, { verifyIn: 'clean' }, [
    `echo bad > '${tree.at('clean.txt')}'; grep -q good clean.txt`,
  ]);
  expect(run).toMatchObject({ verdict: 'unverifiable' });
});

test('R6: line endings that git converts on checkout cause a warning, not a refusal', async () => {
  const tree = await repository();
  tree.write('.gitattributes', '*.bat text eol=crlf\n');
  tree.write('run.bat', 'one\ntwo\n');
  const run = await runGate(tree, { verifyIn: 'clean' }, ['true']);
  expect(run).toMatchObject({ verdict: 'passed' });
  expect(run?.warnings).toEqual([
    'git converts line endings on checkout, so the checks saw different bytes in run.bat',
  ]);
});

test('B132: with strict protection the verdict applies to the original protected files', async () => {
  const tree = await repository();
  tree.write('tests/a.test.js', 'as it was');
  const before = treeOf(tree);
  const input: LoopConfigInput = { protect: 'strict' };
  const run = await runGate(tree, input, ['true'], async () => {
    tree.write('tests/a.test.js', 'edited');
    tree.write('tests/new.test.js', 'new');
  });
  expect(run).toMatchObject({ verdict: 'passed', tree: before });
});

test('R6: a link in the work is compared as a link', async () => {
  const tree = await repository();
  mkdirSync(tree.at('folder'));
  symlinkSync('../clean.txt', tree.at('folder/link'));
  expect(await runGate(tree, { verifyIn: 'clean' }, ['true'])).toMatchObject({ verdict: 'passed', tree: treeOf(tree) });
});
