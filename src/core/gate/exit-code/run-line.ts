import type { Command, Conditional, Item, Loop, Pipeline, Script } from '../shell/tree.ts';
import { baseName, judgesInput, rankOf } from './rank.ts';
import { compare, finish, newScope, runSimple } from './run-simple.ts';
import {
  type Edit,
  isAttempt,
  type Loss,
  type ReadCommand,
  type ReadLine,
  recordLoss,
  type Scope,
  type Signal,
  subshellOf,
  type Trial,
} from './trial.ts';

interface Assumption {
  readonly failing: readonly ReadCommand[];
  readonly fails: Trial['fails'];
  readonly pipefail: boolean;
}

/** Simulates a line: how it hides the failure of its commands; undefined when it fails too or handles the failure. */
export function lossOf(line: ReadLine, { failing, fails, pipefail }: Assumption): Loss | undefined {
  const trial: Trial = {
    line,
    failing: new Set(failing.map(({ command }) => command)),
    ancestors: new Set(failing.flatMap(({ ancestors }) => ancestors)),
    fails,
    isPending: false,
    hasRecovered: false,
    lastRank: 'plain',
    writtenFiles: new Set(),
    runScript,
    runCommand,
  };
  const scope = { ...newScope((edit) => edit), pipefail };
  runScript(line.script, scope, trial);
  finish(scope, trial);
  if (scope.failed || !trial.isPending) return undefined;
  return trial.loss ?? { kind: 'sequence' };
}

function runScript(script: Script, scope: Scope, trial: Trial): Signal {
  for (const [index, item] of script.items.entries()) {
    const failedBefore = scope.failed;
    if (item.isBackground) {
      runInBackground(item, script.items[index + 1], scope, trial);
      continue;
    }
    const signal = runItem(item, scope, trial);
    const previous = script.items[index - 1];
    if (failedBefore && !scope.failed && previous !== undefined && !previous.isBackground) {
      recordLoss(trial, scope, 'sequence', joinEdit(script, index, { scope, trial }));
    }
    if (signal !== 'next') return signal;
  }
  return 'next';
}

function runInBackground(item: Item, next: Item | undefined, scope: Scope, trial: Trial): void {
  const inner = subshellOf(scope);
  runItem(item, inner, trial);
  scope.failed = false;
  scope.backgroundFailed = inner.failed;
  if (!inner.failed) return;
  const isWait = next !== undefined && firstWords(next.first).join(' ') === 'wait';
  const edit =
    next === undefined || isWait ? { end: next?.end ?? item.end + 2, text: '' } : { end: next.start, text: ' && ' };
  recordLoss(trial, scope, 'background', { start: item.end, ...edit });
}

const noOperations: ReadonlySet<string> = new Set(['true', ':', 'exit 0', 'exit', 'wait']);
const prints = /^(?:echo|printf|date|cat|ls|head|tail|tput|pwd)$/;

/** Joins an item to the one before it so that the failure of the latter counts: with `&&`, or by keeping its exit code. */
function joinEdit(
  script: Script,
  index: number,
  { scope, trial }: { readonly scope: Scope; readonly trial: Trial },
): Edit {
  const previous = script.items[index - 1];
  const start = previous?.end ?? script.start;
  const rest = script.items.slice(index);
  const [next] = rest;
  const isIdle = (item: Item) => item.rest.length === 0 && noOperations.has(firstWords(item.first).join(' '));
  if (rest.every(isIdle) || next === undefined) return { start, end: script.end, text: '' };
  const program = baseName(firstWords(next.first)[0] ?? '');
  // "npm test; test -f done" means both: the last command judges the line too.
  const last = next.rest.at(-1)?.pipeline ?? next.first;
  const judgesLast = rest.length === 1 && rankOf(firstWords(last)) === 'judge';
  const isTest = trial.line.commands.some(({ rank, ancestors }) => rank === 'test' && ancestors.includes(next));
  const isJudged = prints.test(program) || judgesLast || isTest;
  if (isJudged || scope.isLoop) return { start, end: next.start, text: ' && ' };
  return { start, end: next.start, text: '; code=$?; ', also: { at: script.end, text: '; exit $code' } };
}

function firstWords({ stages: [first] }: Pipeline): readonly string[] {
  return first?.kind === 'simple' ? first.words.map(({ text }) => text) : [];
}

