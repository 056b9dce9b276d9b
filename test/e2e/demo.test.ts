import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readFact } from '../../src/protocol/index.ts';
import { createProject, endLine, factsOf, journalOf, jsonLines, type Project, promptOf } from '../support/project.ts';

/** The project that the demo laid out, seen as a project of its own. */
function demoProject(project: Project): Project {
  const folder = path.join(project.folder, 'demo');
  return { ...project, folder, read: (name) => readFileSync(path.join(folder, name), 'utf8') };
}

test('the demo refuses a false claim, ends verified with 0, and leaves a loop to look at', async () => {
  const project = createProject();
  const ended = await project.ralphd('demo', '--dir', 'demo');
  expect(ended.code).toBe(0);
  expect(ended.stdout).toMatch(/^✓ completed and verified \(proof: tree\), 3 iterations in /);
  expect(ended.stderr).toContain('the agent claims the task is done');
  expect(ended.stderr).toContain('not done; the next prompt includes the reason');
  expect(ended.stderr).toContain('all checks pass');
  expect(ended.stderr + ended.stdout).not.toContain('\u001b');

  const demo = demoProject(project);
  const facts = journalOf(demo);
  expect(facts.map((fact) => readFact({ ...fact, at: '' }))).toSatisfy((readings: { ok: boolean }[]) =>
    readings.every(({ ok }) => ok),
  );
  expect(facts.map(({ seq }) => seq)).toEqual(facts.map((_, index) => index + 1));
  expect(factsOf(demo, 'agent.finished')).toMatchObject([{ claimed: true }, { claimed: false }, { claimed: true }]);
  expect(factsOf(demo, 'gate.finished')).toMatchObject([{ verdict: 'failed' }, { verdict: 'passed' }]);
  expect(promptOf(demo, 2)).toContain('## Check results after iteration 1');
  expect(demo.read('cart.mjs')).toContain('item.price * item.quantity');
  expect(project.processes()).toEqual([]);
});

test('the demo speaks JSON, and its last line is that of any run', async () => {
  const project = createProject();
  const ended = await project.ralphd('demo', '--dir', 'demo', '--json');
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(endLine(ended)).toMatchObject({ type: 'loop.ended', status: 'completed', verified: true, iterations: 3 });
  expect(jsonLines(ended.stdout).map(({ type }) => type)).toContain('baseline.finished');
});

test('the demo never overwrites a project', async () => {
  const project = createProject();
  project.write('cart.mjs', 'mine');
  const ended = await project.ralphd('demo', '--dir', '.', '--json');
  expect(ended.code).toBe(1);
  expect(endLine(ended)).toMatchObject({ type: 'error', code: 'DEMO_NOT_SET_UP' });
  expect(project.read('cart.mjs')).toBe('mine');
  expect(project.has('.ralph')).toBe(false);
});

test('without a folder the demo makes a new one among the temporary files', async () => {
  const project = createProject();
  const scratch = path.join(project.folder, 'scratch');
  mkdirSync(scratch);
  const ended = await project.start(['demo', '--json'], { TMPDIR: scratch }).ended;
  expect(ended.code).toBe(0);
  expect(readdirSync(scratch).filter((name) => name.startsWith('ralphd-demo-'))).toHaveLength(1);
});
