import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { placeOf, verifyProof } from '../../src/app/index.ts';
import { canonicalJson } from '../../src/core/index.ts';
import { type ProofBundle, readProofBundle } from '../../src/protocol/index.ts';
import { createProject, endLine, loopIds, type Project, withoutDurations } from '../support/project.ts';

const run = ['run', 'Make sum.sh add', '--agent', 'command', '--agent-command', './agent.sh', '--delay', '0', '--json'];

function git(project: Project, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  const env = { ...project.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', [...identity, ...args], { cwd: project.folder, env, encoding: 'utf8' });
}

/** A loop that made `sum.sh` add, checked by a script that reports its tests, with its result committed. */
async function completed(): Promise<{ readonly project: Project; readonly id: string }> {
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > /dev/null',
    "printf '#!/bin/sh\\necho $(($1 + $2))\\n' > sum.sh",
    'echo "<promise>DONE</promise>"',
  );
  project.script('sum.sh', 'echo 0');
  project.script(
    'check.sh',
    'echo "TAP version 13"; echo "1..1"',
    'test "$(./sum.sh 1 2)" = 3 && echo "ok 1 - adds" || { echo "not ok 1 - adds"; exit 1; }',
  );
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
  const ended = await project.ralphd(...run, '--verify', './check.sh', '-n', '2');
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true });
  git(project, 'add', '-A');
  git(project, 'commit', '-qm', 'done');
  const [id = ''] = loopIds(project);
  return { project, id };
}

async function bundleOf(project: Project): Promise<ProofBundle> {
  const ended = await project.ralphd('proof', '--json');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const bundle = readProofBundle(JSON.parse(ended.stdout));
  if (typeof bundle === 'string') throw new Error(bundle);
  return bundle;
}

function cloneOf(project: Project): string {
  git(project, 'clone', '-q', '.', '../clone');
  return path.join(path.dirname(project.folder), 'clone');
}

async function verify(project: Project, bundle: unknown, ...more: readonly string[]) {
  const file = path.join(path.dirname(project.folder), 'proof.json');
  writeFileSync(file, JSON.stringify(bundle));
  const ended = await project.ralphd('proof', 'verify', file, '--json', ...more);
  const { lines, holds } = JSON.parse(ended.stdout) as {
    readonly holds: boolean;
    readonly lines: readonly { readonly name: string; readonly result: string; readonly detail: string }[];
  };
  const by = (result: string) => lines.filter((line) => line.result === result).map(({ name }) => name);
  return { code: ended.code, holds, lines, broken: by('broken'), unknown: by('unknown'), held: by('holds') };
}

/** The same without a process of its own, for what is tried many times. */
async function verifyHere(project: Project, bundle: object) {
  const place = placeOf({ workingDir: '.', stateDir: '.ralph' }, project.folder);
  const options = { file: 'proof.json', run: false, signal: new AbortController().signal };
  const context = { env: project.env, version: '0.0.0' };
  const { holds, lines } = await verifyProof(JSON.stringify(bundle), place, { options, context });
  return { holds, broken: lines.filter(({ result }) => result === 'broken').map(({ name }) => name) };
}

/** What a forger does who knows the format. */
function signed(bundle: object): object {
  const { digest: _digest, ...rest } = bundle as Record<string, unknown>;
  return { ...rest, digest: createHash('sha256').update(canonicalJson(rest)).digest('hex') };
}

test('R6: a completed loop has a proof that names its tree, commit, checks and tests, and holds in a clone of the result', async () => {
  const { project, id } = await completed();
  const bundle = await bundleOf(project);
  expect(bundle).toMatchObject({
    format: 'ralphd-proof/1',
    loop: { id, task: 'Make sum.sh add', status: 'completed', verified: true, iterations: 1 },
    proof: {
      level: 'tree',
      tree: { id: git(project, 'rev-parse', 'HEAD^{tree}').trim(), files: 3 },
      folder: '',
      commit: { id: git(project, 'rev-parse', 'HEAD').trim(), holdsEverything: true },
    },
    commands: ['./check.sh'],
    baseline: { verdict: 'failed', tests: { total: 1, passed: 0, failed: 1 } },
    final: { verdict: 'passed', checks: [{ exitCode: 0 }], tests: { total: 1, passed: 1, failed: 0 } },
    agents: [{ name: 'command' }],
    doubts: [],
  });
  expect(bundle.journal.facts.map(({ type }) => type)).toEqual([
    'loop.started',
    'baseline.finished',
    'gate.finished',
    'loop.completing',
    'loop.ended',
  ]);
  const inClone = await verify(project, bundle, '--repo', cloneOf(project));
  expect(inClone).toMatchObject({ code: 0, holds: true, broken: [], unknown: ['journal'] });
  const atHome = await verify(project, bundle, '--repo', '.');
  expect(atHome).toMatchObject({ code: 0, broken: [], unknown: [] });
  expect(atHome.held).toEqual([
    'digest',
    'status',
    'checks',
    'tests',
    'chain',
    'journal',
    'segments',
    'tree',
    'commit',
  ]);
});

