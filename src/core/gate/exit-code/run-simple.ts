import { shellWord } from '../../../base/index.ts';
import { parseShell } from '../shell/line.ts';
import type { SimpleCommand, Word } from '../shell/tree.ts';
import { rankOf, silencers } from './rank.ts';
import { type Edit, type NestedShell, recordLoss, type Scope, type Signal, subshellOf, type Trial } from './trial.ts';

const maxCallDepth = 5;

export function runSimple(command: SimpleCommand, scope: Scope, trial: Trial): Signal {
  const failedBefore = scope.failed;
  const { substitutionFailed, testFailedInside } = substitute([...command.assignments, ...command.words], scope, trial);
  const nested = trial.line.nested.get(command);
  const [name = ''] = command.words.map(({ text }) => text);
  if (command.words.length === 0)
    return assign(command, { failedBefore, substitutionFailed, testFailedInside }, scope, trial);
  trial.lastRank = rankOf(command.words.map(({ text }) => text));
  const called = scope.functions.get(name);
  if (called !== undefined && scope.calls < maxCallDepth) return callFunction(called, scope, trial);
  if (nested !== undefined) return runNested(nested, scope, trial);
  const builtin = builtins[name];
  if (builtin !== undefined) return builtin(command, scope, { failedBefore, trial });
  if (trial.failing.has(command) && !trial.hasRecovered) return failTest(command, scope, trial);
  scope.failed = false;
  if (trial.lastRank === 'judge') judge(command, { failedBefore, substitutionFailed, testFailedInside }, scope, trial);
  else if (substitutionFailed || testFailedInside) recordLoss(trial, scope, 'substitution');
  return 'next';
}

/** The state before a command runs. */
interface Before {
  /** The value of `$?`. */
  readonly failedBefore: boolean;
  /** One of its substitutions `$(…)` failed. */
  readonly substitutionFailed: boolean;
  /** A test failed inside one of them, whether its status shows that or not. */
  readonly testFailedInside: boolean;
}

function substitute(
  words: readonly Word[],
  scope: Scope,
  trial: Trial,
): Pick<Before, 'substitutionFailed' | 'testFailedInside'> {
  const wasPending = trial.isPending;
  const scripts = words.flatMap(({ substitutions }) => substitutions);
  const failed = scripts.map((script) => {
    const inner = { ...subshellOf(scope), stopsOnError: false };
    trial.runScript(script, inner, trial);
    return inner.failed;
  });
  return { substitutionFailed: failed.includes(true), testFailedInside: !wasPending && trial.isPending };
}

function failTest(command: SimpleCommand, scope: Scope, trial: Trial): Signal {
  trial.isPending = true;
  for (const { operator, target } of command.redirections)
    if (operator.includes('>')) trial.writtenFiles.add(target.text);
  const texts = command.words.map(({ text }) => text);
  const [first, ...more] = silencers(texts).flatMap((index) => command.words[index] ?? []);
  scope.failed = first === undefined;
  if (first === undefined) return 'next';
  const isFind = first.text === ';';
  const edit = {
    start: isFind ? first.start : first.start - 1,
    end: more.at(-1)?.end ?? first.end,
    text: isFind ? '+' : '',
  };
  recordLoss(trial, scope, 'option', edit);
  return 'next';
}

function callFunction(body: Parameters<Trial['runCommand']>[0], scope: Scope, trial: Trial): Signal {
  scope.calls += 1;
  const signal = trial.runCommand(body, scope, trial);
  scope.calls -= 1;
  return signal === 'return' ? 'next' : signal;
}

function runNested(shell: NestedShell, scope: Scope, trial: Trial): Signal {
  const toLineEdit = (edit: Edit) => {
    const text = shellWord(applyEdit(shell.source, edit));
    return scope.toLineEdit({ start: shell.word.start, end: shell.word.end, text });
  };
  const inner: Scope = { ...newScope(toLineEdit), stopsOnError: shell.stopsOnError, pipefail: shell.pipefail };
  trial.runScript(shell.script, inner, trial);
  finish(inner, trial);
  if (trial.loss?.kind === 'pipe' && trial.isPending && !inner.failed) {
    const text = `bash -o pipefail -c ${shellWord(shell.source)}`;
    recordLoss(trial, scope, 'pipe', { start: shell.program.start, end: shell.word.end, text });
  }
  scope.failed = inner.failed;
  return 'next';
}

/** The state of a newly started shell. */
export function newScope(toLineEdit: Scope['toLineEdit']): Scope {
  return {
    failed: false,
    stopsOnError: false,
    pipefail: false,
    ignoresFailure: false,
    isCondition: false,
    isBranch: false,
    isLoop: false,
    variables: new Map(),
    functions: new Map(),
    backgroundFailed: false,
    pipeFailed: false,
    calls: 0,
    toLineEdit,
  };
}

/** Runs `trap … EXIT` at the end of a shell. */
export function finish(scope: Scope, trial: Trial): void {
  if (scope.trap === undefined) return;
  const inner = { ...scope, trap: undefined, stopsOnError: false };
  const signal = trial.runScript(scope.trap, inner, trial);
  if (signal === 'exit' && scope.failed && !inner.failed) recordLoss(trial, scope, 'trap');
  if (signal === 'exit') scope.failed = inner.failed;
}

