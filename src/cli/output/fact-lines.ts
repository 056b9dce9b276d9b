import { roughDuration, scrub } from '../../base/index.ts';
import { amountText, describeEnding, isBrokenBaseline } from '../../core/index.ts';
import { type Check, type FactData, limits, type RecordedFact, usedOf, type Verdict } from '../../protocol/index.ts';
import { by, decisionText, modeChangeText, questionText, reasonsText } from '../words/decisions.ts';
import { denialText } from '../words/denials.ts';
import { promptHints } from '../words/prompt-hints.ts';
import { deniedHostsText } from '../words/sandbox.ts';
import { senderText } from '../words/sender.ts';
import { localInstant } from './instants.ts';
import type { Paint } from './paint.ts';
import { oneLine, shortDuration } from './plain.ts';
import { changeText } from './setting-change.ts';
import { hintText } from './test-rows.ts';

const maxOutputLines = 4;
const correctionText = 'tells the agent that its previous run only explored and changed nothing';

/** The lines that show a fact to a person; empty for most facts. The agent's name makes advice more precise. */
export function factLines(fact: RecordedFact, paint: Paint, agentName?: string): string[] {
  switch (fact.type) {
    case 'baseline.finished':
      return baseline(fact.data, paint);
    case 'iteration.started':
      return [
        '',
        `${paint.bold(`iteration ${fact.data.iteration}`)}${fact.data.attempt > 1 ? `, attempt ${fact.data.attempt}` : ''}`,
        ...(fact.data.correction === undefined ? [] : [row('prompt', paint.note(correctionText))]),
      ];
    case 'hooks.finished':
    case 'loop_hooks.finished':
      return hooks(fact.data, paint);
    case 'agent.finished':
      return agent(fact.data, paint, agentName);
    case 'conditions.observed':
      return conditions(fact.data, paint);
    case 'gate.started':
      return triggerLines(fact.data, paint);
    case 'gate.finished':
      return gate(fact.data, paint);
    case 'iteration.finished':
      return iteration(fact.data, paint);
    case 'iteration.interrupted':
      return [row('attempt', paint.warn(`not counted: ${oneLine(fact.data.message, 200)}`))];
    case 'wait.scheduled':
      return wait(fact.data, Date.parse(fact.at), paint);
    case 'loop.parked':
      return parked(fact.data, Date.parse(fact.at));
    case 'reboot.finished':
      return [row('reboot', rebootText(fact.data, paint))];
    case 'question.asked':
      return ['', `${paint.bold(questionText(fact.data))} ${paint.dim(`(${reasonsText(fact.data.why)})`)}`];
    case 'question.answered':
      return [row('decided', paint.note(`${decisionText(fact.data)}${by(fact.data.sender)}`))];
    case 'mode.changed':
      return [row('mode', paint.note(modeChangeText(fact.data)))];
    case 'rollback.finished':
      return rolledBack(fact.data, paint);
    case 'command.accepted':
      return isOwnDecision(fact.data) ? [] : [row('command', paint.note(accepted(fact.data)))];
    case 'command.refused':
      return [row('command', paint.warn(refused(fact.data)))];
    case 'stop_rule.triggered':
      return ['', row('stop', paint.bad(`${fact.data.rule}: ${oneLine(fact.data.message, 300)}`))];
    case 'loop.recovered':
      return recovered(fact.data, paint);
    case 'loop.continued':
      return continued(fact.data);
    case 'loop.imported':
      return [
        row('imported', `from ${oneLine(fact.data.path)} (${fact.data.from}), ${fact.data.finished} iterations done`),
      ];
    case 'gate.accepted':
      return fact.data.changed.map((path) => row('accepted', `${oneLine(path)} (current version)`));
    case 'config.changed':
      return (fact.data.changes ?? []).map((change) => row('setting', changeText(change)));
    case 'state.restored':
      return fact.data.what.map((what) => row('restored', paint.warn(oneLine(what, 200))));
    case 'loop.restored':
      return [row('restored', `from backup ${fact.data.backup} in ${oneLine(fact.data.from, 200)}`)];
    case 'environment.captured':
      return environment(fact.data);
    case 'loop.resumed':
      return [row('resumed', 'after a pause')];
    case 'hooks.started':
    case 'loop_hooks.started':
    case 'end.decided':
    case 'agent.started':
    case 'reboot.started':
    case 'session.stopped':
    case 'segment.opened':
    case 'backup.finished':
    case 'loop.started':
    case 'loop.completing':
    case 'loop.paused':
    case 'loop.ended':
      return [];
  }
}

