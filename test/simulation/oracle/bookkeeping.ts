import { type Changes, configSchema, type FactData, type FactType } from '../../../src/protocol/index.ts';
import { isLost } from '../lost-run.ts';
import type { Truth } from '../world/script.ts';
import { enterMark } from './best.ts';
import { enterCalls, enterCallWait } from './calls.ts';
import { claimsSuccess, enterConditions } from './conditions.ts';
import { enterDecisions } from './decisions.ts';
import { enterObstacle, isBlocked, isBroken } from './evidence.ts';
import { enterGuidance, moveGuidance } from './guidance.ts';
import type { Observation } from './invariant.ts';
import type { Ledger } from './ledger.ts';
import { enterGate, type Shown } from './progress.ts';
import { enterSessions } from './sessions.ts';

type Entry<Type extends FactType> = (ledger: Ledger, data: FactData<Type>, seen: Observation) => void;

/** Records a fact that has passed all invariants in the ledger. */
export function enter(ledger: Ledger, seen: Observation, truth: Truth): void {
  const entry = entries[seen.fact.type] as ((ledger: Ledger, data: unknown, seen: Observation) => void) | undefined;
  enterSessions(ledger, seen.fact);
  if ('elapsedMs' in seen.fact.data) ledger.runningMs += seen.fact.data.elapsedMs ?? 0;
  // A run lost with its owner leaves no evidence, not even its usage.
  if (seen.fact.type === 'agent.finished' && isLost(seen.fact.data)) ledger.runs += ledger.open?.agentStarted ? 1 : 0;
  else if (seen.fact.type === 'agent.finished')
    enterRun(ledger, seen.fact.data, diesOfDisk(ledger, seen.fact.data) ? 'environment' : truth);
  else entry?.(ledger, seen.fact.data, seen);
  if (seen.fact.type === 'agent.finished' && !isLost(seen.fact.data)) enterCalls(ledger, seen.fact.data, seen);
  enterConditions(ledger, seen.fact);
  enterDecisions(ledger, seen.fact, seen.world);
}

