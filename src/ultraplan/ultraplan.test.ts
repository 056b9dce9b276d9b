import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { thisMachine } from '../app/index.ts';
import {
  buildContinuationPrompt,
  COMPLETION_TAG_PATTERN,
  canStartMode,
  clearRalphLoopState,
  continueRalphLoop,
  detectCompletion,
  endMode,
  endRalphLoop,
  escapeRegex,
  findPromise,
  getActiveModes,
  incrementIteration,
  isRalphLoopActive,
  isSystemDirective,
  type RalphLoopState,
  readRalphLoopState,
  startMode,
  startRalphLoop,
  writeRalphLoopState,
} from './index.ts';

const sample: RalphLoopState = {
  active: true,
  iteration: 3,
  maxIterations: 7,
  completionPromise: 'DONE',
  startedAt: '2026-01-27T10:00:00.000Z',
  prompt: 'Build it',
};

function createPlan() {
  const cwd = mkdtempSync(path.join(tmpdir(), 'ralphd-ultraplan-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const at = (name: string) => path.join(cwd, '.ultraplan/state', name);
  return {
    cwd,
    at,
    put(name: string, text: string) {
      mkdirSync(path.join(cwd, '.ultraplan/state'), { recursive: true });
      writeFileSync(at(name), text);
    },
    read: (name: string) => JSON.parse(readFileSync(at(name), 'utf8')) as Record<string, unknown>,
  };
}

test('A178: a stored loop has the fields of ultraplan, and keys of other programs survive', () => {
  const plan = createPlan();
  writeRalphLoopState({ ...sample, session: 'theirs' }, plan);
  expect(plan.read('ralph-loop.json')).toEqual({ ...sample, session: 'theirs' });
  expect(readRalphLoopState(plan)).toEqual({ ...sample, session: 'theirs' });
});

test('A179: a loop may take 100 iterations and promises DONE unless it says otherwise', () => {
  const state = startRalphLoop('Build it', {}, createPlan());
  expect(state).toMatchObject({ active: true, iteration: 1, maxIterations: 100, completionPromise: 'DONE' });
  const other = startRalphLoop('Build it', { maxIterations: 5, completionPromise: 'SHIPPED' }, createPlan());
  expect(other).toMatchObject({ maxIterations: 5, completionPromise: 'SHIPPED' });
});

test('A180: a project without the file has no loop', () => {
  expect(readRalphLoopState(createPlan())).toBeNull();
  expect(isRalphLoopActive(createPlan())).toBe(false);
});

test.each([
  ['', 'it is not JSON'],
  ['{"active": tr', 'it is not JSON'],
  ['[]', 'it is not a JSON object'],
  [JSON.stringify({ ...sample, iteration: '3' }), '"iteration" must be a whole number from 1 on'],
  [JSON.stringify({ ...sample, maxIterations: null }), '"maxIterations" must be a whole number from 1 on'],
  [JSON.stringify({ ...sample, startedAt: 'yesterday' }), '"startedAt" must be an instant in ISO 8601'],
])('A180: the file %j is an error, not a missing loop, and nothing replaces it', (text, why) => {
  const plan = createPlan();
  plan.put('ralph-loop.json', text);
  expect(() => readRalphLoopState(plan)).toThrow(why);
  expect(() => startRalphLoop('Another task', {}, plan)).toThrow(
    expect.objectContaining({ code: 'ULTRAPLAN_STATE_INVALID' }),
  );
  expect(readFileSync(plan.at('ralph-loop.json'), 'utf8')).toBe(text);
});

test('A181: a write replaces the file in one step and leaves nothing else behind', () => {
  const plan = createPlan();
  writeRalphLoopState(sample, plan);
  writeRalphLoopState(incrementIteration(sample), plan);
  expect(readdirSync(path.join(plan.cwd, '.ultraplan/state'))).toEqual(['ralph-loop.json']);
  expect(plan.read('ralph-loop.json')['iteration']).toBe(4);
});

test('B139: a state file or folder that is a link is refused, and its target stays as it is', () => {
  const plan = createPlan();
  const target = path.join(plan.cwd, 'target');
  plan.put('other.json', '{}');
  writeFileSync(target, 'precious');
  symlinkSync(target, plan.at('ralph-loop.json'));
  expect(() => readRalphLoopState(plan)).toThrow(expect.objectContaining({ code: 'UNSAFE_PATH' }));
  expect(() => writeRalphLoopState(sample, plan)).toThrow(expect.objectContaining({ code: 'UNSAFE_PATH' }));
  expect(readFileSync(target, 'utf8')).toBe('precious');

  const linked = createPlan();
  symlinkSync(path.join(plan.cwd, '.ultraplan'), path.join(linked.cwd, '.ultraplan'));
  expect(() => startRalphLoop('Build it', {}, linked)).toThrow(expect.objectContaining({ code: 'UNSAFE_PATH' }));
});

test('A182: clearing removes the file, and once more does no harm', () => {
  const plan = createPlan();
  writeRalphLoopState(sample, plan);
  clearRalphLoopState(plan);
  clearRalphLoopState(plan);
  expect(existsSync(plan.at('ralph-loop.json'))).toBe(false);
});

test('A183: the next iteration is a new state; the old one and the file stay as they are', () => {
  const plan = createPlan();
  writeRalphLoopState(sample, plan);
  expect(incrementIteration(sample)).toEqual({ ...sample, iteration: 4 });
  expect(sample.iteration).toBe(3);
  expect(readRalphLoopState(plan)?.iteration).toBe(3);
});

test.each([
  ['<promise>DONE</promise>', true],
  ['Ready: <Promise>done</Promise>, bye', true],
  ['<PROMISE>\n DONE \n</PROMISE>', true],
  ['<promise>NOT DONE</promise>', false],
  ['<promise>DONE.</promise>', false],
  ['DONE', false],
  ['', false],
])('A184: the text %j keeps the promise DONE: %s', (text, expected) => {
  expect(detectCompletion(text, 'DONE')).toBe(expected);
});

test('A185: every character of a promise is literal', () => {
  expect(detectCompletion('<promise>a.b*(c)</promise>', 'a.b*(c)')).toBe(true);
  expect(detectCompletion('<promise>axbb(c)</promise>', 'a.b*(c)')).toBe(false);
  expect(new RegExp(`^${escapeRegex('1+1=[2]')}$`, 'u').test('1+1=[2]')).toBe(true);
});

test('A186: the generic pattern finds any promise, and a loop reports one that is not its own', () => {
  const plan = createPlan();
  expect(COMPLETION_TAG_PATTERN.test('<promise>anything</promise>')).toBe(true);
  expect(findPromise('Well: <Promise> NEARLY </Promise>')).toBe('NEARLY');
  expect(findPromise('<promise>open')).toBeNull();
  startRalphLoop('Build it', {}, plan);
  expect(continueRalphLoop('<promise>NEARLY</promise>', plan)).toMatchObject({
    action: 'continue',
    foundPromise: 'NEARLY',
  });
});

test('A187: a loop starts, is active, and ends', () => {
  const plan = createPlan();
  startRalphLoop('Build it', {}, plan);
  expect(isRalphLoopActive(plan)).toBe(true);
  endRalphLoop(plan);
  expect(isRalphLoopActive(plan)).toBe(false);
});

test('A188: starting stores the loop and registers its mode; ending removes both', () => {
  const plan = createPlan();
  startRalphLoop('Build it', {}, plan);
  expect(existsSync(plan.at('ralph-loop.json'))).toBe(true);
  expect(existsSync(plan.at('execution-state.json'))).toBe(true);
  endRalphLoop(plan);
  expect(existsSync(plan.at('ralph-loop.json'))).toBe(false);
  expect(existsSync(plan.at('execution-state.json'))).toBe(false);
});

test('A189: the mode is "executing" with the metadata of a Ralph loop', () => {
  const plan = createPlan();
  startRalphLoop('Build it', {}, plan);
  expect(getActiveModes(plan)).toEqual([
    { mode: 'executing', startedAt: expect.any(String), pid: process.pid, metadata: { mode: 'ralph-loop' } },
  ]);
});

test.each(['planning', 'verifying', 'executing'] as const)(
  'A190: no loop starts while the mode %s is active, and the refusal says so',
  (mode) => {
    const plan = createPlan();
    startMode(mode, {}, plan);
    expect(() => startRalphLoop('Build it', {}, plan)).toThrow(
      expect.objectContaining({ code: 'MODE_ACTIVE', message: expect.stringContaining(`"${mode}" is active`) }),
    );
    expect(existsSync(plan.at('ralph-loop.json'))).toBe(false);
    endMode(mode, plan);
    expect(startRalphLoop('Build it', {}, plan).iteration).toBe(1);
  },
);

test('A191: a second loop is refused and the first stays as it is, also when its process has ended', () => {
  const plan = createPlan();
  startRalphLoop('First task', {}, plan);
  const second = () => startRalphLoop('Second task', {}, plan);
  expect(second).toThrow(expect.objectContaining({ code: 'RALPH_LOOP_ACTIVE' }));
  const marker = plan.read('execution-state.json');
  plan.put('execution-state.json', JSON.stringify({ ...marker, process: { ...deadProcess }, pid: 1 }));
  expect(second).toThrow(expect.objectContaining({ code: 'RALPH_LOOP_ACTIVE' }));
  expect(readRalphLoopState(plan)?.prompt).toBe('First task');
});

test('A191: planning and verifying are blocked while a loop is active; other modes never are', () => {
  const plan = createPlan();
  startRalphLoop('Build it', {}, plan);
  expect(canStartMode('planning', plan)).toEqual({
    allowed: false,
    blockedBy: 'executing',
    message: expect.stringContaining('"planning" cannot start'),
  });
  expect(canStartMode('verifying', plan).allowed).toBe(false);
  expect(() => startMode('planning', {}, plan)).toThrow(expect.objectContaining({ code: 'MODE_ACTIVE' }));
  for (const mode of ['idle', 'paused', 'error'] as const) expect(canStartMode(mode, plan)).toEqual({ allowed: true });
  startMode('paused', { by: 'me' }, plan);
  expect(getActiveModes(plan).map(({ mode }) => mode)).toEqual(['executing', 'paused']);
});

const deadProcess = { ...thisMachine.self(), startTime: '0' };

test.each([
  ['of a living process blocks however old it is', { pid: process.pid, process: thisMachine.self() }, false],
  ['of a dead process whose number was reused does not block', { pid: process.pid, process: deadProcess }, true],
  ['of another program blocks while a process has its number', { pid: process.pid }, false],
  ['of another program does not block when no process has its number', { pid: 2 ** 30 }, true],
  ['without a process does not block', {}, true],
])('A191: a marker %s', (_case, fields, allowed) => {
  const plan = createPlan();
  plan.put('planning-state.json', JSON.stringify({ active: true, startedAt: '2020-01-01T00:00:00Z', ...fields }));
  expect(canStartMode('executing', plan).allowed).toBe(allowed);
});

test('A191: ending a loop leaves the marker of another program alone', () => {
  const plan = createPlan();
  startMode('executing', { mode: 'theirs' }, plan);
  endRalphLoop(plan);
  expect(getActiveModes(plan)).toMatchObject([{ metadata: { mode: 'theirs' } }]);
});

test('A192: the state file alone is enough to continue', () => {
  const plan = createPlan();
  writeRalphLoopState(sample, plan);
  expect(isRalphLoopActive(plan)).toBe(true);
  expect(continueRalphLoop('Still at it.', plan)).toMatchObject({ action: 'continue', state: { iteration: 4 } });
});

test('A193: the continuation prompt names iteration, maximum, promise and task, and is a system directive', () => {
  expect(buildContinuationPrompt(sample)).toMatchInlineSnapshot(`
    "[SYSTEM DIRECTIVE: ULTRA-PLANNING - RALPH LOOP 3/7]

    You stopped without the completion promise, so the task is not done. Continue working on it.

    - Review what you have done so far.
    - Continue from there; do not start again.
    - When the task is completely done, and only then, write: <promise>DONE</promise>
    - Do not stop before that.

    Original task:
    Build it"
  `);
  expect(isSystemDirective(buildContinuationPrompt(sample))).toBe(true);
  expect(isSystemDirective('Please continue.')).toBe(false);
});

test('A193: task and promise are in the prompt as they are, whatever they contain', () => {
  const text = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('$&', '$$', "$'", '{{PROMPT}}', '{{MAX}}'));
  fc.assert(
    fc.property(text, text, (prompt, completionPromise) => {
      const built = buildContinuationPrompt({ ...sample, prompt, completionPromise });
      expect(built.endsWith(`Original task:\n${prompt}`)).toBe(true);
      expect(built).toContain(`<promise>${completionPromise}</promise>`);
    }),
  );
});

test('A194: a loop runs until the promise', () => {
  const plan = createPlan();
  startRalphLoop('Build it', {}, plan);
  expect(continueRalphLoop('Not yet.', plan)).toMatchObject({ action: 'continue', state: { iteration: 2 } });
  expect(continueRalphLoop('<promise>done</promise>', plan)).toMatchObject({ action: 'completed' });
  expect(continueRalphLoop('<promise>done</promise>', plan)).toEqual({ action: 'none' });
  expect(getActiveModes(plan)).toEqual([]);
});

test('A194: a loop takes as many iterations as it may, and a promise in the last one still counts', () => {
  const plan = createPlan();
  startRalphLoop('Build it', { maxIterations: 2 }, plan);
  expect(continueRalphLoop('Not yet.', plan).action).toBe('continue');
  expect(continueRalphLoop('Not yet.', plan)).toMatchObject({ action: 'limit', state: { iteration: 2 } });
  expect(isRalphLoopActive(plan)).toBe(false);

  startRalphLoop('Build it', { maxIterations: 1 }, plan);
  expect(continueRalphLoop('<promise>DONE</promise>', plan).action).toBe('completed');
});

test('A196: an agent that only repeats its prompt has promised nothing', () => {
  const plan = createPlan();
  const state = startRalphLoop('Build it', {}, plan);
  expect(continueRalphLoop(buildContinuationPrompt(state), plan).action).toBe('continue');
});

test.each([
  ['prompt', ' ', {}],
  ['maxIterations', 'Build it', { maxIterations: 0 }],
  ['maxIterations', 'Build it', { maxIterations: 1.5 }],
  ['completionPromise', 'Build it', { completionPromise: '\n' }],
])('a loop with an impossible %s is refused before anything is written', (field, prompt, config) => {
  const plan = createPlan();
  expect(() => startRalphLoop(prompt, config, plan)).toThrow(
    expect.objectContaining({ code: 'RALPH_LOOP_INVALID', message: expect.stringContaining(`"${field}"`) }),
  );
  expect(existsSync(path.join(plan.cwd, '.ultraplan'))).toBe(false);
});

test('where there is no loop, ending and continuing create nothing', () => {
  const plan = createPlan();
  endRalphLoop(plan);
  expect(continueRalphLoop('text', plan)).toEqual({ action: 'none' });
  expect(existsSync(path.join(plan.cwd, '.ultraplan'))).toBe(false);
});