export function applyEdit(source: string, { start, end, text, also = { at: end, text: '' } }: Edit): string {
  return source.slice(0, start) + text + source.slice(end, also.at) + also.text + source.slice(also.at);
}

function assign(
  { assignments }: SimpleCommand,
  { failedBefore, substitutionFailed, testFailedInside }: Before,
  scope: Scope,
  trial: Trial,
): Signal {
  for (const { text, substitutions } of assignments) {
    const [, name = '', value = ''] = /^(\w+)[^=]*=(.*)$/s.exec(text) ?? [];
    const isFixed = /^(?:0|false|no|ok|)$/.test(value);
    const holdsFailure = value.includes('$?')
      ? failedBefore
      : value.includes('PIPESTATUS')
        ? scope.pipeFailed
        : value === '$!'
          ? scope.backgroundFailed
          : substitutions.length > 0
            ? substitutionFailed || testFailedInside
            : !isFixed && ((scope.isBranch && trial.isPending) || usesFailure(value, scope));
    scope.variables.set(name, holdsFailure);
  }
  scope.failed = substitutionFailed;
  trial.lastRank = 'plain';
  return 'next';
}

/** For each variable of the line that a text uses: whether it holds a failure. */
function usedVariables(text: string, { variables }: Scope): readonly boolean[] {
  const names = [...text.matchAll(/\b[A-Za-z_]\w*/g)].map(([name]) => name);
  return names.flatMap((name) => variables.get(name) ?? []);
}

function usesFailure(text: string, scope: Scope): boolean {
  return text.includes('$') && usedVariables(text, scope).includes(true);
}

/** Whether a value is not zero: `$?`, `$code`, `1`. */
function isNonZero(text: string, failedBefore: boolean, scope: Scope): boolean {
  if (/^\d+$/.test(text)) return Number(text) !== 0;
  if (text.includes('PIPESTATUS')) return scope.pipeFailed;
  return text.includes('$?') ? failedBefore : usesFailure(text, scope);
}

/** `[ $? -ne 0 ]`, `test "$code" = 0`, `grep -q ok log`: a judge that inspects what a test left behind. */
function judge(
  { words }: SimpleCommand,
  { failedBefore, substitutionFailed, testFailedInside }: Before,
  scope: Scope,
  trial: Trial,
): void {
  const texts = words.map(({ text }) => text);
  if (substitutionFailed || testFailedInside || texts.some((text) => trial.writtenFiles.has(text)))
    trial.isPending = false;
  else compare(texts.join(' '), failedBefore, scope);
}

/** Decides a comparison with a status or with a variable of the line; any other succeeds. */
export function compare(text: string, failedBefore: boolean, scope: Scope): void {
  const values = [...(text.includes('$?') ? [failedBefore] : []), ...usedVariables(text, scope)];
  if (values.length === 0) return;
  const holdsFailure = values.includes(true);
  const wantsZero = /(?:-eq|==?|-le)\s*"?0\b|-z\s|(?:-lt)\s*"?1\b/.test(text);
  // "[ $code = 5 ]" tests for one code of many: assume a different one.
  const wantsOther = /(?:-eq|==?)\s*"?(?:[2-9]|\d\d)/.test(text);
  scope.failed = wantsZero ? holdsFailure : wantsOther || !holdsFailure;
}

interface BuiltinCall {
  readonly failedBefore: boolean;
  readonly trial: Trial;
}

type Builtin = (command: SimpleCommand, scope: Scope, call: BuiltinCall) => Signal;

const leave =
  (signal: Signal): Builtin =>
  ({ words }, scope, { failedBefore }) => {
    const [, code] = words;
    scope.failed = code === undefined ? failedBefore : isNonZero(code.text, failedBefore, scope);
    return signal;
  };

const succeed: Builtin = (_command, scope) => {
  scope.failed = false;
  return 'next';
};

const builtins: Readonly<Record<string, Builtin>> = {
  exit: leave('exit'),
  return: leave('return'),
  true: succeed,
  ':': succeed,
  false: (_command, scope) => {
    scope.failed = true;
    return 'next';
  },
  break: (_command, scope) => {
    scope.failed = false;
    return 'break';
  },
  wait: ({ words }, scope, { trial }) => {
    scope.failed = words.length > 1 && scope.backgroundFailed;
    if (scope.failed) trial.isPending = true;
    return 'next';
  },
  set: ({ words }, scope) => {
    for (const [index, { text }] of words.entries()) {
      const isOn = text.startsWith('-');
      if (/^[-+][a-zA-Z]*e/.test(text)) scope.stopsOnError = isOn;
      const option = /^[-+][a-zA-Z]*o$/.test(text) ? words[index + 1]?.text : undefined;
      if (option === 'errexit') scope.stopsOnError = isOn;
      if (option === 'pipefail') scope.pipefail = isOn;
    }
    scope.failed = false;
    return 'next';
  },
  trap: ({ words }, scope) => {
    const [, body, ...signals] = words.map(({ text }) => text);
    if (body !== undefined && signals.some((signal) => /^(?:EXIT|0)$/.test(signal)))
      scope.trap = parseShell(body).script;
    scope.failed = false;
    return 'next';
  },
};
