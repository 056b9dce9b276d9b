import type { LoopStatus } from '../../app/index.ts';
import { wholeSeconds } from '../../base/index.ts';
import type { Pulse, StoredView, ViewedRequest } from '../../protocol/index.ts';
import { runningMsAt } from '../../views/index.ts';
import { activityText, usedBy } from '../live/live-line.ts';
import { oneLine } from '../output/plain.ts';
import { senderText } from './sender.ts';

/** How long a loop has been running, up to now. */
export function runningMsOf({ view, shownStatus, ownerState, owner }: LoopStatus, nowMs: number): number {
  const isDriven = ownerState === 'working' || ownerState === 'stopped' || ownerState === 'unknown';
  if (shownStatus !== 'running' || !isDriven) return view.runningMs;
  const countedAt = view.current?.startedAt ?? view.lastActivityAt;
  return runningMsAt({ runningMs: view.runningMs, countedAt, ownedSince: owner?.since }, nowMs);
}

/** When the loop was last active: its last fact or its agent's last activity. */
export function lastActivityOf({ view, pulse }: LoopStatus): string | undefined {
  const instants = [view.lastActivityAt, pulse?.since, pulse?.step === 'agent' ? pulse.recent.at(-1)?.at : undefined];
  return instants
    .flatMap((instant) => instant ?? [])
    .toSorted()
    .at(-1);
}

/** The rows about what the loop is doing right now; none for a paused or ended loop. */
export function nowRows(found: LoopStatus, nowMs: number): readonly (readonly [string, string | undefined])[] {
  const { view, shownStatus, pulse } = found;
  if (shownStatus !== 'running') return [];
  const activeAt = lastActivityOf(found);
  const age = activeAt === undefined ? '' : `${wholeSeconds(nowMs - Date.parse(activeAt))} ago`;
  return [
    ['now', nowText(found, nowMs)],
    ['activity', age === '' ? undefined : joined([age, pulse?.step === 'agent' ? activityText(pulse) : ''])],
    ['model', pulse?.step === 'agent' ? pulse.model && oneLine(pulse.model) : undefined],
    ['this run', pulse?.step === 'agent' ? usedBy(pulse).join(', ') || undefined : undefined],
    ['requested', requestedText(view)],
  ];
}

/** The same for programs; null for a paused or ended loop. */
export function nowObject({ view, shownStatus, pulse }: LoopStatus, nowMs: number): Record<string, unknown> | null {
  if (shownStatus !== 'running') return null;
  const since = pulse?.since ?? view.current?.startedAt;
  const step = pulse?.step ?? (view.current === undefined ? undefined : steps[view.current.stage].step);
  return {
    step: step ?? null,
    since: since ?? null,
    elapsedMs: since === undefined ? null : Math.max(0, nowMs - Date.parse(since)),
    ...(pulse === undefined ? {} : detailsOf(pulse)),
  };
}

function detailsOf(pulse: Pulse): Record<string, unknown> {
  if (pulse.step === 'check') {
    const { purpose, index, count, command } = pulse;
    return { purpose, index, count, command };
  }
  const { model, usage, recent, isAdopted = false } = pulse;
  return { model: model ?? null, usage: usage ?? null, activity: recent.at(-1) ?? null, isAdopted };
}

function nowText({ view, pulse }: LoopStatus, nowMs: number): string | undefined {
  const elapsed = (since: string) => wholeSeconds(nowMs - Date.parse(since));
  if (pulse?.step === 'check') {
    return `check ${pulse.index} of ${pulse.count} for ${elapsed(pulse.since)}: ${oneLine(pulse.command, 120)}`;
  }
  if (pulse?.step === 'agent') {
    return `the ${pulse.isAdopted ? 'adopted ' : ''}agent has been working for ${elapsed(pulse.since)}`;
  }
  return view.current && steps[view.current.stage].text(elapsed(view.current.startedAt));
}

const steps = {
  begun: { step: 'preparation', text: (elapsed) => `preparing the iteration for ${elapsed}` },
  executing: { step: 'agent', text: (elapsed) => `the agent has been working for ${elapsed}` },
  executed: { step: 'judgement', text: (elapsed) => `evaluating the iteration, which started ${elapsed} ago` },
  verifying: { step: 'check', text: (elapsed) => `running the checks; the iteration started ${elapsed} ago` },
  verified: { step: 'judgement', text: (elapsed) => `evaluating the iteration, which started ${elapsed} ago` },
} as const satisfies Readonly<Record<string, { readonly step: string; readonly text: (elapsed: string) => string }>>;

const requests: Readonly<Record<ViewedRequest, string>> = {
  pause: 'pause after this iteration',
  pause_now: 'pause now',
  stop: 'stop',
  abort: 'abort',
  skip: 'skip this iteration',
  reboot: 'new session before the next iteration',
  resume: 'resume',
  guide: 'guidance for the next prompt',
};

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(': ');
}

function requestedText({ requested, requestedBy }: StoredView): string | undefined {
  if (requested.length === 0) return undefined;
  const by = requestedBy === undefined ? '' : `, from ${senderText(requestedBy)}`;
  return `${requested.map((request) => requests[request]).join(', ')}${by}`;
}
