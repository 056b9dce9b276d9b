import path from 'node:path';
import type { InspectedIteration } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import { type AttemptAccount, describeEnding, lastAttempt } from '../../core/index.ts';
import { changedAmount } from '../words/changes.ts';
import { judgementTexts } from '../words/judgement.ts';
import { worktreeText } from '../words/worktree.ts';
import { columnLines } from './columns.ts';
import { checkText, relevantLines, usageText } from './fact-lines.ts';
import { localInstant } from './instants.ts';
import { patchLines } from './patch-lines.ts';
import { oneLine, shortDuration, wrapLine, wrapPath } from './plain.ts';
import type { Canvas } from './rule-lines.ts';
import { hintText } from './test-rows.ts';

/** How much of the iteration to show, and for what time. */
export interface InspectOptions extends Canvas {
  readonly cwd: string;
  readonly nowMs: number;
  readonly wholePrompt: boolean;
  /** A worker on another machine drives the loop: what is not here is there. */
  readonly isElsewhere?: boolean;
}

const widest = 110;
const promptLines = 6;
const wordLines = 12;
const checkLines = 8;
const maxFiles = 40;
const maxNames = 6;

/** One iteration for a person. */
export function inspectLines(found: InspectedIteration, options: InspectOptions): string[] {
  const { paint } = options;
  const width = Math.min(options.width, widest);
  const canvas = { paint, width };
  const { account, loopId } = found;
  const last = lastAttempt(account);
  const titled = (title: string, lines: readonly string[]) => {
    const [first = '', ...rest] = wrapPath(title, width - 4);
    const heading = [first, ...rest.map((line) => `  ${line}`)].map((line) => paint.dim(`  ${line}`));
    return lines.length === 0 ? [] : ['', ...heading, ...lines.map((line) => `  ${line}`)];
  };
  return [
    `${paint.bold(`iteration ${account.iteration}`)} of ${loopId}`,
    ...(found.worktree === undefined ? [] : labelled('worktree', worktreeText(found.worktree), canvas)),
    ...judgementTexts(found).flatMap((text, index) => labelled(index === 0 ? 'judged' : '', text, canvas)),
    ...attemptRows(found, options).flatMap(([name, value]) => labelled(name, value, canvas)),
    ...titled(promptTitle(found, options), promptText(found, options, width)),
    ...titled('what the agent did', activityLines(found, canvas)),
    ...titled("the agent's last words", quoted(found.activity?.lastWords ?? '', width, wordLines)),
    ...titled('changes', changeLines(found, { ...options, ...canvas })),
    ...titled('checks', last?.gate === undefined ? [] : gateLines(found, last.gate, canvas)),
  ];
}

function labelled(name: string, value: string, { paint, width }: Canvas): string[] {
  const lines = wrapLine(oneLine(value, 600), width - 12);
  return lines.map((line, index) => `  ${paint.dim((index === 0 ? name : '').padEnd(9))} ${line}`);
}

function attemptRows(
  { account }: InspectedIteration,
  { nowMs }: InspectOptions,
): readonly (readonly [string, string])[] {
  const { attempts, finished } = account;
  const last = lastAttempt(account);
  if (last === undefined) return [];
  const { run, gate, startedAt, session, guidance, hooks, conditions } = last;
  const parts = [
    ...(run === undefined ? [] : [`agent ${shortDuration(run.durationMs)}`]),
    ...(gate === undefined ? [] : [`checks ${shortDuration(gate.durationMs)}`]),
  ];
  const took = finished === undefined ? '' : `, took ${shortDuration(finished.durationMs)}`;
  const usage = usageText(run?.usage);
  const sessionId = run?.sessionId === undefined ? '' : ` ${run.sessionId}`;
  return [
    [
      'started',
      `${localInstant(Date.parse(startedAt), nowMs)}${took}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`,
    ],
    ...attempts.slice(0, -1).map((each) => ['attempt', attemptText(each)] as const),
    ...(run === undefined
      ? []
      : [['agent', `${describeEnding(run.ending)}${run.model === undefined ? '' : `, ${run.model}`}`] as const]),
    ...(run?.error === undefined ? [] : [['error', run.error] as const]),
    ['session', `${session === 'fresh' ? 'new' : 'continued'}${sessionId}`],
    ...(guidance === 0 ? [] : [['guidance', `${guidance} in its prompt`] as const]),
    ...(usage === undefined ? [] : [['used', usage] as const]),
    ...(run?.testHints === undefined ? [] : [['hint', hintText(run.testHints)] as const]),
    ...hooks.map(({ name, ok, durationMs, error }) => {
      const result = ok ? 'ok' : `failed${error === undefined ? '' : `: ${error}`}`;
      return ['hook', `${name}: ${result} in ${shortDuration(durationMs)}`] as const;
    }),
    ...conditions.map(({ key, met, detail }) => {
      const result = met === null ? 'unknown' : met ? 'met' : 'not met';
      return ['condition', `${key}: ${result}${detail === undefined ? '' : ` (${detail})`}`] as const;
    }),
  ];
}

