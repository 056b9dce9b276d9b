import type { ShownLoop } from '../state/loop.ts';
import { duration } from '../words/amounts.ts';
import { badgeLooks } from '../words/signs.ts';
import { moment } from '../words/times.ts';
import { lastActivityOf } from './transcript.ts';

/** Such as `Iteration 14 of 40`. */
function placeOf({ standing: { view } }: ShownLoop): string {
  return `Iteration ${view.iteration}${view.maxIterations === 0 ? '' : ` of ${view.maxIterations}`}`;
}

/** What the loop does and whether it needs a person. Does not tick: it is said aloud whenever it changes. */
export function leadText(shown: ShownLoop): string {
  const { state, view, explained, claims } = shown.standing;
  const request = view.requested.find((each) => each !== 'guide' && each !== 'resume');
  const calm = request === undefined ? 'Nothing needs you.' : requests[request].replace('#', String(view.iteration));
  switch (state) {
    case 'starting':
      return 'The loop is starting. Nothing needs you.';
    case 'running':
      return view.current?.stage === 'executing'
        ? `${placeOf(shown)}: the agent is working. ${calm}`
        : view.current === undefined
          ? `${explained.headline.replace(/\.?$/u, '.')} ${calm}`
          : `${placeOf(shown)} is ${view.current.stage === 'begun' ? 'being prepared' : 'being judged'}. ${calm}`;
    case 'verifying':
      if (view.current === undefined) return 'ralphd runs the checks before the first iteration.';
      return `${placeOf(shown)}: ${claims ? 'the agent says it is done, and ' : ''}ralphd runs the checks.`;
    case 'proven':
    case 'green':
    case 'claimed':
    case 'stopped':
    case 'aborted':
    case 'waiting':
    case 'parked':
    case 'hosted':
    case 'asking':
    case 'paused':
    case 'needs':
    case 'crashed':
      return explained.headline;
    case 'frozen':
      return 'Its process is stopped. Nothing happens until it continues.';
  }
}

const requests = {
  pause: 'It pauses when iteration # is over.',
  pause_now: 'It is pausing now.',
  stop: 'It is ending: its agent is shutting down.',
  abort: 'It is being ended at once.',
  skip: 'It abandons this iteration and starts the next one.',
  reboot: 'The next iteration gets a new session.',
} as const;

const quietMs = 60_000;

/** The evidence below the lead: what ticks. */
export function leadMore(shown: ShownLoop, nowMs: number): string {
  const { state, view, limits, owner } = shown.standing;
  if (state === 'running' && view.current?.stage === 'executing') {
    const at = lastActivityOf(shown.live)?.at;
    const silentMs = nowMs - Date.parse(at ?? view.current.startedAt);
    const isQuiet = silentMs > quietMs;
    const ended =
      isQuiet && limits.idleTimeoutMs > 0 ? `; silence ends it after ${duration(limits.idleTimeoutMs)}` : '';
    const word = isQuiet
      ? `No output for ${duration(silentMs)}${ended}.`
      : at === undefined
        ? 'No output yet.'
        : `Last output ${duration(silentMs)} ago.`;
    return `Working for ${duration(nowMs - Date.parse(view.current.startedAt))}. ${word} ${nearestText(shown, nowMs)}`.trim();
  }
  if (state === 'running' || state === 'verifying' || state === 'starting') return nearestText(shown, nowMs);
  if (state === 'waiting' && view.wait !== undefined) {
    return `It continues at ${moment(view.wait.until, nowMs)}, in ${duration(Date.parse(view.wait.until) - nowMs)}. The wait costs no iteration.`;
  }
  if (state === 'frozen') return `It is process ${owner.pid ?? 'unknown'}. The work so far is safe.`;
  return sentenceOf(shown.standing.explained.because);
}

/** Reasons, which are parts of a sentence, as one sentence. */
function sentenceOf(reasons: readonly string[]): string {
  const text = reasons.map((reason) => reason.replace(/\.$/u, '')).join('; ');
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The rule that is nearest to stopping the loop; empty while none has begun to count. */
function nearestText(shown: ShownLoop, nowMs: number): string {
  const nearest = shown.standing.explained.rules.find(
    ({ near, set }) => near !== null && near > 0 && set !== 'success',
  );
  if (nearest === undefined) return '';
  const limit = timeLimitAt(shown, nowMs);
  const evidence =
    nearest.rule === 'max_time' && limit !== undefined
      ? `at ${moment(limit, nowMs)}`
      : nearest.evidence.replace(/ \([^)]*\)$/u, '');
  return `First to stop it: ${nearest.key ?? ruleNames[nearest.rule] ?? nearest.rule}, ${evidence}.`;
}

/** Rules as a sentence names them. */
const ruleNames: Readonly<Record<string, string>> = {
  max_time: 'the time limit',
  max_cost: 'the cost limit',
  max_iterations: 'the iteration limit',
  max_tokens: 'the token limit',
  max_output_tokens: 'the limit of output tokens',
  max_tool_calls: 'the limit of tool calls',
  no_progress: 'no progress',
  test_failures: 'failing tests',
  iteration_failures: 'failed iterations',
  same_error: 'the same error',
};

/** How long the loop has been running, up to now. */
export function runningMsAt({ standing }: ShownLoop, nowMs: number): number {
  const { view, owner, status } = standing;
  const isDriven = owner.state === 'working' || owner.state === 'stopped' || owner.state === 'unknown';
  if (!isDriven || (status !== 'running' && status !== 'completing')) return view.runningMs;
  const counted = [view.current?.startedAt ?? view.lastActivityAt, owner.since].flatMap((at) =>
    at === undefined ? [] : [Date.parse(at)],
  );
  return counted.length === 0 ? view.runningMs : view.runningMs + Math.max(0, nowMs - Math.max(...counted));
}

/** When the time limit ends the loop, if it goes on running. */
function timeLimitAt(shown: ShownLoop, nowMs: number): number | undefined {
  const { maxTimeMs } = shown.standing.limits;
  return maxTimeMs === undefined ? undefined : nowMs + maxTimeMs - runningMsAt(shown, nowMs);
}

/** What the window is called: the state first, because a tab shows little. */
export function titleOf(shown: ShownLoop): string {
  const { state, view } = shown.standing;
  const { mark } = badgeLooks[state];
  const place = view.iteration === 0 ? '' : `, iteration ${view.iteration}`;
  return `${mark} ${shown.page.name}${place}`;
}
