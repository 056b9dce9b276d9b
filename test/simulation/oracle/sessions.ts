import type { LoopConfig, RebootCause, RecordedFact } from '../../../src/protocol/index.ts';
import { isLost } from '../lost-run.ts';
import { reportsInTime } from '../world/budget.ts';
import { type Invariant, on } from './invariant.ts';
import type { Ledger } from './ledger.ts';

/** An iteration of the current session. */
interface SessionMark {
  readonly value: 100 | 50 | 40;
  readonly durationMs: number;
  readonly percent: number | undefined;
}

/** The agent's session and the reboots in the facts. */
export interface SessionLedger {
  iterations: number;
  startedMs: number;
  percent: number | undefined;
  hasMatched: boolean;
  marks: readonly SessionMark[];
  runMs: number;
  reboots: readonly { readonly atMs: number; readonly cause: RebootCause; readonly ok: boolean }[];
  /** Whether the latest reboot failed, and no iteration has finished since. */
  hasFailedToReboot: boolean;
  /** Whether the latest runs only explored, and whether a prompt said so. */
  exploring: 'no' | 'due' | 'said';
}

/** Before the first session. */
export function noSessions(): SessionLedger {
  return { ...newSession(0), reboots: [], hasFailedToReboot: false, exploring: 'no' };
}

function newSession(startedMs: number): Omit<SessionLedger, 'reboots' | 'hasFailedToReboot' | 'exploring'> {
  return { iterations: 0, startedMs, percent: undefined, hasMatched: false, marks: [], runMs: 0 };
}

const hourMs = 3_600_000;
const maxReboots = 100;

/** A session is replaced when it has to be and not otherwise, and an agent that only explores is told once. */
export const sessionInvariants: readonly Invariant[] = [
  on('reboot.started', 'B034, B035: a reboot has the cause that it names', (ledger, { cause }, { world }) => {
    if (cause === 'manual') return ledger.wishes.reboot === undefined && 'nobody asked for it';
    const isTrue = causesOf(ledger, world.wallMs).includes(cause);
    return !isTrue && `nothing shows ${cause}`;
  }),
  on('reboot.started', 'B033: reboots that are not necessary respect their limits', (ledger, { cause }, { world }) => {
    if (cause === 'manual' || cause === 'redline' || cause === 'session_timeout') return undefined;
    return isHeld(ledger, cause, world.wallMs) && `${cause} was to wait`;
  }),
  on('iteration.started', 'B034: a session that is to be replaced is not continued', (ledger, data, { world }) => {
    if (data.session !== 'continue') return undefined;
    const missed = causesOf(ledger, world.wallMs).find((cause) => !isHeld(ledger, cause, world.wallMs));
    return missed !== undefined && `it goes on in spite of ${missed}`;
  }),
  on('agent.finished', 'B033: a run is ended at the redline only if it is to be, and then always', (ledger, data) => {
    const isCut = data.ending.kind === 'stopped' && data.ending.by === 'redline';
    const { used = 0, size = 1 } = data.usage?.context ?? {};
    const mayEnd = endsAtRedline(ledger) && 100 * used >= redlineOf(ledger) * size;
    if (isCut) return !mayEnd && 'it was to finish';
    const hasFinished = data.ending.kind === 'exited' && data.outcome === 'completed' && data.empty !== true;
    return hasFinished && mayEnd && reportsInTime(data.durationMs) && 'it finished';
  }),
  on('reboot.finished', 'B036: the latest hundred reboots are kept with their result', (ledger, data, { after }) => {
    const { reboots = [] } = after.session;
    const last = reboots.at(-1);
    if (last?.cause !== data.cause || last.ok !== data.ok || last.iteration !== ledger.finished)
      return 'it is not kept';
    return reboots.length !== Math.min(maxReboots, ledger.sessions.reboots.length + 1) && `${reboots.length} are kept`;
  }),
  on('iteration.started', 'B080: an agent that only explores is told so once', (ledger, { correction }) => {
    const isDue = ledger.sessions.exploring === 'due';
    return (correction !== undefined) !== isDue && (isDue ? 'it is not told' : 'it is told for no reason');
  }),
];

/** Whether the prompt has the correction exactly if its attempt began with it. */
export function wrongCorrection({ open }: Ledger, prompt: string): string | false {
  const { correction } = open ?? {};
  return prompt.includes('## Begin the work') !== (correction !== undefined) && 'the correction is not as recorded';
}