function attemptText({ attempt, interrupted, run }: AttemptAccount): string {
  const why = interrupted === undefined ? 'has no result' : `${interrupted.cause}: ${interrupted.message}`;
  const time = run === undefined ? '' : `ran ${shortDuration(run.durationMs)} and `;
  return `${attempt} ${time}did not count: ${why}`;
}

function promptTitle({ prompt }: InspectedIteration, { cwd }: InspectOptions): string {
  return prompt === null ? 'prompt' : `prompt: ${scrub(path.relative(cwd, prompt.file))}`;
}

function promptText(
  { prompt }: InspectedIteration,
  { wholePrompt, isElsewhere = false }: InspectOptions,
  width: number,
): string[] {
  if (prompt === null) return [isElsewhere ? 'It is on the machine of its worker.' : 'It was removed.'];
  if (!wholePrompt) return quoted(prompt.text, width, promptLines, '--prompt shows all');
  const text = scrub(prompt.text).replace(/\n$/, '');
  const rest = prompt.bytes - Buffer.byteLength(prompt.text);
  return [...text.split('\n').map((line) => `│ ${line}`), ...(rest > 0 ? [`… ${rest} more bytes`] : [])];
}

/** Quoted text: the prefix keeps its lines from passing as ours. */
function quoted(text: string, width: number, maxLines: number, hint?: string): string[] {
  const lines = scrub(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => wrapLine(line.trimEnd(), width - 4));
  const left = lines.length - maxLines;
  const more = left > 0 ? [`… ${left} more lines${hint === undefined ? '' : `; ${hint}`}`] : [];
  return [...lines.slice(0, maxLines).map((line) => `│ ${line}`), ...more];
}

function activityLines({ activity, loopId, account }: InspectedIteration, { paint, width }: Canvas): string[] {
  if (activity === null) return [];
  const { reportsTools, toolCalls, failedCalls, deniedCalls, tools, newestCalls, troubles } = activity;
  const counts = [
    `${toolCalls} ${toolCalls === 1 ? 'tool call' : 'tool calls'}`,
    ...(failedCalls === 0 ? [] : [`${failedCalls} failed`]),
    ...(deniedCalls === 0 ? [] : [`${deniedCalls} denied`]),
  ].join(', ');
  const names = tools.slice(0, maxNames).map(({ name, calls }) => `${name} ${calls}`);
  const summary = reportsTools
    ? `${counts}${names.length === 0 ? '' : `: ${names.join(', ')}`}`
    : 'This agent does not report its tool calls.';
  const marks = { true: paint.good('✓'), false: paint.bad('✗'), null: paint.dim('→') };
  const hidden = toolCalls - newestCalls.length;
  return [
    ...wrapLine(oneLine(summary, 300), width - 4),
    ...(hidden > 0
      ? [paint.dim(`… ${hidden} earlier; ralphd logs ${loopId} ${account.iteration} --tools shows all`)]
      : []),
    ...newestCalls.map(({ name, detail = '', ok }) => `${marks[`${ok}`]} ${oneLine(`${name} ${detail}`, width - 6)}`),
    ...troubles.map((text) => `${paint.warn('!')} ${oneLine(text, width - 6)}`),
  ];
}