function runItem(item: Item, scope: Scope, trial: Trial): Signal {
  const { ignoresFailure, isBranch } = scope;
  let signal = runPart(item.first, { ignoresFailure, next: item.rest[0] }, scope, trial);
  let end = item.first.end;
  for (const [index, { operator, pipeline }] of item.rest.entries()) {
    if (signal !== 'next') break;
    // Reach the failing command even where everything before it would succeed.
    const isReached = !trial.isPending && trial.ancestors.has(pipeline);
    if (operator === '&&' ? !scope.failed : scope.failed || isReached) {
      const hides = operator === '||' && scope.failed && trial.isPending;
      trial.lastRank = 'plain';
      scope.isBranch = true;
      signal = runPart(pipeline, { ignoresFailure, next: item.rest[index + 1] }, scope, trial);
      scope.isBranch = isBranch;
      // Where the failing command is part of the attempt itself, its failure is what was hidden.
      if (hides && !scope.failed && !trial.ancestors.has(pipeline)) {
        if (isAttempt(trial.lastRank) && signal === 'next') trial.isPending = false;
        else recordLoss(trial, scope, 'or', { start: end, end: pipeline.end, text: '' });
      }
    }
    end = pipeline.end;
  }
  return signal;
}

interface PartPlace {
  readonly ignoresFailure: boolean;
  /** The part to its right. */
  readonly next: Item['rest'][number] | undefined;
}

/** Runs one part of a list; with `set -e` the shell exits when the last one fails. */
function runPart(pipeline: Pipeline, { ignoresFailure, next }: PartPlace, scope: Scope, trial: Trial): Signal {
  const isLast = next === undefined;
  scope.ignoresFailure = ignoresFailure || !isLast || pipeline.isNegated;
  const wasPending = trial.isPending;
  const signal = runPipeline(pipeline, scope, trial);
  scope.ignoresFailure = ignoresFailure;
  // "! exit 1" exits with 1: there is no status left to negate.
  if (pipeline.isNegated && signal !== 'next') return signal;
  if (pipeline.isNegated) {
    // "! npm test" expects a failure: the test itself is negated, not its exit code.
    const isOwn = !wasPending && trial.isPending && scope.failed && !scope.isCondition;
    if (!isOwn || exitsNext(next)) scope.failed = !scope.failed;
    return signal;
  }
  const stops = scope.stopsOnError && scope.failed && isLast && !ignoresFailure;
  return stops && signal === 'next' ? 'exit' : signal;
}

/** "! npm test && exit 1" */
function exitsNext(next: Item['rest'][number] | undefined): boolean {
  if (next === undefined || next.operator !== '&&') return false;
  const [stage] = next.pipeline.stages;
  const last = stage?.kind === 'group' ? stage.body.items.at(-1)?.first : next.pipeline;
  return last !== undefined && /^(?:exit|return|false)$/.test(firstWords(last)[0] ?? '');
}

function runPipeline({ stages, start, end }: Pipeline, scope: Scope, trial: Trial): Signal {
  const [only] = stages;
  if (stages.length === 1 && only !== undefined) return runCommand(only, scope, trial);
  const failed = stages.map((stage) => {
    const inner = { ...subshellOf(scope), failed: false };
    runCommand(stage, inner, trial);
    return inner.failed;
  });
  const isFailed = failed.includes(true);
  const last = stages.at(-1);
  const words = last?.kind === 'simple' ? last.words.map(({ text }) => text) : [];
  if (isFailed) for (const file of stages.flatMap(teeFiles)) trial.writtenFiles.add(file);
  scope.pipeFailed = isFailed;
  scope.failed = scope.pipefail ? isFailed : failed.at(-1) === true;
  if (isFailed && !scope.failed) {
    if (judgesInput(words)) trial.isPending = false;
    else recordLoss(trial, scope, 'pipe', { start, end, text: '' });
  }
  return 'next';
}

function teeFiles(command: Command): readonly string[] {
  if (command.kind !== 'simple' || command.words[0]?.text !== 'tee') return [];
  return command.words.slice(1).map(({ text }) => text);
}

function runCommand(command: Command, scope: Scope, trial: Trial): Signal {
  switch (command.kind) {
    case 'simple':
      return runSimple(command, scope, trial);
    case 'group': {
      const inner = command.isSubshell ? subshellOf(scope) : scope;
      const signal = runScript(command.body, inner, trial);
      if (command.isSubshell) finish(inner, trial);
      scope.failed = inner.failed;
      if (trial.isPending) for (const { target } of command.redirections) trial.writtenFiles.add(target.text);
      return command.isSubshell ? 'next' : signal;
    }
    case 'if':
      return runIf(command, scope, trial);
    case 'loop':
      return command.condition === undefined
        ? runTwice(command, scope, trial)
        : runWhile(command, command.condition, scope, trial);
    case 'case':
      return runCase(command.bodies, scope, trial);
    case 'function':
      scope.functions.set(command.name, command.body);
      scope.failed = false;
      return 'next';
    case 'arithmetic':
      return runArithmetic(command.text, scope, trial);
  }
}

