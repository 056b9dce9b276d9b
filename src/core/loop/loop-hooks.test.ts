import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FactData, LoopConfigInput, LoopHookStep } from '../../protocol/index.ts';
import { hook } from '../testing/facts.ts';
import { type Story, startedStory } from '../testing/story.ts';

type Hooks = NonNullable<LoopConfigInput['hooks']>;

const failed = { name: 'a', point: 'loop_start', ok: false, durationMs: 1, output: '', error: 'it broke' } as const;
const broken = { results: [{ ...failed, fatal: true }] };

function storyWith(at: Hooks[number]['at'], config: LoopConfigInput = {}): Story {
  return startedStory({ config: { ...config, hooks: [hook('a', { at }), hook('b', { at: ['on_error'] })] } });
}

/** Lets the hooks that are due outside of attempts run to their end. */
function finish(story: Story, point: LoopHookStep, result: Partial<FactData<'loop_hooks.finished'>> = {}): Story {
  expect(story.advance()).toMatchObject({ type: 'loop_hooks', point, hooks: [{ name: 'a' }] });
  story.tell({ type: 'loop_hooks.started', data: { point } });
  return story.tell({ type: 'loop_hooks.finished', data: { point, results: [], elapsedMs: 0, ...result } });
}

const full = { session: { strategy: 'continue' }, contextRedlinePercent: 50 } as const;

/** A loop whose next step is a reboot. */
function atRedline(at: Hooks[number]['at']): Story {
  const usage = { context: { used: 90, size: 100 } };
  const story = storyWith(at, full).reach('verified', { sessionId: 'one', usage });
  return story;
}

test('B068: the hooks at the start run once, before the baseline, and not again for a new owner', () => {
  const config = { baseline: true, hooks: [hook('a', { at: ['loop_start'] })] };
  const story = startedStory({ config, checks: ['./check.sh'] });
  finish(story, 'loop_start', { data: { ticket: '7' } });
  expect(story.takeOver().next()).toEqual({ type: 'baseline' });
  expect(story.loop.hooks).toMatchObject({ hasStarted: true, data: { ticket: '7' }, steps: 1 });
});

test('B070: a hook at the start may stop the loop, or must not fail: then it runs again after the resume', () => {
  const stopped = finish(storyWith(['loop_start']), 'loop_start', { stop: { hook: 'a', reason: 'freeze' } });
  stopped.advance();
  expect(stopped.loop).toMatchObject({ status: 'failed', outcome: { reason: 'script' }, position: { iteration: 0 } });
  const story = finish(storyWith(['loop_start']), 'loop_start', broken);
  expect(story.advance()).toEqual({ type: 'rest' });
  expect(story.loop.outcome).toMatchObject({ reason: 'environment', message: 'the hook "a" failed: it broke' });
  finish(story.command({ command: 'resume' }), 'loop_start', { results: [failed] });
  expect(story.advance()).toMatchObject({ type: 'begin' });
});

test('B068: a switch of modes runs its hooks before anything else happens, and once', () => {
  const story = storyWith(['on_mode_switch']).run();
  story.gate({ verdict: 'failed' }).advance();
  story.command({ command: 'mode', mode: 'hybrid' });
  expect(story.next()).toMatchObject({
    context: { mode: 'hybrid', iteration: 1, modeSwitch: { from: 'unattended', to: 'hybrid', cause: 'command' } },
  });
  finish(story, 'on_mode_switch');
  expect(story.advance()).toMatchObject({ type: 'begin', iteration: 2 });
  expect(story.loop.hooks.modeSwitch).toBeUndefined();
});

test('switches that come before their hooks count as one, and one that comes meanwhile is not lost', () => {
  const story = storyWith(['on_mode_switch']).reach('begun');
  story.command({ command: 'mode', mode: 'hybrid' }).command({ command: 'mode', mode: 'attended' });
  expect(story.loop.hooks.modeSwitch).toMatchObject({ from: 'unattended', to: 'attended' });
  story.command({ command: 'mode', mode: 'unattended' });
  expect(story.loop.hooks.modeSwitch).toMatchObject({ from: 'attended', to: 'unattended' });
  story.command({ command: 'mode', mode: 'hybrid' }).reachFromHere('verified').advance();
  story.tell({ type: 'loop_hooks.started', data: { point: 'on_mode_switch' } });
  story.command({ command: 'mode', mode: 'unattended' });
  story.tell({ type: 'loop_hooks.finished', data: { point: 'on_mode_switch', results: [], elapsedMs: 0 } });
  expect(story.next()).toMatchObject({ context: { modeSwitch: { from: 'hybrid', to: 'unattended' } } });
});