const forgeries: readonly { readonly title: string; readonly forge: (bundle: ProofBundle) => object }[] = [
  { title: 'the task', forge: (bundle) => ({ ...bundle, loop: { ...bundle.loop, task: 'another' } }) },
  { title: 'the level', forge: (bundle) => ({ ...bundle, proof: { ...bundle.proof, level: 'sealed' } }) },
  {
    title: 'the tree',
    forge: (bundle) => ({ ...bundle, proof: { ...bundle.proof, tree: { id: '0'.repeat(40), files: 3, bytes: 1 } } }),
  },
  { title: 'the commands', forge: (bundle) => ({ ...bundle, commands: ['true'] }) },
  {
    title: 'an exit code',
    forge: (bundle) => ({
      ...bundle,
      final: { ...bundle.final, checks: [{ ...bundle.final.checks[0], exitCode: 1 }] },
    }),
  },
  {
    title: 'the counted tests',
    forge: (bundle) => ({
      ...bundle,
      final: { ...bundle.final, tests: { framework: 'tap', total: 9, passed: 9, failed: 0, skipped: 0 } },
    }),
  },
  { title: 'the baseline', forge: (bundle) => ({ ...bundle, baseline: null }) },
  { title: 'the doubts', forge: (bundle) => ({ ...bundle, doubts: [{ code: 'already_green' }] }) },
  { title: 'the cost', forge: (bundle) => ({ ...bundle, usage: { ...bundle.usage, costUsd: 9 } }) },
  { title: 'an unknown field', forge: (bundle) => ({ ...bundle, approvedBy: 'somebody' }) },
  {
    title: 'a link of the chain',
    forge: (bundle) => ({
      ...bundle,
      journal: { ...bundle.journal, facts: bundle.journal.facts.map((fact) => ({ ...fact, crc: '00000000' })) },
    }),
  },
  {
    title: 'a file of the journal',
    forge: (bundle) => ({
      ...bundle,
      journal: {
        ...bundle.journal,
        segments: bundle.journal.segments.map((segment) => ({ ...segment, sha256: '0'.repeat(64) })),
      },
    }),
  },
];

test('R6: every part of a proof that was changed is found by its digest, and what the journal knows also with a new digest', async () => {
  const { project } = await completed();
  const bundle = await bundleOf(project);
  const [first] = forgeries;
  expect(await verify(project, first?.forge(bundle))).toMatchObject({
    code: 1,
    holds: false,
    broken: ['digest', 'journal'],
  });
  for (const { title, forge } of forgeries) {
    const changed = await verifyHere(project, forge(bundle));
    expect(changed.holds, title).toBe(false);
    expect(changed.broken, title).toContain('digest');
    if (title === 'an unknown field') continue;
    const forged = await verifyHere(project, signed(forge(bundle)));
    expect(forged.holds, title).toBe(false);
    expect(forged.broken, title).not.toContain('digest');
  }
});

test('R6: a checkout with other files does not match; different line endings of the same commit are reported as the reason', async () => {
  const { project } = await completed();
  const bundle = await bundleOf(project);
  const clone = cloneOf(project);
  writeFileSync(path.join(clone, 'sum.sh'), '#!/bin/sh\necho 3\n');
  const other = await verify(project, bundle, '--repo', clone);
  expect(other).toMatchObject({ code: 1, broken: ['tree'] });
  execFileSync('git', ['-C', clone, 'checkout', '-q', '.']);
  writeFileSync(path.join(clone, '.git/info/attributes'), '*.sh text eol=crlf\n');
  execFileSync('rm', [path.join(clone, 'sum.sh'), path.join(clone, 'check.sh')]);
  execFileSync('git', ['-C', clone, 'reset', '-q', '--hard']);
  const crlf = await verify(project, bundle, '--repo', clone);
  expect(crlf).toMatchObject({ code: 1, broken: ['tree'] });
  expect(crlf.lines.find(({ name }) => name === 'tree')?.detail).toContain('HEAD has exactly the files of the proof');
});