const entries: { readonly [Type in FactType]?: Entry<Type> } = {
  'segment.opened': (ledger) => {
    ledger.owners += 1;
    prolong(ledger);
    if (ledger.due === 'delay') delete ledger.due;
  },
  'loop.started': (ledger, data, { world }) => {
    ledger.status = 'running';
    ledger.config = world.setting.config;
    ledger.checks = data.checks.length;
    ledger.guarded = data.guards !== undefined;
  },
  'config.changed': (ledger, data) => {
    ledger.config = configSchema.parse(data.config);
    if (data.gate === undefined) return;
    // Results of the previous checks prove nothing about these.
    ledger.checks = data.gate.checks.length;
    ledger.best.clear();
    ledger.marks.length = 0;
    delete ledger.baseline;
    delete ledger.obstacle;
    delete ledger.earned;
    reopenGate(ledger.open);
  },
  'baseline.finished': (ledger, data) => {
    ledger.baseline = data;
    enterGate(ledger, data);
    if (data.tests !== undefined) ledger.tests = data.tests;
    if (isBroken(data) && ledger.config?.allowBrokenBaseline !== true) ledger.due = 'baseline';
  },
  'loop.paused': (ledger, data) => {
    ledger.status = 'paused';
    ledger.reason = data.reason;
    ledger.free = { environment: 0, unknown: 0 };
    ledger.failedReboots = 0;
    ledger.wishes.retry = false;
    delete ledger.wishes.pause;
    delete ledger.triggered;
    if (ledger.wait?.cause !== 'limit') delete ledger.wait;
    if (ledger.due !== undefined) delete ledger.due;
  },
  'loop.resumed': (ledger, _data, { world }) => {
    ledger.status = 'running';
    if (ledger.wait !== undefined) ledger.wait = { ...ledger.wait, sinceMs: world.monotonicMs };
    prolong(ledger);
    ledger.wishes.resume = false;
    delete ledger.reason;
  },
  'loop.completing': (ledger) => {
    ledger.status = 'completing';
  },
  'loop.ended': (ledger, data) => {
    ledger.status = data.status;
    ledger.reason = data.reason;
    ledger.ended += 1;
    delete ledger.open;
  },
  'stop_rule.triggered': (ledger, data) => {
    ledger.triggered = data.rule;
  },
  'wait.scheduled': (ledger, data, seen) => {
    const { world } = seen;
    if (data.cause === 'rate') enterCallWait(ledger, seen);
    const wholeMs = Date.parse(data.until) - world.wallMs;
    const { monotonicMs: sinceMs } = world;
    ledger.wait = { untilMs: Date.parse(data.until), cause: data.cause, wholeMs, sinceMs, mostMs: wholeMs };
    // Whoever waits for something else for as long as the delay has waited for the delay as well.
    const isLongEnough = ledger.due === 'delay' && wholeMs >= (ledger.config?.iterationDelay ?? 0);
    if (ledger.due === data.cause || isLongEnough) delete ledger.due;
    // A retry ends only the current wait. After a wait for the schedule, or after a question, the wait for the failure
    // starts over.
    if (data.cause === 'schedule' || data.cause === 'rate') ledger.wishes.retry = false;
  },
  'reboot.started': (ledger) => {
    delete ledger.wait;
    ledger.wishes.retry = false;
  },
  'reboot.finished': (ledger, { ok }) => {
    ledger.failedReboots = ok ? 0 : ledger.failedReboots + 1;
    Object.assign(ledger.loopHooks, { mayReboot: false, isCancelled: false, hasRebooted: ok });
    if (!ok) return;
    ledger.counts.reboots += 1;
    delete ledger.wishes.reboot;
    ledger.handOffDue = true;
    ledger.contextPercent = 0;
  },
  'command.refused': (ledger, { id }) => {
    ledger.answers.set(id, 'refused');
    prolong(ledger);
  },
  'command.accepted': (ledger, data, { fact, world }) => {
    if (data.command === 'abort') ledger.abortedAtMs = Math.min(ledger.abortedAtMs, world.monotonicMs);
    enterCommand(ledger, data, fact.seq);
  },
  'iteration.started': (ledger, data, { fact }) => {
    ledger.lastIteration = data.iteration;
    ledger.lastAttempt = data.attempt;
    ledger.open = {
      ...data,
      agentStarted: false,
      shown: new Set(keptOf(ledger, data)),
      hooks: { finished: new Set(), broken: false },
    };
    ledger.wishes.retry = false;
    delete ledger.wait;
    ledger.failedReboots = 0;
    Object.assign(ledger.loopHooks, { mayReboot: false, isCancelled: false, hasRebooted: false });
    if (data.session === 'fresh') ledger.contextPercent = 0;
    moveGuidance(ledger, data.guidance, { state: 'open', seq: fact.seq });
  },
  'hooks.finished': (ledger, { point, results, stop }) => {
    ledger.open?.hooks.finished.add(point);
    if (ledger.open !== undefined && results.some(({ fatal }) => fatal === true)) ledger.open.hooks.broken = true;
    if (stop !== undefined) ledger.hookStop = true;
  },
  'loop_hooks.started': (ledger, { point }) => {
    const { loopHooks, wishes } = ledger;
    if (point === 'on_mode_switch') loopHooks.told = loopHooks.mode;
    if (point !== 'pre_reboot') return;
    delete ledger.wait;
    wishes.retry = false;
  },
  'loop_hooks.finished': enterLoopHooks,
  'mode.changed': ({ loopHooks }, { from, to }, { fact }) => {
    loopHooks.modeBefore ??= from;
    loopHooks.mode = to;
    loopHooks.switchedSeq = fact.seq;
  },
  'end.decided': (ledger, { status, reason }) => {
    ledger.loopHooks.end = { status, reason };
    delete ledger.wait;
  },
  'agent.started': ({ open }) => {
    if (open !== undefined) open.agentStarted = true;
  },
  'gate.started': ({ open }, { isPeriodic }) => {
    if (open !== undefined && isPeriodic === true) open.isPeriodic = true;
  },
  'gate.finished': (ledger, data) => {
    const { open, streaks, tests: earlier } = ledger;
    if (open === undefined) return;
    const isIdle = data.changedFiles === 0 && ledger.config?.trustPromise !== true;
    const passed = data.verdict === 'passed' && data.tampered === undefined && !isIdle;
    enterObstacle(ledger, data.obstacle?.code);
    ledger.proof = data.proof;
    ledger.passing = data.tests?.passed;
    enterGate(ledger, data.tampered === undefined ? data : { ...data, measures: [] });
    open.gate = passed ? 'passed' : 'refused';
    open.report = data;
    if (passed || data.tests?.failed === 0) streaks.tests = 0;
    if (passed && open.isPeriodic !== true) {
      ledger.earned = { verified: true };
    } else if (data.tests !== undefined && data.tests.failed > 0 && earlier !== undefined) {
      const changes = open.run?.changes;
      const touched = changes !== undefined && (changes.count > 0 || changes.headMoved);
      if (data.tests.failed < earlier.failed) streaks.tests = 0;
      else if (touched) streaks.tests += 1;
    }
    if (data.tests !== undefined) ledger.tests = data.tests;
  },
  'gate.accepted': ({ best }) => best.clear(),
  'iteration.finished': (ledger, data, { fact }) => enterFinished(ledger, data, fact.seq),
  'iteration.interrupted': (ledger, { cause }, { fact }) => {
    const { open } = ledger;
    if (cause === 'environment' || cause === 'unknown') ledger.free[cause] += 1;
    if (open?.hooks.broken) ledger.due = 'hook';
    else if (isBlocked(ledger)) ledger.due = 'obstacle';
    else if (cause !== 'request' && cause !== 'runner_lost' && cause !== 'hook') {
      ledger.due = cause;
      ledger.dueResetMs = open?.run?.resetMs;
    }
    moveGuidance(ledger, open?.guidance ?? [], { state: 'pending', seq: fact.seq });
    delete ledger.open;
  },
};