function recovered({ problems }: FactData<'loop.recovered'>, paint: Paint): string[] {
  return [
    row('resumed', paint.warn('the process that ran this loop had died; nothing was lost')),
    ...problems.map((problem) => row('', paint.warn(oneLine(problem, 300)))),
  ];
}

function rebootText({ ok, cause, message }: FactData<'reboot.finished'>, paint: Paint): string {
  return ok ? `new session (${cause})` : paint.bad(oneLine(message ?? 'failed'));
}

function parked({ wakeAt, session }: FactData<'loop.parked'>, nowMs: number): string[] {
  if (session !== undefined) return [row('session', `the prompt went to a session of ${session.agent}`)];
  const due = localInstant(Date.parse(wakeAt), nowMs);
  return [row('waiting', `no process runs it until it is resumed, due ${due}`)];
}

function refused(data: FactData<'command.refused'>): string {
  return `${data.command} refused: ${oneLine(data.why, 200)}${from(data)}`;
}

/** A decision at this terminal is shown once, when it takes effect. */
function isOwnDecision({ command, sender }: FactData<'command.accepted'>): boolean {
  return (command === 'continue' || command === 'skip') && sender?.pid === process.pid;
}

function accepted(data: FactData<'command.accepted'>): string {
  if (data.command === 'interrupt') return `pause (${data.signal ?? 'signal'})`;
  return `${data.command}${details(data)}${from(data)}`;
}

function details({ command, kind, text = '', breakpoint, remove }: FactData<'command.accepted'>): string {
  if (command === 'note') return ` (${kind ?? 'observation'}): ${oneLine(text, 200)}`;
  if (breakpoint === undefined) return '';
  return remove === true ? `: ${breakpoint} removed` : `: ${breakpoint}`;
}

/** What was undone, and where the files are as they were before. */
function rolledBack(data: FactData<'rollback.finished'>, paint: Paint): string[] {
  const { iteration, ok, message = '', count = 0, files = [], backup = '' } = data;
  if (!ok) return [row('rollback', paint.warn(`nothing was undone: ${oneLine(message, 200)}`))];
  const what = `${count} ${count === 1 ? 'file' : 'files'} restored to before iteration ${iteration}`;
  return [
    row('rollback', paint.note(`${what}: ${oneLine(files.join(', '), 160)}`)),
    row('', `undo it: git restore --source ${backup} .`),
  ];
}

/** Who sent a command, unless it was the owner itself or became the owner with it. */
function from({ sender, command }: Pick<FactData<'command.refused'>, 'sender' | 'command'>): string {
  const isOutside = (sender?.face === 'cli' || sender?.face === 'library') && sender.pid !== process.pid;
  return isOutside && command !== 'resume' ? `, from ${senderText(sender)}` : '';
}

/** Which loop this one continues, and what it takes over from it. */
function continued({ from, status, reason, iterations, work: { guidance } }: FactData<'loop.continued'>): string[] {
  const end = reason === undefined || reason === status ? status : `${status}, ${reason}`;
  const guidanceText =
    guidance.length === 0 ? '' : `, with ${guidance.length === 1 ? 'its' : 'all its'} undelivered guidance`;
  return [
    row(
      'continues',
      `${from} (${end}) after ${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}${guidanceText}`,
    ),
    row('', 'as a new loop: limits count from zero, and the first prompt hands over its notes'),
  ];
}

/** Which dependencies the sealed checks use instead of those in the work tree, and what the copy cost. */
function environment({ folders, files, bytes, durationMs }: FactData<'environment.captured'>): string[] {
  const what = folders.length === 0 ? 'no dependency folders' : oneLine(folders.join(', '), 100);
  const size = `${files} ${files === 1 ? 'file' : 'files'}, ${(bytes / 1_000_000).toFixed(1)} MB`;
  return [row('sealed', `checks will use a copy of ${what} (${size}, copied in ${shortDuration(durationMs)})`)];
}

/** A line about one step of an iteration. */
export function row(name: string, text: string): string {
  return `  ${name.padEnd(8)} ${text}`;
}

function baseline(data: FactData<'baseline.finished'>, paint: Paint): string[] {
  const { checks, unguarded = [] } = data;
  return [
    '',
    paint.bold('before the first iteration'),
    ...checks.map((check) => checkLine(check, paint)),
    ...baselineNote(data, paint),
    ...unguarded.map((path) =>
      row('guard', paint.warn(`${oneLine(path)} is changed by the checks themselves and is not guarded`)),
    ),
  ];
}

