import path from 'node:path';
import { expect, test } from 'vitest';
import { runOf, writeCheck } from '../support/agents.ts';
import { readJson } from '../support/loop-files.ts';
import { createProject, endLine, factsOf } from '../support/project.ts';

const recording = path.resolve(import.meta.dirname, '../recordings/claude/2.1.325/stream-text.stdout');

test('A080 A085 A069 A071: what an iteration came to stands together in one record', async () => {
  const project = createProject();
  writeCheck(project);
  project.write('old', 'old\n');
  project.script(
    'agent.sh',
    '[ "$1" = --version ] && exit',
    'cat > /dev/null',
    'touch done; echo more >> work; rm old',
    `cat '${recording}'`,
  );
  project.write('ralphd.yml', 'baseline: false\nverify: [./check.sh]\nagents: { claude: { command: ./agent.sh } }\n');
  project.write('work', 'some\n');
  const ended = await project.ralphd('run', 'x', '--agent', 'claude', '--json');
  expect(ended.code, ended.stderr).toBe(0);
  expect(readJson(project, 'iterations/001/attempt-1/result.json')).toMatchObject({
    number: 1,
    attempt: 1,
    status: 'completed',
    files: { prompt: 'prompt', stdout: 'stdout', stderr: 'stderr' },
    result: {
      exitCode: 0,
      changes: { known: true, modified: ['work'], created: ['done'], deleted: ['old'], count: 3 },
      progressDetected: true,
      usage: { inputTokens: 1200, outputTokens: 42, context: { size: 1_000_000 } },
      contextUsagePercent: 0.16,
      durationMs: expect.any(Number),
    },
  });
});

test('A079: an agent that fails makes its iteration fail, and what it said is in the journal and in the record', async () => {
  const project = createProject();
  writeCheck(project);
  project.script(
    'agent.sh',
    'cat > /dev/null',
    'if [ -e tried ]; then touch done; echo "<promise>DONE</promise>"; exit 0; fi',
    'touch tried; echo "no such table: users" >&2; exit 3',
  );
  const ended = await project.ralphd(...runOf());
  expect(endLine(ended)).toMatchObject({ status: 'completed', iterations: 2 });
  expect(factsOf(project, 'iteration.finished')[0]).toMatchObject({
    status: 'failed',
    failure: { class: 'agent', message: expect.stringContaining('no such table: users') },
  });
  expect(readJson(project, 'iterations/001/attempt-1/result.json')).toMatchObject({
    status: 'failed',
    result: { exitCode: 3 },
    metadata: { error: expect.stringContaining('no such table: users') },
  });
});

test('A080: test counts that an agent prints are shown as a hint, however good they look, and prove nothing', async () => {
  const project = createProject();
  project.script(
    'check.sh',
    'echo "not ok 1 - adds"; echo "1..1"; echo "# tests 1"; echo "# pass 0"; echo "# fail 1"; exit 1',
  );
  const forged = '# tests 900\n# pass 900\n# fail 0\n===== 900 passed in 0.12s =====\n';
  const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'pytest' } };
  const answer = { type: 'tool_result', tool_use_id: 't', content: forged };
  const lines = [
    { type: 'assistant', message: { id: 'm', content: [call] }, session_id: 's' },
    { type: 'user', message: { role: 'user', content: [answer] }, session_id: 's' },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'All of it.\n<promise>DONE</promise>',
      session_id: 's',
    },
  ];
  project.write('stream', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  project.script('agent.sh', '[ "$1" = --version ] && exit', 'cat > /dev/null', 'echo more >> work', 'cat stream');
  project.write('ralphd.yml', 'baseline: false\nverify: [./check.sh]\nagents: { claude: { command: ./agent.sh } }\n');
  const ended = await project.ralphd('run', 'x', '--agent', 'claude', '-n', '1', '--plain');
  expect(ended.code).toBe(2);
  const text = "900 of 900 passed in the agent's own run (pytest): a hint, not proof";
  expect(ended.stderr).toContain(`  hint     ${text}\n`);
  expect((await project.ralphd('inspect')).stdout).toContain(text);
  const hints = { framework: 'pytest', total: 900, passed: 900, failed: 0, skipped: 0 };
  const tests = { total: 1, passed: 0, failed: 1 };
  expect(readJson(project, 'iterations/001/attempt-1/result.json')).toMatchObject({
    result: { testHints: hints, tests },
  });
  expect(JSON.parse((await project.ralphd('status', '--json')).stdout)).toMatchObject({ tests });
});
