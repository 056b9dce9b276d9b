import type { RuleStanding } from '../../protocol/index.ts';
import { type LoopModel, type LoopState, lastOutputAt, runningMsOf } from '../../views/index.ts';
import { type Line, line, type Part, strong } from '../text.ts';
import type { ExplainedLoop, ScreenWords } from '../words.ts';
import { age, left } from './times.ts';

/** What the sentences are about. */
export interface Told {
  readonly model: LoopModel;
  readonly state: LoopState;
  readonly explained: ExplainedLoop;
  readonly words: ScreenWords;
  readonly nowMs: number;
}

/** A sentence in a long and a short form; which one is shown depends on the room, so neither is cut. */
export interface Sentence {
  readonly long: Line;
  readonly short: readonly Line[];
}

/** What the loop is doing, or how it ended. */
export function doing(told: Told): Sentence {
  const { state, explained } = told;
  switch (state) {
    case 'running':
    case 'starting':
      return workingOn(told);
    case 'verifying':
      return checking(told);
    case 'waiting':
      return waiting(told);
    case 'crashed':
      return crashed(told);
    case 'frozen':
      return frozen(told);
    case 'proven':
    case 'green':
    case 'claimed':
    case 'stopped':
    case 'aborted':
      return ended(told);
    case 'needs':
    case 'paused':
      return since(told);
    case 'asking':
    case 'parked':
    case 'hosted':
      return both(explained.headline);
  }
}

/** Whether it needs a person, and what stops it first. */
export function need(told: Told): Sentence {
  const { state, explained, model } = told;
  switch (state) {
    case 'verifying':
      return checksSoFar(told);
    case 'proven':
    case 'green':
    case 'claimed':
      return toReview(explained);
    case 'stopped':
    case 'aborted':
      return notDone(told);
    case 'frozen':
      return command(`kill -CONT ${model.owner.pid ?? ''}`.trim());
    case 'asking':
      return { long: line(strong('Decide: '), 'press x, then c or s.'), short: [line(strong('x'), ' decides')] };
    case 'needs':
    case 'crashed':
    case 'paused':
    case 'parked':
      return wayOut(told);
    case 'waiting':
      return calm(told, 'The wait costs no iteration.');
    case 'starting':
    case 'running':
    case 'hosted':
      return calm(told, '');
  }
}

function workingOn({ model, nowMs, explained }: Told): Sentence {
  const { current } = model.view;
  if (current === undefined) return both(explained.headline);
  const place = placeOf(model);
  const elapsed = age(nowMs - Date.parse(current.startedAt));
  if (current.stage === 'begun') return sentence(`${place} is being prepared, ${elapsed}.`, `${place}, preparing`);
  if (current.stage !== 'executing') return sentence(`${place}: its result is being judged.`, `${place}, judging`);
  const { config } = model.loop;
  const output = lastOutputAt(model);
  const quietMs = nowMs - Date.parse(output ?? current.startedAt);
  const isQuiet = quietMs > 60_000;
  const ended = config.iteration.idleTimeout > 0 ? `, limit ${left(config.iteration.idleTimeout)}` : '';
  const word = isQuiet
    ? strong(`No output for ${age(quietMs)}${ended}.`)
    : output === undefined
      ? 'No output yet.'
      : `Last output ${age(quietMs)} ago.`;
  return {
    long: line(`${place}: the agent has worked for ${elapsed}. `, word),
    short: [line(`${place}, ${elapsed}`), line(isQuiet ? strong(`No output for ${age(quietMs)}`) : word)],
  };
}

/** Such as `Iteration 14 of 40`. */
function placeOf({ view: { iteration, maxIterations } }: LoopModel): string {
  return `Iteration ${iteration}${maxIterations === 0 ? '' : ` of ${maxIterations}`}`;
}

function checking({ model, nowMs }: Told): Sentence {
  const { view, live, loop } = model;
  const startedAt = live.checks[0]?.since;
  const elapsed = startedAt === undefined ? '' : ` (${age(nowMs - Date.parse(startedAt))})`;
  if (view.current === undefined) return sentence(`ralphd runs the checks before the first iteration.`, 'Baseline');
  const claims = loop.position.current?.execution?.claimed === true;
  const place = placeOf(model);
  const said = claims ? 'the agent says it is done. ' : '';
  return {
    long: line(`${place}: ${said}ralphd runs the checks${elapsed}.`),
    short: [line(claims ? `${place}: it says it is done` : place), line(`ralphd runs the checks${elapsed}`)],
  };
}