function enterLoopHooks(ledger: Ledger, { point, results, stop }: FactData<'loop_hooks.finished'>): void {
  const { loopHooks } = ledger;
  const isBroken = results.some(({ fatal }) => fatal === true);
  const hasFailed = results.some(({ ok }) => !ok);
  if (point === 'loop_end') {
    loopHooks.hasEnded = true;
    return;
  }
  if (stop !== undefined) ledger.hookStop = true;
  if (isBroken) ledger.due = 'hook';
  if (point === 'loop_start') loopHooks.hasStarted = !isBroken;
  if (point === 'pre_reboot' && !isBroken) {
    loopHooks.mayReboot = !hasFailed;
    loopHooks.isCancelled = hasFailed;
  }
  if (point === 'post_reboot') loopHooks.hasRebooted = false;
  if (point === 'on_mode_switch') {
    loopHooks.modeBefore = loopHooks.told === loopHooks.mode ? undefined : loopHooks.told;
    loopHooks.told = undefined;
  }
}

/** An improvement in a free attempt counts for its iteration. */
function keptOf({ numbersIn, checksIn }: Ledger, { iteration }: { readonly iteration: number }): readonly Shown[] {
  return [
    ...(numbersIn === iteration ? (['numbers'] as const) : []),
    ...(checksIn === iteration ? (['checks'] as const) : []),
  ];
}

/** A command or a new owner restarts the wait, because neither knows how much of it has passed. */
function prolong({ wait }: Ledger): void {
  if (wait !== undefined) wait.mostMs += wait.wholeMs;
}

function enterRun(ledger: Ledger, data: FactData<'agent.finished'>, truth: Truth): void {
  const { open } = ledger;
  const { usage, ending, claimed, changes, resetAt } = data;
  const tokens = [usage?.inputTokens, usage?.outputTokens, usage?.cacheReadTokens, usage?.cacheWriteTokens];
  const reported = usage?.inputTokens !== undefined || usage?.outputTokens !== undefined;
  if (ending.kind !== 'not_started' || usage !== undefined) ledger.runs += 1;
  if (reported) ledger.tokens += tokens.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  ledger.costUsd += usage?.costUsd ?? 0;
  ledger.outputTokens += usage?.outputTokens ?? 0;
  ledger.toolCalls += usage?.toolCalls ?? 0;
  enterChanges(ledger, changes);
  if (usage?.context !== undefined) ledger.contextPercent = (100 * usage.context.used) / usage.context.size;
  if (open === undefined) return;
  const onRequest = ending.kind === 'stopped' && ending.by === 'request';
  const resetMs = resetAt === undefined ? {} : { resetMs: Date.parse(resetAt) };
  const error = data.error ?? (data.empty ? 'without a word, a tool or a token' : 'it has no words for it');
  const wasCut = ending.kind === 'stopped' && (ending.by === 'budget' || ending.by === 'redline');
  open.run = { truth, onRequest, wasCut, claimed, changes, markers: data.markers ?? 0, error, ...resetMs };
}

/** Whether an agent that died without a result is excused by a full disk. */
function diesOfDisk({ wishes }: Ledger, { outcome, ending }: FactData<'agent.finished'>): boolean {
  const hasDied = ending.kind === 'signalled' || (ending.kind === 'exited' && ending.code !== 0);
  return wishes.pause?.isDiskFull === true && outcome === 'transient' && hasDied;
}

function enterChanges({ changed, config }: Ledger, { modified, created, deleted, count, lines }: Changes): void {
  changed.lines += (lines?.added ?? 0) + (lines?.removed ?? 0);
  // Files are counted only while a limit needs them.
  if (changed.names.size + changed.unnamed >= (config?.maxFilesChanged ?? 0)) return;
  const names = [...modified, ...created, ...deleted];
  for (const name of names) changed.names.add(name);
  changed.unnamed += count - names.length;
}

