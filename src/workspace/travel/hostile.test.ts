import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { filesIn, sharedRepository } from '../testing/shared-repository.ts';
import { env } from '../testing/tree.ts';

/** A program that leaves a trace when anything runs it. */
function tripwire() {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-tripwire-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const trace = path.join(folder, 'tripped');
  const program = path.join(folder, 'trip.sh');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${trace}\ncat\n`, { mode: 0o755 });
  return { program, traces: () => (existsSync(trace) ? readFileSync(trace, 'utf8') : '') };
}

test('nothing runs that a repository or an agent asks for: hooks, filters, monitors, signing programs, helpers', async () => {
  const shared = await sharedRepository();
  const { root } = shared;
  const { program, traces } = tripwire();
  root.write('person/.gitattributes', '* filter=trip diff=trip merge=trip\n*.bin filter=lfs -text\n');
  root.write('person/big.bin', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n');
  root.write(
    'person/.gitmodules',
    `[submodule "sub"]\n\tpath = sub\n\turl = ext::${program}\n\tupdate = !${program}\n`,
  );
  await root.sh(
    `cd person && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && git add . && git commit -qm traps && git push -q ../shared.git main`,
  );
  // Settings of the worker's own user that a project may count on do not run at a checkout either.
  const global = root.at('gitconfig');
  const traps = (quote: string) => `
[filter "trip"]
\tclean = ${quote}
\tsmudge = ${quote}
\trequired = true
[filter "lfs"]
\tprocess = ${quote}
\trequired = true
[diff "trip"]
\ttextconv = ${quote}
\tcommand = ${quote}
[submodule]
\trecurse = true
`;
  writeFileSync(global, traps(program));
  const workerEnv = { ...env, GIT_CONFIG_GLOBAL: global };
  const one = shared.machine('one', { env: workerEnv });
  const { workingDirectory: tree } = await one.checkOut();
  expect(readFileSync(path.join(tree, 'big.bin'), 'utf8')).toContain('git-lfs');

  // What an agent may write into its own repository.
  const hooks = path.join(tree, '.git', 'hooks');
  mkdirSync(hooks, { recursive: true });
  for (const hook of [
    'pre-commit',
    'post-commit',
    'pre-push',
    'post-checkout',
    'post-index-change',
    'reference-transaction',
  ]) {
    writeFileSync(path.join(hooks, hook), readFileSync(program), { mode: 0o755 });
  }
  const settings = readFileSync(path.join(tree, '.git', 'config'), 'utf8');
  const more = `${traps(program)}
[core]
\tfsmonitor = ${program}
\tsshCommand = ${program}
\tpager = ${program}
\thooksPath = ${hooks}
\tgitProxy = ${program}
\taskPass = ${program}
[gpg]
\tprogram = ${program}
[commit]
\tgpgSign = true
[push]
\tgpgSign = true
[credential]
\thelper = !${program}
[uploadpack]
\tpackObjectsHook = ${program}
[url "ext::${program} "]
\tinsteadOf = ${shared.repository}
[remote "origin"]
\tpushurl = ext::${program}
\tuploadpack = ${program}
\treceivepack = ${program}
`;
  writeFileSync(path.join(tree, '.git', 'config'), settings + more);
  writeFileSync(path.join(tree, 'work.txt'), 'work');
  const { commit } = await one.capture({ epoch: 1 });
  await one.publish({ epoch: 1, commit });
  const taken = await shared.machine('two', { env: workerEnv }).checkOut(commit);
  expect(filesIn(taken.workingDirectory)).toEqual(filesIn(tree));
  expect(readFileSync(path.join(taken.workingDirectory, '.git', 'config'), 'utf8')).not.toContain(program);
  expect(existsSync(path.join(taken.workingDirectory, '.git', 'hooks'))).toBe(false);
  expect(traces()).toBe('');
});

test('links and names that lead out of the work tree write and read nothing outside', async () => {
  const shared = await sharedRepository();
  const { root } = shared;
  root.write('outside/secret.txt', 'secret');
  const one = shared.machine('one');
  const { workingDirectory: tree } = await one.checkOut();
  // A link takes the place of a folder, and the folder that it leads to has a file of the same name.
  root.write('outside/deep.txt', 'outside');
  await root.sh(
    `cd "${tree}" && rm -r src && ln -s '${root.at('outside')}' src && ln -s '${root.at('outside/secret.txt')}' stolen`,
  );
  const { commit } = await one.capture({ epoch: 1 });
  expect(await shared.git(`ls-tree -r --name-only ${commit}`)).toBe('.gitignore\ncode.txt\nsrc\nstolen\n');
  const { workingDirectory } = await shared.machine('two').checkOut(commit);
  expect(lstatSync(path.join(workingDirectory, 'stolen')).isSymbolicLink()).toBe(true);

  // A tree that no git would write: through a link, and into the repository itself.
  const blob = (await root.print('printf bad | git -C shared.git hash-object -w --stdin')).trim();
  const link = (
    await root.print(`printf %s '${root.at('outside')}' | git -C shared.git hash-object -w --stdin`)
  ).trim();
  const made = async (lines: string) => (await root.print(`printf '${lines}' | git -C shared.git mktree`)).trim();
  const inner = await made(`100644 blob ${blob}\\tconfig\\n`);
  for (const lines of [`040000 tree ${inner}\\t.git\\n`, `120000 blob ${link}\\tsrc\\n040000 tree ${inner}\\tsrc\\n`]) {
    const commitId = (await root.print(`git -C shared.git commit-tree -m bad ${await made(lines)}`)).trim();
    await root.sh(`git -C shared.git update-ref refs/heads/bad ${commitId}`);
    const victim = shared.machine('victim', { ref: 'bad' });
    await victim.checkOut().catch(() => undefined);
    expect(existsSync(root.at('outside/config'))).toBe(false);
  }
});

test('an agent cannot make files invisible with flags in its index, or rules of its own work', async () => {
  const shared = await sharedRepository();
  const one = shared.machine('one');
  const { workingDirectory: tree } = await one.checkOut();
  await shared.root.sh(
    `cd "${tree}" && git update-index --assume-unchanged code.txt && git update-index --skip-worktree src/deep.txt
     echo hidden > code.txt && echo hidden > src/deep.txt && printf x > .git/index.lock`,
  );
  const { commit } = await one.capture({ epoch: 1 });
  expect(await shared.git(`show ${commit}:code.txt`)).toBe('hidden\n');
  expect(await shared.git(`show ${commit}:src/deep.txt`)).toBe('hidden\n');
});

test('line ends and encodings travel byte for byte, whatever the attributes say', async () => {
  const shared = await sharedRepository();
  const { root } = shared;
  root.write('person/.gitattributes', '*.txt text eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16LE\n');
  root.write('person/crlf.txt', 'one\r\ntwo\r\n');
  root.write('person/x.id', '$Id$\n');
  await root.sh(`cd person && git add . && git commit -qm attributes && git push -q ../shared.git main`);
  const one = shared.machine('one');
  const { workingDirectory: tree } = await one.checkOut();
  expect(readFileSync(path.join(tree, 'crlf.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
  writeFileSync(path.join(tree, 'mixed.txt'), 'one\ntwo\r\n');
  writeFileSync(path.join(tree, 'crlf.txt'), 'one\nchanged\n');
  writeFileSync(path.join(tree, 'wide.u16'), Buffer.from('wide', 'utf16le'));
  writeFileSync(path.join(tree, 'y.id'), '$Id: untouched$\n');
  const { commit } = await one.capture({ epoch: 1 });
  const { workingDirectory } = await shared.machine('two').checkOut(commit);
  expect(filesIn(workingDirectory)).toEqual(filesIn(tree));
});