/** What the checks show before any work: they already pass, they fail as expected, or they cannot run. */
function baselineNote({ verdict, checks, obstacle }: FactData<'baseline.finished'>, paint: Paint): string[] {
  if (verdict === 'passed') {
    return [row('', paint.warn('all checks already pass; add one that fails until the task is done'))];
  }
  if (!isBrokenBaseline({ checks, obstacle })) {
    return [row('', paint.dim('not passing yet, as expected'))];
  }
  const output = checks.filter((check) => check.verdict !== 'passed').flatMap((check) => relevantLines(check.output));
  return output.map((line) => row('', paint.dim(`| ${line}`)));
}

function hooks({ results, stop }: Pick<FactData<'hooks.finished'>, 'results' | 'stop'>, paint: Paint): string[] {
  const failed = results.filter(({ ok }) => !ok);
  return [
    ...failed.map(({ name, error = 'failed' }) => row('hook', paint.warn(oneLine(`${name}: ${error}`, 200)))),
    ...(stop === undefined
      ? []
      : [row('hook', paint.warn(oneLine(`${stop.hook} stops the loop: ${stop.reason}`, 200)))]),
  ];
}

/** Only the conditions that are met or unknown. */
function conditions({ results }: FactData<'conditions.observed'>, paint: Paint): string[] {
  return results
    .filter(({ met }) => met !== false)
    .map(({ key, met, detail = met ? 'met' : 'unknown' }) => {
      const line = oneLine(`${key}: ${detail}`, 200);
      return row(met ? 'met' : 'unknown', met ? line : paint.warn(line));
    });
}

function triggerLines({ conditions: keys, isPeriodic }: FactData<'gate.started'>, paint: Paint): string[] {
  if (isPeriodic === true) return [row('tests', paint.note('no claim; the checks are due'))];
  return keys === undefined
    ? []
    : [
        row(
          'claim',
          paint.note(`no claim, but ${keys.join(' and ')} ${keys.length === 1 ? 'triggers' : 'trigger'} the checks`),
        ),
      ];
}

function agent(data: FactData<'agent.finished'>, paint: Paint, by: string | undefined): string[] {
  const {
    ending,
    outcome,
    error,
    changes,
    claimed,
    durationMs,
    permissionDenials = 0,
    deniedTools = [],
    deniedHosts = [],
    testHints,
  } = data;
  const worked = outcome === 'completed' ? describeEnding(ending) : paint.bad(describeEnding(ending));
  const changed = changes.known
    ? `${changes.count} ${changes.count === 1 ? 'file' : 'files'} changed`
    : 'changes unknown';
  return [
    row('agent', `${worked} after ${shortDuration(durationMs)}, ${changed}${changes.headMoved ? ', HEAD moved' : ''}`),
    ...used(data, paint),
    ...(testHints === undefined ? [] : [row('hint', paint.dim(hintText(testHints)))]),
    ...changedTests(changes.protected?.changed ?? [], paint),
    ...(permissionDenials === 0
      ? []
      : [row('denied', paint.warn(oneLine(denialText({ count: permissionDenials, tools: deniedTools }, by), 300)))]),
    ...(deniedHosts.length === 0 ? [] : [row('blocked', paint.warn(oneLine(deniedHostsText(deniedHosts), 300)))]),
    ...(error === undefined ? [] : [row('', paint.bad(oneLine(error, 200)))]),
    ...promptFix(data, paint),
    ...(claimed ? [row('claim', 'the agent claims the task is done')] : []),
  ];
}

/** Facts do not name flags; the command line adds how to fix a prompt. */
function promptFix({ ending }: FactData<'agent.finished'>, paint: Paint): string[] {
  const hint = ending.kind === 'not_started' ? promptHints[ending.code] : undefined;
  return hint === undefined ? [] : [row('fix', paint.warn(hint))];
}

function changedTests(paths: readonly string[], paint: Paint): string[] {
  if (paths.length === 0) return [];
  return [row('protect', paint.warn(`changed existing files: ${oneLine(paths.join(', '), 160)}`))];
}

function used({ usage }: FactData<'agent.finished'>, paint: Paint): string[] {
  const text = usageText(usage);
  return text === undefined ? [] : [row('used', paint.dim(text))];
}