function runArithmetic(text: string, scope: Scope, trial: Trial): Signal {
  const failedBefore = scope.failed;
  const changed = /(\w+)\s*(?:\+\+|\+=|\|=|=(?!=))|\+\+\s*(\w+)/.exec(text);
  scope.failed = false;
  if (changed === null) compare(text, failedBefore, scope);
  else scope.variables.set(changed[1] ?? changed[2] ?? '', scope.isBranch && trial.isPending);
  return 'next';
}

/** Runs a condition: `set -e` ignores its failure. */
function runCondition(condition: Script, scope: Scope, trial: Trial): Signal {
  const { ignoresFailure, isCondition } = scope;
  Object.assign(scope, { ignoresFailure: true, isCondition: true });
  const signal = runScript(condition, scope, trial);
  Object.assign(scope, { ignoresFailure, isCondition });
  return signal;
}

function runBranch(body: Script, scope: Scope, trial: Trial): Signal {
  const { isBranch } = scope;
  scope.isBranch = true;
  const signal = runScript(body, scope, trial);
  scope.isBranch = isBranch;
  return signal;
}

function runIf({ branches, otherwise, end }: Conditional, scope: Scope, trial: Trial): Signal {
  const holder = [...branches.map(({ body }) => body), otherwise].find(
    (body) => body !== undefined && trial.ancestors.has(body),
  );
  const isTried = branches.some(({ condition }) => trial.ancestors.has(condition));
  for (const { condition, body } of branches) {
    const signal = runCondition(condition, scope, trial);
    if (signal !== 'next') return signal;
    const takes = holder === undefined || isTried ? !scope.failed : holder === body;
    if (takes) return runHiding(body, end, scope, trial);
  }
  if (otherwise !== undefined) return runHiding(otherwise, end, scope, trial);
  scope.failed = false;
  recordLoss(trial, scope, 'if', { start: end - 2, end: end - 2, text: 'else exit 1; ' });
  return 'next';
}

/** Runs the branch that a condition selects. It may hide that the condition is a failed test. */
function runHiding(body: Script, end: number, scope: Scope, trial: Trial): Signal {
  const hides = trial.isPending;
  trial.lastRank = 'plain';
  scope.failed = false;
  const signal = runBranch(body, scope, trial);
  if (!hides || scope.failed) return signal;
  if (isAttempt(trial.lastRank) && signal === 'next') trial.isPending = false;
  else recordLoss(trial, scope, 'if', { start: end - 2, end: end - 2, text: 'exit 1; ' });
  return signal;
}

/** Runs a loop twice: what fails in the first round may succeed in the second. */
function runTwice({ body }: Loop, scope: Scope, trial: Trial): Signal {
  scope.failed = false;
  const isOuter = !scope.isLoop;
  scope.isLoop = true;
  const signal = runRounds(body, scope, trial);
  if (isOuter) scope.isLoop = false;
  return signal;
}

function runRounds(body: Script, scope: Scope, trial: Trial): Signal {
  const signal = runBranch(body, scope, trial);
  if (signal !== 'next') return signal === 'break' ? 'next' : signal;
  const failedFirst = scope.failed;
  if (trial.isPending && trial.fails === 'once') trial.hasRecovered = true;
  const second = runBranch(body, scope, trial);
  // "for i in 1 2 3; do npm test && break; done" retries until it passes.
  if (second === 'break' && trial.hasRecovered && !scope.failed) trial.isPending = false;
  if (failedFirst && !scope.failed) recordLoss(trial, scope, 'loop', afterTest(body, trial));
  return second === 'break' ? 'next' : second;
}

function afterTest(body: Script, { ancestors }: Trial): Edit | undefined {
  const item = body.items.find((each) => ancestors.has(each));
  return item === undefined ? undefined : { start: item.end, end: item.end, text: ' || exit 1' };
}

function runWhile(loop: Loop, condition: Script, scope: Scope, trial: Trial): Signal {
  const wasPending = trial.isPending;
  const signal = runCondition(condition, scope, trial);
  if (signal !== 'next') return signal;
  const isTried = !wasPending && trial.isPending;
  const holds = (loop.keyword === 'until') === scope.failed;
  if (!isTried) return runTwice(loop, scope, trial);
  scope.failed = false;
  if (holds) {
    const inside = runBranch(loop.body, scope, trial);
    if (inside === 'next') {
      // The loop continues until the test passes.
      trial.isPending = false;
      scope.failed = trial.fails === 'always';
      return 'next';
    }
    if (inside !== 'break') return inside;
  }
  recordLoss(trial, scope, 'loop');
  return 'next';
}

function runCase(bodies: readonly Script[], scope: Scope, trial: Trial): Signal {
  const body = bodies.find((each) => trial.ancestors.has(each)) ?? bodies[0];
  scope.failed = false;
  return body === undefined ? 'next' : runBranch(body, scope, trial);
}
