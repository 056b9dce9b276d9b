import type { Command, Script, SimpleCommand, Span } from '../shell/tree.ts';
import type { Rank } from './rank.ts';

/** How the failure of a test command is lost. */
export type LossKind = 'or' | 'sequence' | 'background' | 'if' | 'loop' | 'substitution' | 'option' | 'pipe' | 'trap';

/** A change of a line's text. */
export interface Edit extends Span {
  readonly text: string;
  /** What else is put in, further on. */
  readonly also?: { readonly at: number; readonly text: string };
}

/** Where a failure was lost, and the change that keeps it. */
export interface Loss {
  readonly why: LossKind;
  readonly edit?: Edit | undefined;
}

/** One run in thought: some commands fail, all others succeed. What is found out is kept here. */
export interface Trial {
  readonly line: ReadLine;
  readonly failing: ReadonlySet<SimpleCommand>;
  /** Everything that contains one of them. */
  readonly holders: ReadonlySet<object>;
  /** Whether they fail each time, or only the first time that a loop runs them. */
  readonly fails: 'always' | 'once';
  /** A command failed, and nothing has taken its failure into account yet. */
  isPending: boolean;
  /** From now on everything succeeds. */
  isOver: boolean;
  loss?: Loss;
  /** What the command that ran last was there for. */
  lastRank: Rank;
  /** Files that a failed command wrote to. */
  readonly written: Set<string>;
  readonly runScript: (script: Script, scope: Scope, trial: Trial) => Signal;
  readonly runCommand: (command: Command, scope: Scope, trial: Trial) => Signal;
}

/** A shell while it runs: its options, its variables, and the status of its last command. */
export interface Scope {
  failed: boolean;
  stopsOnError: boolean;
  pipefail: boolean;
  /** Failing ends nothing here: in conditions and on the left of `&&` and `||`. */
  isTolerant: boolean;
  isCondition: boolean;
  /** Runs only because of what happened before: in a branch, or on the right of `||`. */
  isBranch: boolean;
  isLoop: boolean;
  /** Variables that the line sets, and whether they hold the trace of a failure. */
  variables: Map<string, boolean>;
  functions: Map<string, Command>;
  backgroundFailed: boolean;
  pipeFailed: boolean;
  trap?: Script | undefined;
  calls: number;
  /** Turns a change of this shell's text into one of the whole line; nothing where that cannot be done. */
  readonly place: (edit: Edit) => Edit | undefined;
}

/** How a command leaves: to the next one, or out of a loop, a function or the shell. */
export type Signal = 'next' | 'break' | 'return' | 'exit';

/** A line with what was found out about its commands. */
export interface ReadLine {
  readonly source: string;
  readonly script: Script;
  readonly commands: readonly ReadCommand[];
  /** The scripts of `sh -c LINE`, and the text of each. */
  readonly nested: ReadonlyMap<SimpleCommand, NestedShell>;
}

/** A simple command and where it stands. */
export interface ReadCommand {
  readonly command: SimpleCommand;
  readonly rank: Rank;
  readonly holders: readonly object[];
  /** It only decides whether something else runs. */
  readonly isGuard: boolean;
  readonly isBackground: boolean;
}

/** A shell that is given its line as an argument. */
export interface NestedShell {
  readonly source: string;
  readonly script: Script;
  readonly program: Span & { readonly text: string };
  readonly word: Span;
  readonly stopsOnError: boolean;
  readonly pipefail: boolean;
}

/** A shell of its own inside of another: what happens there to variables stays there. */
export function subshellOf(scope: Scope): Scope {
  return { ...scope, variables: new Map(scope.variables), functions: new Map(scope.functions), trap: undefined };
}

/** Notes where a failure was lost. */
export function lose(trial: Trial, scope: Scope, why: LossKind, edit?: Edit): void {
  if (!trial.isPending) return;
  trial.loss = { why, edit: edit === undefined ? undefined : scope.place(edit) };
}

/** Whether a command is a real attempt of its own, and not only a message. */
export function isAttempt(rank: Rank): boolean {
  return rank === 'work' || rank === 'judge' || rank === 'test';
}