test('a wait goes on after the hooks of a switch, and a command still ends it', () => {
  const story = storyWith(['on_mode_switch']).run({ outcome: 'rate_limited' });
  expect(story.advance()).toMatchObject({ type: 'wait' });
  story.command({ command: 'mode', mode: 'hybrid' });
  finish(story, 'on_mode_switch');
  expect(story.next()).toMatchObject({ type: 'wait', cause: 'limit' });
  expect(story.loop.phase).toBe('waiting');
});

test('B036: the hooks before a reboot let it happen, and those after it follow only then', () => {
  const story = atRedline(['pre_reboot', 'post_reboot']);
  finish(story, 'pre_reboot');
  expect(story.takeOver().next()).toEqual({ type: 'reboot', cause: 'redline' });
  story.tell({ type: 'reboot.started', data: { cause: 'redline' } });
  story.tell({ type: 'reboot.finished', data: { cause: 'redline', ok: true } });
  expect(story.takeOver().next()).toMatchObject({ point: 'post_reboot', context: { reboot: { cause: 'redline' } } });
  finish(story, 'post_reboot');
  expect(story.advance()).toMatchObject({ type: 'begin', handOff: true });
});

test('B036, R23: a failed hook cancels the reboot, which is tried again after a wait and given up after three failures', () => {
  const story = atRedline(['pre_reboot', 'post_reboot']);
  for (const attempt of [1, 2, 3]) {
    finish(story, 'pre_reboot', { results: [{ ...failed, point: 'pre_reboot' }] });
    const action = story.advance();
    expect(story.facts.findLast(({ type }) => type === 'reboot.finished')).toMatchObject({
      data: { ok: false, message: 'the hook "a" failed: it broke' },
    });
    if (attempt < 3 && action.type === 'wait') story.nowMs = Date.parse(action.until);
  }
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'environment' } });
  expect(story.facts.some(({ type }) => type === 'reboot.started')).toBe(false);
});

test('B036: a hook before a reboot that must not fail pauses the loop; after the resume it runs again', () => {
  const story = finish(atRedline(['pre_reboot']), 'pre_reboot', broken);
  expect(story.advance()).toEqual({ type: 'rest' });
  finish(story.command({ command: 'resume' }), 'pre_reboot');
  expect(story.next()).toMatchObject({ type: 'reboot' });
});

test('B068: a session that a reboot ends reaches its point there, and one that is still open at the end of the loop', () => {
  const story = atRedline(['post_session']);
  expect(story.advance()).toMatchObject({ type: 'reboot' });
  story.tell({ type: 'reboot.finished', data: { cause: 'redline', ok: true } });
  expect(story.next()).toMatchObject({ point: 'post_reboot', hooks: [{ name: 'a', point: 'post_session' }] });
  const last = storyWith(['post_session'], { ...full, maxIterations: 1 }).reach('verified', { sessionId: 'one' });
  expect(last.advance()).toMatchObject({ point: 'loop_end', hooks: [{ name: 'a', point: 'post_session' }] });
});

test('B068: the hooks at the end run when a rule ends the loop, and nothing that they report changes that', () => {
  const endings: Partial<FactData<'loop_hooks.finished'>>[] = [
    {},
    broken,
    { stop: { hook: 'a', reason: 'no' } },
    { interrupted: true },
  ];
  for (const result of endings) {
    const story = storyWith(['loop_end'], { maxIterations: 1 }).reach('verified');
    expect(story.next()).toMatchObject({ type: 'record' });
    finish(story, 'loop_end', result);
    expect(story.advance(5)).toEqual({ type: 'none' });
    expect(story.loop).toMatchObject({
      status: 'failed',
      outcome: { reason: 'max_iterations', message: '1 of 1 iterations' },
      totals: { runningMs: 5 },
    });
    expect(story.facts.slice(-5).map(({ type }) => type)).toEqual([
      'stop_rule.triggered',
      'end.decided',
      'loop_hooks.started',
      'loop_hooks.finished',
      'loop.ended',
    ]);
  }
});

