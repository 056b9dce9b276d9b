import path from 'node:path';
import type { SignIn } from '../../app/index.ts';
import { formatDuration, scrub } from '../../base/index.ts';
import { amountText, boundOf, configuredMode, describeSchedule, guardNames, type Loop } from '../../core/index.ts';
import { type CheckCommand, limitsToShow, protectionOf, provenanceOf } from '../../protocol/index.ts';
import { breakpointsText } from '../words/breakpoints.ts';
import { resourceTexts } from '../words/resources.ts';
import { sandboxText } from '../words/sandbox.ts';
import { worktreeText } from '../words/worktree.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './plain.ts';

/** The opening lines of a run: the task, the agent, what completes it, and its limits. */
export function openingLines(loop: Loop, { folder, cwd, paint, signIn, isEncrypted }: OpeningView): string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['task', oneLine(loop.origin.task, 100)],
    ['agent', agentOf(loop)],
    ...paidBy(signIn),
    ...sandboxRow(loop),
    ...worktreeRow(loop),
    ['done', doneWhen(loop)],
    ...criteriaRows(loop),
    ...guardedBy(loop),
    ...hooksOf(loop),
    ...conditionsOf(loop),
    ['limits', limitsOf(loop)],
    ...executionOf(loop),
    ...attendanceOf(loop),
    ...scheduleOf(loop),
    ['state', scrub(path.relative(cwd, folder) || folder) + (isEncrypted ? encryptionOf(loop) : '')],
  ];
  const warning =
    loop.gate.checks.length === 0
      ? [paint.warn("  There are no checks: the agent's claim will be accepted without verification.")]
      : [];
  return [
    `${paint.bold('ralphd')} ${paint.note(loop.id)}`,
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(8))} ${value}`),
    ...warning,
  ];
}

/** Where the loop is shown. */
export interface OpeningView {
  readonly folder: string;
  readonly cwd: string;
  readonly paint: Paint;
  readonly isEncrypted: boolean;
  /** How the agent is signed in, as far as it is known. */
  readonly signIn?: SignIn | undefined;
}

function encryptionOf({ config: { persistence } }: Loop): string {
  return persistence.encryptSnapshot ? ', encrypted' : ', encrypted except state.json';
}

function sandboxRow({ config }: Loop): readonly (readonly [string, string])[] {
  const text = sandboxText(config);
  return text === undefined ? [] : [['sandbox', text]];
}

function worktreeRow({ origin: { worktree } }: Loop): readonly (readonly [string, string])[] {
  return worktree === undefined ? [] : [['worktree', worktreeText(worktree)]];
}

function agentOf({ origin: { agent }, config }: Loop): string {
  const model = config.model === undefined ? '' : `, model ${oneLine(config.model)}`;
  const environment = config.env === 'strict' || config.sandbox === 'strict' ? ', strict environment' : '';
  if (agent !== 'command') return `${agent}${model}, permissions: ${config.permissions}${environment}`;
  const command = config.agentCommand === undefined ? '' : showCommand(config.agentCommand);
  const rights = config.sandbox === 'off' ? 'runs with all permissions of this user' : 'runs in a sandbox';
  return `${command} (${rights}${environment})`;
}

function paidBy(signIn: SignIn | undefined): readonly (readonly [string, string])[] {
  if (signIn === undefined || signIn.pays === 'unknown') return [];
  return [['pays', `${signIn.pays} (${scrub(path.basename(signIn.from))})`]];
}

function hooksOf({ config: { hooks } }: Loop): readonly (readonly [string, string])[] {
  const names = hooks.filter(({ enabled }) => enabled).map(({ name }) => name);
  return names.length === 0 ? [] : [['hooks', oneLine(names.join(', '), 120)]];
}

/** The user's own conditions, by what they lead to. */
function conditionsOf({ config: { stopConditions } }: Loop): readonly (readonly [string, string])[] {
  const { stop, success, failure, customScripts, stopOnPatterns } = stopConditions;
  const counts = Object.entries({
    'stop condition': stop.length + customScripts.length,
    'success condition': success.length,
    'failure condition': failure.length,
    'error pattern': stopOnPatterns.length,
  }).filter(([, count]) => count > 0);
  const texts = counts.map(([name, count]) => `${count} ${name}${count === 1 ? '' : 's'}`);
  return texts.length === 0 ? [] : [['rules', texts.join(', ')]];
}

/** The mode, unless the loop runs on its own, and when it changes. */
function attendanceOf({ config }: Loop): readonly (readonly [string, string])[] {
  const mode = configuredMode(config);
  const { breakpoints } = config.ask;
  const texts = [
    ...(mode === 'unattended' && config.modeSchedule.length === 0 ? [] : [mode]),
    ...config.modeSchedule.map(({ at, mode: next, days }) => `${next} at ${at}${days ? ` on ${days.join(', ')}` : ''}`),
    ...(breakpoints.length === 0 ? [] : [breakpointsText(breakpoints)]),
  ];
  return texts.length === 0 ? [] : [['mode', texts.join('; ')]];
}

function executionOf({ config }: Loop): readonly (readonly [string, string])[] {
  const { mode, temperature, seed } = { ...provenanceOf(config) };
  if (mode === undefined) return [];
  return [['runs', seed === undefined ? mode : `${mode}, with temperature ${temperature} and seed ${seed}`]];
}

function scheduleOf({ config: { schedule } }: Loop): readonly (readonly [string, string])[] {
  return schedule === undefined ? [] : [['starts', describeSchedule(schedule)]];
}

function doneWhen({ gate: { checks, foundTest }, config }: Loop): string {
  const claim =
    config.completionPromise === null ? [] : [`the agent prints <promise>${scrub(config.completionPromise)}</promise>`];
  const gate = checks.map((check) => `"${showCommand(check)}" passes${check === foundTest ? ' (found)' : ''}`);
  const how = [
    ...(config.verifyIn === 'tree' ? [] : [`checks run ${config.verifyIn}`]),
    ...(protectionOf(config.protect).mode === 'strict' ? ['with the original tests'] : []),
  ];
  return `${[...claim, ...gate].join(' and ')}${checks.length > 0 && how.length > 0 ? ` (${how.join(', ')})` : ''}`;
}

/** How criteria written as sentences were interpreted. */
function criteriaRows({ gate: { readings = [] } }: Loop): readonly (readonly [string, string])[] {
  return readings.map(({ said, commands }) => {
    const commandLines = commands.map((command) => `"${showCommand(command)}"`).join(' and ');
    return ['read', `"${oneLine(said)}" as ${commandLines}`];
  });
}

function guardedBy({ gate: { guards = [] } }: Loop): readonly (readonly [string, string])[] {
  const { guarded, watched } = guardNames(guards);
  return [
    ...(guarded.length === 0 ? [] : [['guards', oneLine(guarded.join(', '), 120)] as const]),
    ...(watched.length === 0 ? [] : [['watches', oneLine(watched.join(', '), 120)] as const]),
  ];
}

function limitsOf({ config }: Loop): string {
  const limits = limitsToShow.flatMap((limit) => {
    const bound = boundOf(limit, config);
    return bound === undefined ? [] : [amountText(limit, bound)];
  });
  const perIteration = `${formatDuration(config.iteration.timeout)} per iteration`;
  return [...limits, perIteration, ...resourceTexts(config.resources)].join(', ');
}

/** A command as a person would type it. */
function showCommand(command: CheckCommand): string {
  if (typeof command === 'string') return oneLine(command);
  return oneLine(
    command.map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' '),
  );
}
