import { roughDuration, scrub } from '../../base/index.ts';
import { describeEnding, isBrokenBaseline, reportedTokens } from '../../core/index.ts';
import type { Check, FactData, RecordedFact, Verdict } from '../../protocol/index.ts';
import { localInstant } from './instants.ts';
import type { Paint } from './paint.ts';
import { oneLine, shortDuration } from './plain.ts';

const shownOutputLines = 4;

/** What a fact is worth telling a person, line by line; nothing for most. */
export function factLines(fact: RecordedFact, paint: Paint): string[] {
  switch (fact.type) {
    case 'baseline.finished':
      return baseline(fact.data, paint);
    case 'iteration.started':
      return [
        '',
        `${paint.bold(`iteration ${fact.data.iteration}`)}${fact.data.attempt > 1 ? `, attempt ${fact.data.attempt}` : ''}`,
      ];
    case 'hooks.finished':
      return hooks(fact.data, paint);
    case 'agent.finished':
      return agent(fact.data, paint);
    case 'conditions.observed':
      return conditions(fact.data, paint);
    case 'gate.started':
      return asked(fact.data, paint);
    case 'gate.finished':
      return gate(fact.data, paint);
    case 'iteration.finished':
      return iteration(fact.data, paint);
    case 'iteration.interrupted':
      return [row('attempt', paint.warn(`does not count: ${oneLine(fact.data.message, 200)}`))];
    case 'wait.scheduled':
      return wait(fact.data, Date.parse(fact.at), paint);
    case 'reboot.finished':
      return [
        row(
          'reboot',
          fact.data.ok ? `fresh session (${fact.data.cause})` : paint.bad(oneLine(fact.data.message ?? 'failed')),
        ),
      ];
    case 'command.accepted':
      return [
        row(
          'told',
          paint.note(
            fact.data.command === 'interrupt'
              ? `to pause, by ${fact.data.signal ?? 'a signal'}`
              : `to ${fact.data.command}`,
          ),
        ),
      ];
    case 'command.refused':
      return [row('told', paint.warn(`to ${fact.data.command}, but ${oneLine(fact.data.why, 200)}`))];
    case 'stop_rule.triggered':
      return ['', row('stop', paint.bad(`${fact.data.rule}: ${oneLine(fact.data.message, 300)}`))];
    case 'loop.recovered':
      return [
        row('again', paint.warn('the process that drove this loop had died; nothing was lost')),
        ...fact.data.problems.map((problem) => row('', paint.warn(oneLine(problem, 300)))),
      ];
    case 'gate.accepted':
      return fact.data.changed.map((path) => row('accepted', `${oneLine(path)}, as it is now`));
    case 'state.restored':
      return fact.data.what.map((what) => row('restored', paint.warn(oneLine(what, 200))));
    case 'environment.captured':
      return environment(fact.data);
    case 'loop.resumed':
      return [row('again', 'resumed')];
    case 'hooks.started':
    case 'agent.started':
    case 'reboot.started':
    case 'segment.opened':
    case 'loop.started':
    case 'config.changed':
    case 'loop.completing':
    case 'loop.paused':
    case 'loop.ended':
      return [];
  }
}

/** What the sealed checks will get instead of what lies in the work tree, and what it cost. */
function environment({ folders, files, bytes, durationMs }: FactData<'environment.captured'>): string[] {
  const what = folders.length === 0 ? 'no dependency folders' : oneLine(folders.join(', '), 100);
  const size = `${files} ${files === 1 ? 'file' : 'files'}, ${(bytes / 1_000_000).toFixed(1)} MB`;
  return [row('sealed', `checks run with ${what} as they are now (${size}, kept in ${shortDuration(durationMs)})`)];
}

function row(name: string, text: string): string {
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
      row('guard', paint.warn(`${oneLine(path)} is changed by the checks: it is not guarded`)),
    ),
  ];
}

/** What the checks show before any work: nothing to prove yet, what the loop is for, or that no work can pass them. */
function baselineNote({ verdict, checks, obstacle }: FactData<'baseline.finished'>, paint: Paint): string[] {
  if (verdict === 'passed') {
    return [row('', paint.warn('all checks already pass: add one that fails until the task is done'))];
  }
  if (!isBrokenBaseline({ checks, obstacle })) {
    return [row('', paint.dim('does not pass yet; that is what the loop is for'))];
  }
  const output = checks.filter((check) => check.verdict !== 'passed').flatMap((check) => tellingLines(check.output));
  return output.map((line) => row('', paint.dim(`| ${line}`)));
}

function hooks({ results, stop }: FactData<'hooks.finished'>, paint: Paint): string[] {
  const failed = results.filter(({ ok }) => !ok);
  return [
    ...failed.map(({ name, error = 'failed' }) => row('hook', paint.warn(oneLine(`${name}: ${error}`, 200)))),
    ...(stop === undefined
      ? []
      : [row('hook', paint.warn(oneLine(`${stop.hook} asks the loop to stop: ${stop.reason}`, 200)))]),
  ];
}

/** Only what is met, and what could not be told. */
function conditions({ results }: FactData<'conditions.observed'>, paint: Paint): string[] {
  return results
    .filter(({ met }) => met !== false)
    .map(({ key, met, detail = met ? 'met' : 'unknown' }) => {
      const line = oneLine(`${key}: ${detail}`, 200);
      return row('look', met ? line : paint.warn(line));
    });
}