test('B068, R6: the hooks at the end of a completed loop know that it is, and cannot undo it', () => {
  const story = storyWith(['loop_end']).reach('executed').gate({ verdict: 'passed' });
  expect(story.advance()).toMatchObject({
    context: {
      status: 'completed',
      end: { reason: 'completed', message: 'the task is done, and the checks prove it' },
    },
  });
  finish(story, 'loop_end', broken);
  expect(story.takeOver().advance()).toEqual({ type: 'finalize' });
});

test('how a loop ends is decided before its last hooks: no command and no new owner changes it', () => {
  const story = storyWith(['loop_end'], { maxIterations: 1 }).reach('verified');
  story.advance();
  for (const command of ['pause', 'stop', 'abort', 'reboot', 'resume', 'skip'] as const) {
    story.command({ command });
    expect(story.facts.at(-1)).toMatchObject({
      type: 'command.refused',
      data: { why: 'the loop is ending (max_iterations); only its last hooks run' },
    });
  }
  finish(story.takeOver(), 'loop_end');
  story.advance();
  expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'max_iterations' } });
});

test('A049: a stop runs the hooks at the end, an abort runs none, and neither does the end of a paused loop', () => {
  const stopped = storyWith(['loop_end']).command({ command: 'stop' });
  finish(stopped, 'loop_end').advance();
  expect(stopped.loop).toMatchObject({ status: 'aborted', outcome: { reason: 'user_abort' } });
  const aborted = storyWith(['loop_end']).command({ command: 'abort' });
  expect(aborted.command({ command: 'stop' }).advance()).toEqual({ type: 'none' });
  const paused = storyWith(['loop_end']).command({ command: 'pause' });
  paused.advance();
  expect(paused.command({ command: 'stop' }).advance()).toEqual({ type: 'none' });
});

test('A049: somebody who aborts a loop, or pauses it at once, waits for no hooks, although it is done', () => {
  const done = () => storyWith(['loop_end']).reach('executed').gate({ verdict: 'passed' });
  expect(done().command({ command: 'abort' }).advance()).toEqual({ type: 'finalize' });
  expect(done().command({ command: 'interrupt', signal: 'SIGINT' }).advance()).toEqual({ type: 'finalize' });
  expect(done().command({ command: 'stop' }).advance()).toMatchObject({ point: 'loop_end' });
});

test('B069: a hook at the end may be for one kind of end only', () => {
  const hooks = [
    hook('done', { at: ['loop_end'], ifStatus: ['completed'] }),
    hook('limit', { at: ['loop_end'], ifPattern: 'iterations' }),
    hook('red', { at: ['loop_end'], ifTestStatus: 'failed' }),
  ];
  const story = startedStory({ config: { hooks, maxIterations: 1 } }).reach('verified');
  expect(story.advance()).toMatchObject({ hooks: [{ name: 'limit' }, { name: 'red' }] });
  const none = startedStory({ config: { hooks: hooks.slice(0, 1), maxIterations: 1 } }).reach('verified');
  expect(none.advance()).toEqual({ type: 'none' });
});

test('whatever the hooks outside of attempts report, a loop that is about to end does, with the same outcome', () => {
  const result = fc.record(
    {
      results: fc.constantFrom([], [failed], broken.results),
      stop: fc.constant({ hook: 'a', reason: 'x' }),
      data: fc.dictionary(fc.string(), fc.string()),
    },
    { requiredKeys: ['results'] },
  );
  fc.assert(
    fc.property(result, fc.boolean(), (reported, dies) => {
      const story = storyWith(['loop_end'], { maxIterations: 1 }).reach('verified');
      story.advance();
      if (dies) story.takeOver();
      finish(story, 'loop_end', reported);
      if (dies) story.takeOver();
      story.advance();
      expect(story.loop).toMatchObject({ status: 'failed', outcome: { reason: 'max_iterations' } });
    }),
  );
});