function checksSoFar({ model: { live } }: Told): Sentence {
  const done = live.checks.filter(({ verdict }) => verdict !== undefined);
  const failed = done.filter(({ verdict }) => verdict !== 'passed').length;
  const of = `of ${live.count} ${live.count === 1 ? 'check' : 'checks'}`;
  if (failed > 0) {
    const text = `${failed} ${of} ${failed === 1 ? 'has' : 'have'} failed`;
    return { long: line(strong('Not proven: '), `${text}.`), short: [line(strong('Not proven: '), text)] };
  }
  if (live.count === 0) return { long: line(strong('Not proven yet.')), short: [line(strong('Not proven yet.'))] };
  const text = `${done.length} ${of} ${done.length === 1 ? 'has' : 'have'} passed`;
  return { long: line(strong('Not proven yet: '), `${text}.`), short: [line(text)] };
}

function waiting({ model, words, nowMs, explained }: Told): Sentence {
  const { wait } = model.view;
  if (wait === undefined || wait.cause === 'delay') return both(explained.headline);
  const untilMs = Date.parse(wait.until);
  const at = atText(words.instant(untilMs, nowMs));
  const rest = left(untilMs - nowMs);
  const why = waits[wait.cause];
  return {
    long: line(`${why}. It continues ${at}, in ${rest}.`),
    short: [line(`${why}.`), line(`Continues ${at}, in ${rest}`)],
  };
}

const waits = {
  limit: 'The provider refuses requests for now',
  environment: 'Something outside the loop failed',
  unknown: 'The agent failed for an unknown reason',
  reboot: 'No new session could be started',
  schedule: 'Its schedule allows no iteration now',
  rate: 'Its bound on API calls per hour is reached',
} as const;

function since({ model, words, nowMs, explained }: Told): Sentence {
  const { lastActivityAt } = model.view;
  const at = lastActivityAt === undefined ? '' : ` since ${words.instant(Date.parse(lastActivityAt), nowMs)}`;
  return both(explained.headline.replace(/^Paused:/u, `Paused${at}:`));
}

function crashed({ model }: Told): Sentence {
  const { owner, view } = model;
  const process = owner.pid === undefined ? 'Its process' : `Its process (${owner.pid})`;
  const where = view.current === undefined ? '' : ` in iteration ${view.iteration}`;
  return {
    long: line(`${process} died${where}. Nothing was lost.`),
    short: [line(`${process} died.`), line('Nothing was lost.')],
  };
}

function frozen({ model: { owner } }: Told): Sentence {
  const process = owner.pid === undefined ? 'Its process' : `Its process (${owner.pid})`;
  return {
    long: line(`${process} is stopped: nothing happens until it continues.`),
    short: [line(`${process} is stopped.`)],
  };
}

function ended({ model, state, words, nowMs, explained }: Told): Sentence {
  const { view } = model;
  const at = view.endedAt === undefined ? '' : ` ${atText(words.instant(Date.parse(view.endedAt), nowMs))}`;
  const count = `${view.stats.iterations} ${view.stats.iterations === 1 ? 'iteration' : 'iterations'}`;
  if (state === 'stopped' || state === 'aborted') {
    const verb = state === 'stopped' ? 'Stopped' : 'Aborted';
    const rule = view.reason === undefined ? '' : ` by ${view.reason}`;
    const why = view.reason === undefined ? explained.headline : `${words.reason(view.reason)}.`;
    return {
      long: line(`${verb}${at}${state === 'stopped' ? rule : ''}: ${why}`),
      short: [line(`${verb}${at}`), line(`${view.reason ?? ''}, after ${count}`)],
    };
  }
  const result = {
    proven: `all checks pass; ${words.level(view.proof)}`,
    green: 'the checks pass, as they did before the first iteration',
    claimed: 'the agent says so, and nothing was checked',
  }[state as 'proven' | 'green' | 'claimed'];
  return {
    long: line(`Done${at} after ${count}: ${result}.`),
    short: [
      line(`Done${at} after ${count}`),
      line(
        {
          proven: `All checks pass (proof: ${view.proof}).`,
          green: 'The checks pass, as before.',
          claimed: 'Claimed, not proven.',
        }[state as 'proven'],
      ),
    ],
  };
}

