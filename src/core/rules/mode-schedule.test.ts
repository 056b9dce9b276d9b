import { expect, test } from 'vitest';
import type { LoopConfigInput } from '../../protocol/index.ts';
import { type Story, startedStory } from '../testing/story.ts';
import { nextSwitch } from './mode-schedule.ts';

const nights: LoopConfigInput['modeSchedule'] = [
  { at: '22:00', mode: 'unattended', timeZone: 'UTC' },
  { at: '08:00', mode: 'attended', timeZone: 'UTC' },
];
const hour = 3_600_000;

/** A loop that starts at noon on Sunday, 1 November 2026. */
function start(config: LoopConfigInput): Story {
  return startedStory({ config: { ask: { everyFiles: 100, everyIterations: 100 }, ...config } });
}

function iterate(story: Story): Story {
  return story.begin().reachFromHere('executed', { claimed: false });
}

const switches = (story: Story) => story.facts.filter(({ type }) => type === 'mode.changed').map(({ data }) => data);

test('B065: the mode follows the schedule, and a question is closed when the loop need not ask any more', () => {
  const story = start({ mode: 'attended', modeSchedule: nights });
  expect(story.advance()).toEqual({ type: 'ask', wakeAt: '2026-11-01T22:00:00.000Z' });
  expect(story.pass(10 * hour - 1).advance().type).toBe('ask');
  expect(story.pass(1).advance().type).toBe('begin');
  expect(switches(story)).toEqual([{ from: 'attended', to: 'unattended', cause: 'schedule' }]);
  iterate(story);
  expect(story.pass(10 * hour).advance()).toMatchObject({ type: 'ask' });
  expect(switches(story)).toHaveLength(2);
});

test('B067: a switch of the schedule waits for the end of an iteration, and loses none', () => {
  const story = start({ mode: 'unattended', modeSchedule: [{ at: '12:30', mode: 'attended', timeZone: 'UTC' }] });
  story.reach('begun').pass(hour);
  story.reachFromHere('executed', { claimed: false });
  expect(story.advance()).toMatchObject({ type: 'ask' });
  expect(story.loop.position.finished).toBe(1);
});

test('B065: a loop without a mode starts in that of its schedule; one with a mode keeps it until the next switch', () => {
  expect(start({ modeSchedule: nights }).advance()).toMatchObject({ type: 'ask' });
  expect(start({ mode: 'unattended', modeSchedule: nights }).advance().type).toBe('begin');
  const story = start({ modeSchedule: nights });
  story.advance();
  story.command({ command: 'mode', mode: 'unattended' });
  expect(story.advance().type).toBe('begin');
});

test('B065: a switch that the schedule makes leaves one that somebody asked for later', () => {
  const story = start({ mode: 'unattended', modeSchedule: [{ at: '12:30', mode: 'attended', timeZone: 'UTC' }] });
  story.command({ command: 'mode', mode: 'hybrid', when: 'pause' }).pass(hour);
  expect(story.advance()).toMatchObject({ type: 'ask' });
  expect(story.loop.commands.requests.mode).toMatchObject({ mode: 'hybrid', when: 'pause' });
  story.command({ command: 'pause' }).advance();
  expect(story.loop.supervision.mode).toBe('hybrid');
});

test.each<[string, string, string, string]>([
  ['a usual day', '2026-10-01T00:00:00.000Z', '02:30', '2026-10-01T00:30:00.000Z'],
  ['a time that the clocks show twice', '2026-10-24T23:00:00.000Z', '02:30', '2026-10-25T00:30:00.000Z'],
  ['a time that the clocks leave out', '2026-03-28T23:30:00.000Z', '02:30', '2026-03-29T01:00:00.000Z'],
  ['the day after a change', '2026-03-29T12:00:00.000Z', '02:30', '2026-03-30T00:30:00.000Z'],
])('B065: local time decides on %s', (_day, now, at, expected) => {
  const modeSchedule: LoopConfigInput['modeSchedule'] = [{ at, mode: 'attended', timeZone: 'Europe/Berlin' }];
  const { loop } = start({ modeSchedule });
  expect(new Date(nextSwitch(loop, 'unattended', Date.parse(now))?.atMs ?? 0).toISOString()).toBe(expected);
});

test('B065: a switch happens on the days that it names', () => {
  const { loop } = start({ modeSchedule: [{ at: '08:00', mode: 'attended', days: ['wed'], timeZone: 'UTC' }] });
  const next = nextSwitch(loop, 'unattended', Date.parse('2026-11-04T08:00:00.000Z'));
  expect(new Date(next?.atMs ?? 0).toISOString()).toBe('2026-11-11T08:00:00.000Z');
});

test('B065: a decision outside the hours of the loop is kept when the mode is switched before they begin', () => {
  const schedule = { hours: '12:00-13:00', blackout: [], timeZone: 'UTC' };
  const story = start({ mode: 'attended', schedule, modeSchedule: nights });
  story.advance();
  story.pass(2 * hour).command({ command: 'continue', text: 'Only look at the parser' });
  expect(story.advance()).toMatchObject({ type: 'wait', cause: 'schedule' });
  story.pass(8 * hour).advance();
  expect(switches(story)).toHaveLength(1);
  story.pass(14 * hour).begin();
  expect(story.loop.supervision.prompt).toBe('Only look at the parser');
});
