import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runOf, writeCheck } from '../support/agents.ts';
import { onlyId, pathIn, pausedProject } from '../support/loop-files.ts';
import { createProject, endLine } from '../support/project.ts';

test('A133, B094: a running loop keeps its five newest checkpoints, and those with a tag', async () => {
  const project = await pausedProject(8);
  const names = () => readdirSync(pathIn(project, 'checkpoints'));
  expect(names()).toEqual([4, 5, 6, 7, 8].map((number) => `iteration-00${number}.json.gz`));

  const file = pathIn(project, 'checkpoints', 'iteration-005.json.gz');
  const checkpoint = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<string, object>;
  const tagged = { ...checkpoint, metadata: { ...checkpoint['metadata'], tags: ['before the rewrite'] } };
  writeFileSync(file, gzipSync(JSON.stringify(tagged)));
  expect((await project.ralphd('resume', onlyId(project), '-n', '15', '--json')).code).toBe(2);
  expect(names()).toEqual(
    [5, 11, 12, 13, 14, 15].map((number) => `iteration-0${String(number).padStart(2, '0')}.json.gz`),
  );
});

test('a checkpoint that cannot be removed is reported, and the loop continues', async () => {
  const project = createProject();
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'echo run >> runs',
    'if [ "$(wc -l < runs)" -ge 7 ]; then touch done; echo "<promise>DONE</promise>"; fi',
    'cd .ralph/loops/*/ && [ "$(wc -l < ../../../runs)" -eq 3 ] || exit 0',
    'until [ -e checkpoints/iteration-002.json.gz ]; do sleep 0.01; done',
    'cd checkpoints && rm iteration-001.json.gz && mkdir iteration-001.json.gz',
    'exit 0',
  );
  const ended = await project.ralphd(...runOf('-n', '9'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', iterations: 7 });
  expect(ended.stderr).toMatch(/! Old checkpoints were not removed: .*iteration-001\.json\.gz.* The loop continues\./);
});