/** Records a fact before the rest of the ledger knows it. */
export function enterSessions(ledger: Ledger, fact: RecordedFact): void {
  const { sessions, open, config } = ledger;
  switch (fact.type) {
    case 'iteration.started':
      if (fact.data.session === 'fresh') Object.assign(sessions, newSession(Date.parse(fact.at)));
      if (fact.data.correction !== undefined) sessions.exploring = 'said';
      return;
    case 'agent.finished':
      sessions.runMs = fact.data.durationMs;
      if (!isLost(fact.data)) enterRun(sessions, fact.data);
      return;
    case 'iteration.finished': {
      const { status, progress } = fact.data;
      sessions.hasFailedToReboot = false;
      if (status === 'skipped') {
        if (open?.correction !== undefined && open.run === undefined && sessions.exploring === 'said')
          sessions.exploring = 'due';
        return;
      }
      if (config?.session.strategy !== 'continue' || sessions.iterations === 0) return;
      const value = status === 'completed' ? (progress.made === false ? 50 : 100) : 40;
      sessions.marks = [...sessions.marks, { value, durationMs: sessions.runMs, percent: sessions.percent }];
      return;
    }
    case 'iteration.interrupted':
      if (open?.correction !== undefined && sessions.exploring === 'said') sessions.exploring = 'due';
      return;
    case 'reboot.finished': {
      const { cause, ok } = fact.data;
      sessions.hasFailedToReboot = !ok;
      if (ok) Object.assign(sessions, newSession(Date.parse(fact.at)));
      sessions.reboots = [...sessions.reboots, { atMs: Date.parse(fact.at), cause, ok }];
      return;
    }
    default:
      return;
  }
}

function enterRun(sessions: SessionLedger, data: Extract<RecordedFact, { type: 'agent.finished' }>['data']): void {
  const { usage, outcome, exploration, claimed, changes } = data;
  sessions.iterations += 1;
  if (usage?.context !== undefined) sessions.percent = (100 * usage.context.used) / usage.context.size;
  if (outcome === 'context_overflow') sessions.percent = 100;
  if (data.rebootPattern !== undefined) sessions.hasMatched = true;
  if (outcome !== 'completed' && outcome !== 'turn_limit') return;
  const isIdle = changes.count === 0 && !changes.headMoved && !claimed;
  const explores = isIdle && exploration !== undefined && exploration.reads > 4 && exploration.acts === 0;
  if (!explores) sessions.exploring = 'no';
  else if (sessions.exploring === 'no') sessions.exploring = 'due';
}

/** Whether the run that is open may be ended at the redline: not in a session that was full before it. */
function endsAtRedline(ledger: Ledger): boolean {
  const { strategy, autoReboot, reboot } = ledger.config?.session ?? {};
  if (strategy !== 'continue' || autoReboot !== true || reboot?.mode !== 'immediate') return false;
  const { iterations, percent = -1 } = ledger.sessions;
  return redlineOf(ledger) > 0 && (iterations === 0 || percent < redlineOf(ledger));
}

function redlineOf({ config }: Ledger): number {
  return config?.contextRedlinePercent ?? 0;
}

/** Everything that asks for a new session now, whether something holds it back or not. */
function causesOf({ sessions, config }: Ledger, wallMs: number): readonly RebootCause[] {
  if (config?.session.strategy !== 'continue' || sessions.iterations === 0) return [];
  const { iterations, percent = -1, startedMs, hasMatched, marks } = sessions;
  const { session, contextRedlinePercent } = config;
  if (!session.autoReboot) return percent >= 100 ? ['redline'] : [];
  const { afterIterations, onDegradation } = session.reboot;
  const causes: readonly (readonly [RebootCause, boolean])[] = [
    ['redline', percent >= contextRedlinePercent],
    ['session_timeout', wallMs - startedMs >= session.timeout],
    ['error', marks.length > 1 && marks.slice(-2).every(({ value }) => value === 40)],
    ['iteration_limit', afterIterations !== undefined && iterations >= afterIterations],
    ['pattern', hasMatched],
    ['degradation', onDegradation && isWorse(marks.slice(-5))],
  ];
  return causes.flatMap(([cause, isDue]) => (isDue ? [cause] : []));
}

/** In whole numbers: three times the earlier two against twice the later three. */
function isWorse(marks: readonly SessionMark[]): boolean {
  const [first, second, ...later] = marks;
  if (first === undefined || second === undefined || later.length !== 3) return false;
  const sum = (of: (mark: SessionMark) => number) => later.reduce((total, mark) => total + of(mark), 0);
  const hasDropped = 10 * sum(({ value }) => value) < 12 * (first.value + second.value);
  const last = later[2]?.percent;
  const isFuller = first.percent !== undefined && last !== undefined && last > first.percent;
  const isSlower = 4 * sum(({ durationMs }) => durationMs) > 9 * (first.durationMs + second.durationMs);
  return hasDropped && (isFuller || isSlower);
}

function isHeld({ sessions, config }: Ledger, cause: RebootCause, wallMs: number): boolean {
  if (config === undefined || cause === 'redline' || cause === 'session_timeout') return false;
  const { minIterations, minInterval, maxPerHour }: LoopConfig['session']['reboot'] = config.session.reboot;
  if ((cause === 'pattern' || cause === 'degradation') && sessions.iterations < minIterations) return true;
  if (sessions.hasFailedToReboot) return true;
  const past = sessions.reboots.filter(({ atMs }) => atMs <= wallMs);
  if (past.some(({ atMs }) => wallMs - atMs < minInterval)) return true;
  return past.filter(({ ok, atMs }) => ok && wallMs - atMs < hourMs).length >= maxPerHour;
}