function asked({ conditions: keys }: FactData<'gate.started'>, paint: Paint): string[] {
  return keys === undefined
    ? []
    : [
        row(
          'claim',
          paint.note(
            `nobody claims anything, but ${keys.join(' and ')} ${keys.length === 1 ? 'asks' : 'ask'} for the checks`,
          ),
        ),
      ];
}

function agent(data: FactData<'agent.finished'>, paint: Paint): string[] {
  const { ending, outcome, error, changes, claimed, durationMs, permissionDenials = 0 } = data;
  const worked = outcome === 'completed' ? describeEnding(ending) : paint.bad(describeEnding(ending));
  const changed = changes.known
    ? `${changes.count} ${changes.count === 1 ? 'file' : 'files'} changed`
    : 'changes unknown';
  return [
    row('agent', `${worked} after ${shortDuration(durationMs)}, ${changed}${changes.headMoved ? ', HEAD moved' : ''}`),
    ...used(data, paint),
    ...changedTests(changes.protected?.changed ?? [], paint),
    ...(permissionDenials === 0
      ? []
      : [row('denied', paint.warn(`${permissionDenials} uses of tools; "--permissions" says what it may do`))]),
    ...(error === undefined ? [] : [row('', paint.bad(oneLine(error, 200)))]),
    ...(claimed ? [row('claim', 'says that the task is done')] : []),
  ];
}

function changedTests(paths: readonly string[], paint: Paint): string[] {
  if (paths.length === 0) return [];
  return [row('protect', paint.warn(`changed what was there before: ${oneLine(paths.join(', '), 160)}`))];
}

function used({ usage }: FactData<'agent.finished'>, paint: Paint): string[] {
  const tokens = reportedTokens(usage);
  const parts = [
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(usage?.costUsd === undefined ? [] : [`$${usage.costUsd.toFixed(2)}`]),
    ...(usage?.toolCalls === undefined
      ? []
      : [`${usage.toolCalls} ${usage.toolCalls === 1 ? 'tool call' : 'tool calls'}`]),
    ...(usage?.context === undefined
      ? []
      : [`context ${Math.round((100 * usage.context.used) / usage.context.size)} % full`]),
  ];
  return parts.length === 0 ? [] : [row('used', paint.dim(parts.join(', ')))];
}

function gate(data: FactData<'gate.finished'>, paint: Paint): string[] {
  const { verdict, checks, tampered = [], doubts = [], warnings = [], obstacle } = data;
  const failed = checks.filter((check) => check.verdict !== 'passed');
  return [
    ...checks.map((check) => checkLine(check, paint)),
    ...failed.flatMap(({ output }) => tellingLines(output).map((line) => row('', paint.dim(`| ${line}`)))),
    ...tampered.map((path) =>
      row('tampered', paint.bad(`${oneLine(path)} is not what it was; if that was you: resume with "--accept-gate"`)),
    ),
    ...doubts.map((path) =>
      row('look at', paint.warn(`${oneLine(path)} affects what the checks run, and is not what it was`)),
    ),
    ...warnings.map((warning) => row('warning', paint.warn(oneLine(warning, 200)))),
    ...(obstacle === undefined ? [] : [row('fix', paint.warn(oneLine(obstacle.fix, 200)))]),
    row('verdict', verdictText(verdict, doubts.length > 0, paint)),
  ];
}

function verdictText(verdict: Verdict, isDoubtful: boolean, paint: Paint): string {
  if (verdict === 'unchanged') {
    return paint.warn('not done: no file differs from when the loop began; the agent will be told');
  }
  if (verdict !== 'passed') return paint.warn('not done; the agent will be told why');
  return isDoubtful ? paint.warn('all checks pass, if what is named above is right') : paint.good('all checks pass');
}

function checkLine({ command, verdict, exitCode, durationMs }: Check, paint: Paint): string {
  const how = exitCode === undefined || verdict === 'passed' ? '' : ` (exit ${exitCode})`;
  const word = verdict.replace('_', ' ');
  const mark = verdict === 'passed' ? paint.good(`✓ ${word}`) : paint.bad(`✗ ${word}${how}`);
  return row('check', `${mark} in ${shortDuration(durationMs)}: ${oneLine(command)}`);
}

/** The lines of an output that say most: those that speak of failure, else the last ones. */
function tellingLines(output: string): string[] {
  const lines = scrub(output)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '');
  const telling = lines.filter((line) => /✖|✗|not ok|\b(fail(ed|ure|s|ing)?|errors?|expected)\b/iu.test(line));
  return telling.length > 0 ? telling.slice(0, shownOutputLines) : lines.slice(-shownOutputLines);
}

/** How long, until when by the user's own clock, and why; the pause between two iterations is not worth a line. */
function wait({ until, cause, message }: FactData<'wait.scheduled'>, nowMs: number, paint: Paint): string[] {
  const untilMs = Date.parse(until);
  if (cause === 'delay' || untilMs <= nowMs) return [];
  const text = `${roughDuration(untilMs - nowMs)}, until ${localInstant(untilMs, nowMs)} (${cause}: ${oneLine(message, 120)})`;
  return [row('waits', paint.warn(text))];
}

function iteration({ status, progress, failure }: FactData<'iteration.finished'>, paint: Paint): string[] {
  if (failure !== undefined) return [row('failed', paint.bad(oneLine(failure.message, 200)))];
  if (status === 'skipped') return [row('skipped', 'given up on request')];
  return progress.made === false ? [row('stalled', paint.warn(oneLine(progress.evidence.join(', '), 200)))] : [];
}