function toReview({ doubts, next }: ExplainedLoop): Sentence {
  if (doubts.length > 0) {
    const count = `${doubts.length} ${doubts.length === 1 ? 'thing' : 'things'}`;
    return {
      long: line(strong(`Look at ${count} before you take the result`), '; the list is below.'),
      short: [line(strong(`Look at ${count} first`))],
    };
  }
  const [first] = next;
  if (first === undefined) return both('Nothing is left to do.');
  return { long: line('Next: ', strong(first.command)), short: [line(strong(first.command))] };
}

function notDone({ explained }: Told): Sentence {
  const better = explained.evidence.find((text) => /was better than/u.test(text));
  return {
    long: line(
      strong('Not done. '),
      better === undefined ? 'The work so far is in the work tree.' : `${capital(better)}.`,
    ),
    short: [line(strong('Not done.'))],
  };
}

function command(text: string): Sentence {
  return { long: line(strong('Do this: '), strong(text)), short: [line('Do this:'), line(strong(text))] };
}

/** What to do, whole: where something has to be looked at first, also the command that lets the loop continue. */
function wayOut({ explained: { next }, model }: Told): Sentence {
  const [first = `ralphd explain ${model.loop.id}`, ...others] = next.map((each) => each.command);
  const resume = others.find((each) => each.startsWith('ralphd resume '));
  if (resume === undefined || first.startsWith('ralphd resume ')) return command(first);
  return {
    long: line(strong('Do this: '), strong(first), ', then  ', strong(resume)),
    short: [line('Do this, in this order:'), line(strong(first)), line(strong(resume))],
  };
}

function calm(told: Told, more: string): Sentence {
  const requested = requestText(told);
  if (requested !== undefined) return { long: line(strong(requested)), short: [line(strong(requested))] };
  const nearest = nearestText(told);
  const guided = told.model.view.requested.includes('guide') ? 'The next prompt contains your guidance.' : '';
  const rest = [more, guided, nearest].find((text) => text !== '') ?? '';
  return {
    long: line(strong('Nothing needs you.'), rest === '' ? '' : ` ${rest}`),
    short: [
      line(strong('Nothing needs you.')),
      ...(nearest === '' ? [] : [line(nearest.replace('First to stop it:', 'Stops first:').replace(/\.$/u, ''))]),
    ],
  };
}

function requestText({ model: { view } }: Told): string | undefined {
  const request = view.requested.find((each) => each !== 'guide' && each !== 'resume');
  if (request === undefined) return undefined;
  return {
    pause: `It pauses when iteration ${view.iteration} is over; p takes that back.`,
    pause_now: 'It is pausing now. Ctrl-C in its terminal ends the agent at once.',
    stop: 'It is ending: its agent is shutting down.',
    abort: 'It is being ended at once.',
    skip: 'It abandons this iteration and starts the next one.',
    reboot: 'The next iteration gets a new session.',
  }[request];
}

/** The rule that is nearest to stopping the loop; empty while none has begun to count. */
function nearestText({ explained, model, words, nowMs }: Told): string {
  const nearest = explained.rules.find(({ near, set }) => near !== null && near > 0 && set !== 'success');
  if (nearest === undefined) return '';
  return `First to stop it: ${nearest.key ?? nearest.rule}, ${standingText(nearest, { model, words, nowMs })}.`;
}

function standingText(
  { rule, evidence }: RuleStanding,
  { model, words, nowMs }: Pick<Told, 'model' | 'words' | 'nowMs'>,
): string {
  const { maxTime } = model.loop.config;
  // What is not reported is said beside the meter.
  if (rule !== 'max_time' || maxTime === undefined) return evidence.replace(/ \([^)]*\)$/u, '');
  return atText(words.instant(nowMs + maxTime - runningMsOf(model, nowMs), nowMs));
}

/** A time of today is `at 05:42`; another day needs no word before it. */
function atText(instant: string): string {
  return /^\d/u.test(instant) ? `at ${instant}` : instant;
}

function sentence(long: string, short: string): Sentence {
  return { long: line(long), short: [line(short)] };
}

function both(text: Part): Sentence {
  return { long: line(text), short: [line(text)] };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