test('R6: with --run the checks run again, and a result that no longer passes or counts other tests is named', async () => {
  const { project } = await completed();
  const bundle = await bundleOf(project);
  const clone = cloneOf(project);
  const green = await verify(project, bundle, '--repo', clone, '--run');
  expect(green).toMatchObject({ code: 0, broken: [] });
  expect(green.held).toEqual(expect.arrayContaining(['run', 'run.tests']));
  writeFileSync(path.join(clone, 'sum.sh'), '#!/bin/sh\necho 0\n');
  expect(await verify(project, bundle, '--repo', clone, '--run')).toMatchObject({
    code: 1,
    broken: ['tree', 'run', 'run.tests'],
  });
});

test('R6: --out writes a new file and never replaces one; a proof inside the checkout is no part of it', async () => {
  const { project, id } = await completed();
  expect(await project.ralphd('proof', id, '--out', 'proof.json')).toMatchObject({
    code: 0,
    stdout: `Wrote the proof of ${id} to proof.json. Check it: ralphd proof verify proof.json --repo .\n`,
  });
  expect(await project.ralphd('proof', 'verify', 'proof.json', '--repo', '.')).toMatchObject({ code: 0 });
  const before = readFileSync(path.join(project.folder, 'proof.json'), 'utf8');
  const again = await project.ralphd('proof', id, '--out', 'proof.json');
  expect(again).toMatchObject({ code: 64 });
  expect(again.stderr).toContain('FILE_EXISTS');
  expect(project.read('proof.json')).toBe(before);
});

test('R6: --markdown is a short text for a pull request', async () => {
  const { project } = await completed();
  const { stdout } = await project.ralphd('proof', '--markdown');
  const text = withoutDurations(stdout)
    .replace(/`[0-9a-f]{64}`/, '`DIGEST`')
    .replace(/`[0-9a-f]{40}`/g, '`ID`');
  expect(text).toMatchInlineSnapshot(`
    "### Completed and verified by ralphd

    Make sum.sh add

    | | |
    |---|---|
    | Proof | \`tree\`: the checks ran in the work tree |
    | Tree | \`ID\`, 3 files |
    | Commit | \`ID\` |
    | Tests | 0 of 1 passed before, 1 of 1 passed after |
    | Agent | command |
    | Work | 1 iteration in 0.1s, cost not reported |
    | Digest | \`DIGEST\` |

    | Check | Before | After | Exit code | Time |
    |---|---|---|---|---|
    | \`./check.sh\` | failed | passed | 0 | 0.1s |

    Verify: \`ralphd proof verify FILE --repo .\` in a checkout of the result; add \`--run\` to run the checks again.
    "
  `);
});

test('R6: a loop that did not complete, or was only believed, has no proof, and a file that is none is refused', async () => {
  const failed = createProject();
  failed.script('agent.sh', 'cat > /dev/null', 'echo x > work', 'echo "<promise>DONE</promise>"');
  await failed.ralphd(...run, '--verify', 'test -f never', '-n', '1');
  const none = await failed.ralphd('proof', '--json');
  expect(none.code).toBe(1);
  expect(JSON.parse(none.stdout)).toMatchObject({ code: 'NO_PROOF' });
  const trusted = createProject();
  trusted.script('agent.sh', 'cat > /dev/null', 'echo "<promise>DONE</promise>"');
  await trusted.ralphd(...run, '--trust-promise', '--no-auto-test', '-n', '1');
  expect((await trusted.ralphd('proof')).stderr).toContain('completed without verification');
  trusted.write('odd.json', '{"format":"ralphd-proof/2"}');
  const odd = await trusted.ralphd('proof', 'verify', 'odd.json');
  expect(odd.code).toBe(78);
  expect(odd.stderr).toContain('PROOF_UNREADABLE');
  expect((await trusted.ralphd('proof', 'verify', 'missing.json')).code).toBe(64);
  expect((await trusted.ralphd('proof', 'verify')).code).toBe(64);
  expect(existsSync(path.join(trusted.folder, 'missing.json'))).toBe(false);
});

test('R6: a proof carries no secret of the environment', async () => {
  const project = createProject();
  const secret = 's3cr3t-token-value-0123456789';
  project.script('agent.sh', 'cat > /dev/null', 'echo x > work', 'echo "<promise>DONE</promise>"');
  const env = { MY_API_TOKEN: secret };
  await project.ralphdWith(env, [...run, '--verify', `test -f work # ${secret}`, '-n', '1']);
  const { stdout, code } = await project.ralphdWith(env, ['proof', '--out', 'proof.json']);
  expect(code, stdout).toBe(0);
  expect(project.read('proof.json')).not.toContain(secret);
});
