import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, endLine, jsonLines, loopIds, type Project, stateOf } from '../support/project.ts';

test('resuming an ended loop reports how it ended, exits with the same code, and writes nothing', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  await project.ralphd(...runOf());
  const before = contentOf(project);
  const again = await project.ralphd('resume', '--json');
  expect(again.code).toBe(0);
  expect(endLine(again)).toMatchObject({ type: 'loop.ended', status: 'completed', verified: true, exitCode: 0 });
  const refused = await project.ralphd('resume', '-n', '9', '--json');
  expect(refused.code).toBe(64);
  expect(endLine(refused)).toMatchObject({ type: 'error', code: 'RESUME_REFUSED' });
  expect(contentOf(project)).toEqual(before);
});

test('a resume updates a state.json that a killed process left outdated at the end of its loop, once', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  await project.ralphd(...runOf());
  const state = `.ralph/loops/${String(stateOf(project)['loop_id'])}/state.json`;
  rmSync(path.join(project.folder, state));
  expect((await project.ralphd('resume', '--json')).code).toBe(0);
  expect(stateOf(project)).toMatchObject({ status: 'completed' });
  const after = contentOf(project);
  expect((await project.ralphd('resume', '--json')).code).toBe(0);
  expect(contentOf(project)).toEqual(after);
});

test('B108: a loop that a limit ended continues in a new loop when the limit is raised, and each names the other', async () => {
  const project = createProject();
  project.script(
    'agent.sh',
    'cat > heard',
    'echo more >> work',
    '[ $(wc -l < work) -ge 3 ] && touch done',
    'echo "Summary: did a part"',
    'echo "<promise>DONE</promise>"',
  );
  writeCheck(project);
  const first = endLine(await project.ralphd(...runOf('-n', '2', '--loop-id', 'nightly')));
  expect(first).toMatchObject({ status: 'failed', reason: 'max_iterations' });
  const before = contentOf(project);
  const ended = await project.ralphd('resume', '-n', '5', '--json');
  const second = endLine(ended);
  expect(second).toMatchObject({ status: 'completed', verified: true, iterations: 1, exitCode: 0 });
  expect(second['loopId']).toMatch(/^ralph-nightly-[0-9a-f]{8}$/);
  expect(second['loopId']).not.toBe(first['loopId']);
  expect(project.read('heard')).toContain('Earlier loop: did a part');
  expect(contentOf(project)).toMatchObject(before);
  const [old] = jsonLines((await project.ralphd('status', String(first['loopId']), '--json')).stdout);
  expect(old).toMatchObject({ status: 'failed', continuedBy: second['loopId'] });
  const [continued] = jsonLines((await project.ralphd('status', String(second['loopId']), '--json')).stdout);
  expect(continued).toMatchObject({ status: 'completed', resumedFrom: first['loopId'] });
  const chain = [
    { loopId: first['loopId'], known: { status: 'failed', iterations: 2 } },
    { loopId: second['loopId'], known: { status: 'completed', iterations: 1 } },
  ];
  for (const id of [first, second].map(({ loopId }) => String(loopId))) {
    const [report] = jsonLines((await project.ralphd('report', id, '--json')).stdout);
    expect(report).toMatchObject({
      chain,
      text: { chain: { total: expect.stringContaining('3 iterations in 2 loops') } },
    });
  }
});

test('with --as-new the work of any ended loop continues in a new loop that says so', async () => {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  const first = endLine(await project.ralphd(...runOf()));
  rmSync(path.join(project.folder, 'done'));
  const shown = await project.ralphd('resume', '--as-new');
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stderr).toContain(`continues ${String(first['loopId'])} (completed) after 1 iteration`);
  expect(shown.stderr).toContain('limits count from zero');
  expect(loopIds(project)).toHaveLength(2);
});

/** Every file of all loops but their locks, with its content. */
function contentOf(project: Project): Readonly<Record<string, string>> {
  const folder = path.join(project.folder, '.ralph/loops');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== 'lock',
  );
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((file) => [path.relative(folder, file), readFileSync(file, 'base64')]));
}
