import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { deadlyGit } from '../testing/deadly-git.ts';
import { filesIn, loopId, type Shared, sharedRepository } from '../testing/shared-repository.ts';
import { env } from '../testing/tree.ts';

const travelModule = pathToFileURL(path.join(import.meta.dirname, 'travel.ts')).href;

/** A worker that takes a loop over, works, captures, publishes and prunes, in a process of its own. */
function program(setting: object, from: string): string {
  return `
    import { writeFileSync } from 'node:fs';
    const { openTravel } = await import(${JSON.stringify(travelModule)});
    const travel = openTravel(${JSON.stringify(setting)});
    const { workingDirectory } = await travel.checkOut(${JSON.stringify(from)});
    writeFileSync(workingDirectory + '/victim.txt', 'victim');
    writeFileSync(workingDirectory + '/code.txt', 'of the victim');
    const { commit } = await travel.capture({ epoch: 2 });
    await travel.publish({ epoch: 2, commit });
    await travel.prune({ epoch: 2, keep: ${JSON.stringify(from)} });
    process.exit(0);`;
}

async function runVictim(shared: Shared, from: string, searchPath: string) {
  const [folder, cache] = [shared.root.at(`victim/loops/${loopId}`), shared.root.at('victim/cache')];
  const setting = { repository: shared.repository, loopId, folder, cache, env: { ...env, PATH: searchPath } };
  const args = ['--input-type=module', '-e', program(setting, from)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal]: unknown[] = await once(child, 'exit');
  return { code, signal };
}

/** Every step in the long form; otherwise one while the tree is built, one while it is captured and one at the push. */
const deadlyCalls = process.env['RALPHD_TRAVEL_KILLS'] === 'all' ? undefined : [7, 14, 19];

test('a worker that is killed at any step leaves the loop whole: others go on from the journal, and so does it', async () => {
  const shared = await sharedRepository();
  const first = shared.machine('first');
  const { workingDirectory } = await first.checkOut();
  await shared.root.sh(`cd "${workingDirectory}" && echo journaled > journaled.txt && echo changed > code.txt`);
  const { commit: journaled } = await first.capture({ epoch: 1 });
  const expected = filesIn(workingDirectory);

  const git = deadlyGit(env.PATH);
  git.arm(0, 'before');
  expect(await runVictim(shared, journaled, git.searchPath)).toEqual({ code: 0, signal: null });
  // The branch is where it belongs after the first time, which saves the last push.
  const all = Array.from({ length: git.calls() - 2 }, (_, index) => index + 1);
  expect(all.length).toBeGreaterThan(21);
  for (const call of deadlyCalls ?? all) {
    await shared.root.sh('rm -rf victim');
    const when = call % 2 === 0 ? 'before' : 'after';
    git.arm(call, when);
    expect({ call, ...(await runVictim(shared, journaled, git.searchPath)) }).toEqual({
      call,
      code: null,
      signal: 'SIGKILL',
    });

    // Its owner is lost: another machine continues from what the journal names.
    const heir = shared.machine('heir');
    const taken = await heir.checkOut(journaled);
    expect(filesIn(taken.workingDirectory)).toEqual(expected);
    // The machine of the victim comes back and gets the loop again.
    const back = shared.machine('victim');
    const again = await back.checkOut(journaled);
    expect(filesIn(again.workingDirectory)).toEqual(expected);
    await shared.root.sh(`cd "${again.workingDirectory}" && echo more > more.txt && git status --short > /dev/null`);
    const { commit } = await back.capture({ epoch: 3 + call });
    expect(await back.publish({ epoch: 3 + call, commit })).toBe(true);
    expect(await shared.root.print(`ls -A victim/loops`)).toBe(`${loopId}\n`);
    expect(await shared.git(`show ${commit}:more.txt`)).toBe('more\n');
    expect(await shared.git('fsck --no-dangling --connectivity-only')).toBe('');
    // The loop is set back for the next victim.
    await shared.root.sh(
      `git -C shared.git for-each-ref --format='delete %(refname)' refs/ralphd/${loopId}/${3 + call}/ | git -C shared.git update-ref --stdin`,
    );
  }
});