/** Whether usage exceeds a strict budget, so that a passed gate no longer completes the loop. */
function isOverrun({ config, tokens, outputTokens, toolCalls, costUsd, runningMs }: Ledger): boolean {
  if (config?.budgetPolicy !== 'strict') return false;
  const used: readonly (readonly [number, number | undefined])[] = [
    [tokens, config.maxTokens],
    [outputTokens, config.maxOutputTokens],
    [toolCalls, config.maxToolCalls],
    [costUsd, config.maxCostUsd],
    [runningMs, config.maxTime],
  ];
  return used.some(([amount, most = Number.POSITIVE_INFINITY]) => amount > most);
}

function enterCommand(ledger: Ledger, data: FactData<'command.accepted'>, seq: number): void {
  const { wishes, open, answers } = ledger;
  answers.set(data.id, 'accepted');
  prolong(ledger);
  switch (data.command) {
    case 'pause':
    case 'interrupt':
    case 'suspend':
      wishes.pause = {
        now: wishes.pause?.now === true || data.now === true || data.command !== 'pause',
        seq: wishes.pause?.seq ?? seq,
        isDiskFull: data.command === 'suspend' || (data.command === 'pause' && wishes.pause?.isDiskFull === true),
      };
      break;
    case 'resume':
      delete wishes.pause;
      wishes.resume = ledger.status === 'paused';
      break;
    case 'stop':
    case 'abort':
      wishes.end ??= seq;
      break;
    case 'skip':
      if (open !== undefined) wishes.skipped = open.iteration;
      break;
    case 'reboot':
      wishes.reboot ??= seq;
      break;
    case 'retry':
      wishes.retry = true;
      delete ledger.wait;
      break;
    case 'continue':
    case 'mode':
    case 'note':
    case 'breakpoint':
    case 'rollback':
      // The decision ledger handles these.
      break;
    case 'guide':
    case 'drop':
      enterGuidance(ledger, data, seq);
      break;
  }
}

function enterFinished(ledger: Ledger, data: FactData<'iteration.finished'>, seq: number): void {
  const { open, streaks, counts, config } = ledger;
  const claims = claimsSuccess(ledger, data.failure?.message);
  enterMark(ledger, data);
  ledger.finished = data.iteration;
  ledger.free = { environment: 0, unknown: 0 };
  if (open?.run !== undefined) ledger.handOffDue = false;
  moveGuidance(ledger, open?.guidance ?? [], { state: data.status === 'skipped' ? 'pending' : 'delivered', seq });
  if (data.status === 'skipped') counts.skipped += 1;
  else {
    const failed = data.status !== 'completed';
    if (failed) counts.failed += 1;
    if (data.status === 'timed_out') counts.timedOut += 1;
    streaks.failures = failed ? streaks.failures + 1 : 0;
    if (data.progress.made !== null) streaks.noProgress = data.progress.made ? 0 : streaks.noProgress + 1;
    const trusts = config?.trustPromise === true && ledger.checks === 0 && !failed;
    const isTrusted = trusts && open?.run?.wasCut === false && (open.run.claimed || claims);
    if (isTrusted) ledger.earned = { verified: false };
    else if (config !== undefined && config.iterationDelay > 0 && open?.gate !== 'passed') ledger.due = 'delay';
  }
  if (isOverrun(ledger)) {
    delete ledger.earned;
    if (config !== undefined && config.iterationDelay > 0 && data.status !== 'skipped') ledger.due = 'delay';
  }
  if (isBlocked(ledger)) ledger.due = 'obstacle';
  if (open?.hooks.broken && ledger.earned === undefined) ledger.due = 'hook';
  const error = data.failure?.message.toLowerCase().replace(/[0-9a-f]{8,}|\d+/gu, '#');
  if (data.status !== 'skipped') {
    streaks.sameError = error === undefined ? 0 : error === streaks.lastError ? streaks.sameError + 1 : 1;
    streaks.lastError = error;
  }
  if (error !== undefined && config?.stopConditions.stopOnPatterns.length && /fatal|out of /u.test(error)) {
    ledger.matched = true;
  }
  delete ledger.open;
}

/** An attempt judged by the previous checks is judged again. */
function reopenGate(open: Ledger['open']): void {
  if (open === undefined) return;
  delete open.gate;
  delete open.isPeriodic;
  delete open.report;
  delete open.isObstructed;
  open.shown.clear();
}