/** What a run used, as far as the agent reported it; undefined where it reported nothing. */
export function usageText(usage: FactData<'agent.finished'>['usage']): string | undefined {
  const parts = [
    ...limits.flatMap((limit) => {
      const amount = limit.reported?.isPart === true ? undefined : usedOf(limit, usage);
      return amount === undefined ? [] : [amountText(limit, amount)];
    }),
    ...(usage?.context === undefined
      ? []
      : [`context ${Math.round((100 * usage.context.used) / usage.context.size)} % full`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

function gate(data: FactData<'gate.finished'>, paint: Paint): string[] {
  const { verdict, checks, tampered = [], doubts = [], warnings = [], obstacle } = data;
  const failed = checks.filter((check) => check.verdict !== 'passed');
  return [
    ...checks.map((check) => checkLine(check, paint)),
    ...failed.flatMap(({ output }) => relevantLines(output).map((line) => row('', paint.dim(`| ${line}`)))),
    ...tampered.map((path) =>
      row('tampered', paint.bad(`${oneLine(path)} was changed; if you did this, resume with --accept-gate`)),
    ),
    ...doubts.map((path) => row('doubt', paint.warn(`${oneLine(path)} was changed and affects the checks`))),
    ...warnings.map((warning) => row('warning', paint.warn(oneLine(warning, 200)))),
    ...(obstacle === undefined ? [] : [row('fix', paint.warn(oneLine(obstacle.fix, 200)))]),
    row('verdict', data.isPeriodic === true ? dueText(verdict, paint) : verdictText(verdict, doubts.length > 0, paint)),
  ];
}

/** Without a claim, nothing is refused and nothing is done. */
function dueText(verdict: Verdict, paint: Paint): string {
  if (verdict === 'passed' || verdict === 'unchanged') return paint.good('all checks pass, but nothing was claimed');
  return paint.warn('some checks do not pass; the next prompt includes them');
}

function verdictText(verdict: Verdict, isDoubtful: boolean, paint: Paint): string {
  if (verdict === 'unchanged') {
    return paint.warn('not done: no file has changed since the loop started; the next prompt says so');
  }
  if (verdict !== 'passed') return paint.warn('not done; the next prompt includes the reason');
  return isDoubtful ? paint.warn('all checks pass, with the changes listed above') : paint.good('all checks pass');
}

function checkLine(check: Check, paint: Paint): string {
  return row('check', checkText(check, paint));
}

/** The result of a check, its time and its command. */
export function checkText({ command, verdict, exitCode, durationMs }: Check, paint: Paint): string {
  const how = exitCode === undefined || verdict === 'passed' ? '' : ` (exit ${exitCode})`;
  const word = verdict.replace('_', ' ');
  const mark = verdict === 'passed' ? paint.good(`✓ ${word}`) : paint.bad(`✗ ${word}${how}`);
  return `${mark} in ${shortDuration(durationMs)}: ${oneLine(command)}`;
}

/** A rule across the page, with or without a title in it. */
const isHeading = /^([=_~*#-])\1{3,}(?:.*\1{4,})?$/u;

/** The most useful lines of an output: those that mention a failure, otherwise the last ones. */
export function relevantLines(output: string, maxLines = maxOutputLines): string[] {
  const lines = scrub(output)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '' && !isHeading.test(line));
  const relevant = lines.filter((line) =>
    /✖|✗|not ok|^E {2,}|\b(fail(ed|ure|s|ing)?|\w*errors?|expected)\b/iu.test(line),
  );
  return relevant.length > 0 ? relevant.slice(0, maxLines) : lines.slice(-maxLines);
}

/** How long, until when (local time) and why; the normal delay between iterations is not shown. */
function wait({ until, cause, message }: FactData<'wait.scheduled'>, nowMs: number, paint: Paint): string[] {
  const untilMs = Date.parse(until);
  if (cause === 'delay' || untilMs <= nowMs) return [];
  const text = `${roughDuration(untilMs - nowMs)}, until ${localInstant(untilMs, nowMs)} (${cause}: ${oneLine(message, 120)})`;
  return [row('waiting', paint.warn(text))];
}

function iteration({ status, progress, failure }: FactData<'iteration.finished'>, paint: Paint): string[] {
  if (failure !== undefined) return [row('failed', paint.bad(oneLine(failure.message, 200)))];
  if (status === 'skipped') return [row('skipped', 'abandoned on request')];
  return progress.made === false ? [row('stalled', paint.warn(oneLine(progress.evidence.join(', '), 200)))] : [];
}