function changeLines({ changes: shown }: InspectedIteration, { paint, width, isElsewhere }: InspectOptions): string[] {
  if (shown === undefined || !shown.changes.known) return ['unknown'];
  const { changes, files, patch } = shown;
  const head = changes.headMoved ? '; HEAD moved' : '';
  return [
    `${changedAmount(changes.count, changes.lines)}${head}`,
    ...(files === undefined || files === null ? listedFiles(changes, width) : statLines(files, width)),
    ...(files === null ? [paint.warn(`The changed lines are not available${whyNoDiff(isElsewhere)}`)] : []),
    ...(files && patch === undefined && files.length > 0 ? [paint.dim('--diff shows the lines')] : []),
    ...(patch === undefined || patch === null ? [] : patchLines(patch, { paint, width })),
  ];
}

function whyNoDiff(isElsewhere = false): string {
  return isElsewhere ? ' here: the diffs are on the machine of its worker.' : ': the stored diffs were removed.';
}

type Shown = NonNullable<InspectedIteration['changes']>;

function statLines(files: NonNullable<Shown['files']>, width: number): string[] {
  const shown = files.slice(0, maxFiles);
  const cell = (count: number | null, sign: string) => (count === null ? 'not text' : `${sign}${count}`);
  const rows = columnLines(
    [
      { title: '', cells: shown.map(({ path }) => oneLine(path, 200)), rank: 0, isFlexible: true },
      { title: '', cells: shown.map(({ added }) => (added === null ? '' : cell(added, '+'))), rank: 1, isRight: true },
      { title: '', cells: shown.map(({ removed }) => cell(removed, '−')), rank: 2, isRight: true },
    ],
    Math.min(width - 4, 100),
  ).slice(1);
  return files.length > maxFiles ? [...rows, `and ${files.length - maxFiles} more files`] : [...rows];
}

function listedFiles({ modified, created, deleted, count }: Shown['changes'], width: number): string[] {
  const all = [
    ...modified.map((file) => `M ${file}`),
    ...created.map((file) => `A ${file}`),
    ...deleted.map((file) => `D ${file}`),
  ];
  const lines = all.slice(0, maxFiles).map((line) => oneLine(line, width - 4));
  return count > lines.length ? [...lines, `and ${count - lines.length} more files`] : lines;
}

function gateLines(
  { account, tests }: InspectedIteration,
  gate: NonNullable<AttemptAccount['gate']>,
  { paint, width }: Canvas,
): string[] {
  const wrap = (text: string) => wrapLine(oneLine(text, 500), width - 4);
  return [
    ...gate.checks.flatMap((check) => [
      checkText(check, paint),
      ...(check.verdict === 'passed'
        ? []
        : relevantLines(check.output, checkLines).map((line) => paint.dim(`  | ${oneLine(line, width - 8)}`))),
    ]),
    ...testLines(gate.tests, account.testsBefore),
    ...named('fixed', tests.fixed, width),
    ...named('broken', tests.broken, width),
    ...(gate.tampered ?? []).map((file) =>
      paint.bad(oneLine(`${file} was changed, so the checks prove nothing`, width - 4)),
    ),
    ...(gate.doubts ?? []).map((file) => paint.warn(oneLine(`${file} was changed and affects the checks`, width - 4))),
    ...(gate.editedTests ?? []).map((file) =>
      paint.warn(oneLine(`${file} is an existing test and was changed`, width - 4)),
    ),
    ...(gate.warnings ?? []).flatMap((warning) => wrap(warning).map(paint.warn)),
    ...(gate.obstacle === undefined ? [] : wrap(`${gate.obstacle.message} ${gate.obstacle.fix}`).map(paint.warn)),
  ];
}

type Counts = NonNullable<AttemptAccount['gate']>['tests'];

function testLines(now: Counts, before: Counts): string[] {
  if (now === undefined) return [];
  const was = before === undefined ? '' : `; ${before.passed} of ${before.total} before`;
  return [
    `${now.passed} of ${now.total} ${now.total === 1 ? 'test' : 'tests'} passed (${oneLine(now.framework)})${was}`,
  ];
}

function named(what: string, names: readonly string[], width: number): string[] {
  if (names.length === 0) return [];
  const rest = names.length - maxNames;
  const shown = names.slice(0, maxNames).join(', ');
  return [...wrapLine(oneLine(`${what}: ${shown}${rest > 0 ? `, and ${rest} more` : ''}`, 500), width - 4)];
}
