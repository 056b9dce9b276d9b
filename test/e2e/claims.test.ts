import { expect, test } from 'vitest';
import { runOf, writeCheck } from '../support/agents.ts';
import { createProject, endLine, factsOf, type Project } from '../support/project.ts';

const tag = '<promise>DONE</promise>';

/** A project whose task is done from the start: only a claim is missing. */
function finishedProject(...agent: readonly string[]): Project {
  const project = createProject();
  project.script('agent.sh', '[ "$1" = --version ] && exit', 'cat > heard', 'echo more >> work', ...agent);
  writeCheck(project);
  project.write('done', '');
  return project;
}

test.each([
  ['inside a code fence', ['echo "```"', `echo "${tag}"`, 'echo "```"']],
  ['in a quotation', [`echo "> ${tag}"`]],
  ['in the middle of a sentence', [`echo "I will say ${tag} when I am done."`]],
  ['before more text', [`echo "${tag}"`, 'echo "But one test still fails."']],
  ['as an echo of its prompt', ['cat heard']],
  ['on the error channel', [`echo "${tag}" >&2`]],
])('R15, B130-B132: a promise %s is no claim', async (_where, lines) => {
  const project = finishedProject(...lines);
  const ended = await project.ralphd(...runOf('-n', '2'));
  expect(endLine(ended)).toMatchObject({ status: 'failed', reason: 'max_iterations', verified: false, exitCode: 2 });
  expect(factsOf(project, 'agent.finished').map(({ claimed }) => claimed)).toEqual([false, false]);
  expect(factsOf(project, 'gate.finished')).toEqual([]);
});

const say = (message: object) => `printf '%s\\n' '${JSON.stringify(message)}'`;
const result = (text: string) => say({ type: 'result', subtype: 'success', is_error: false, result: text });
const assistant = (content: object) => say({ type: 'assistant', message: { role: 'assistant', content: [content] } });
const user = (content: object) => say({ type: 'user', message: { role: 'user', content: [content] } });

test.each([
  ['in the result of a tool', user({ type: 'tool_result', tool_use_id: 't', content: tag }), false],
  ['in what a tool was given', assistant({ type: 'tool_use', id: 't', name: 'Bash', input: { command: tag } }), false],
  ['in its own last text', assistant({ type: 'text', text: `Done.\n${tag}` }), true],
])('R15, B130-B132: of an agent with a stream, a promise %s counts or not', async (_where, line, claimed) => {
  const project = finishedProject(line, claimed ? result(`Done.\n${tag}`) : result('I am still working.'));
  project.write('ralphd.yml', 'baseline: false\niterationDelay: "0"\nverify: [./check.sh]\n');
  const env = { RALPHD_CLAUDE_BINARY: './agent.sh' };
  const ended = await project.ralphdWith(env, ['run', 'x', '--agent', 'claude', '-n', '1', '--json']);
  expect(factsOf(project, 'agent.finished')).toMatchObject([{ outcome: 'completed', claimed }]);
  expect(endLine(ended)).toMatchObject({ status: claimed ? 'completed' : 'failed', verified: claimed });
});

test('B132: a gate that passes only now and then completes by a run that passed, and says how often it did not', async () => {
  const project = createProject();
  project.script('agent.sh', 'cat > heard', 'echo more >> work', `echo "${tag}"`);
  // Passes every third time it is asked.
  project.script('check.sh', 'echo run >> asked', '[ $(($(wc -l < asked) % 3)) -eq 0 ]');
  const ended = await project.ralphd(...runOf('-n', '5', '--no-baseline'));
  expect(endLine(ended)).toMatchObject({ status: 'completed', verified: true, iterations: 3 });
  const verdicts = factsOf(project, 'gate.finished').map(({ verdict }) => verdict);
  expect(verdicts).toEqual(['failed', 'failed', 'passed']);
});
