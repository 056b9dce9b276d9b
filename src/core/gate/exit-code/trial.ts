import type { Command, Script, SimpleCommand, Span } from '../shell/tree.ts';
import type { Rank } from './rank.ts';

/** The construct that hides the failure of a test command. */
export type LossKind = 'or' | 'sequence' | 'background' | 'if' | 'loop' | 'substitution' | 'option' | 'pipe' | 'trap';

/** Replaces a span of a line. */
export interface Edit extends Span {
  readonly text: string;
  /** A second insertion, further to the right. */
  readonly also?: { readonly at: number; readonly text: string };
}

/** How a failure is lost, and the edit that preserves it. */
export interface Loss {
  readonly kind: LossKind;
  readonly edit?: Edit | undefined;
}

/** A simulated run of a line in which some commands fail and all others succeed, with its findings. */
export interface Trial {
  readonly line: ReadLine;
  readonly failing: ReadonlySet<SimpleCommand>;
  /** Every node of the tree that contains one of them. */
  readonly ancestors: ReadonlySet<object>;
  /** Whether they fail each time, or only the first time that a loop runs them. */
  readonly fails: 'always' | 'once';
  /** A command failed, and nothing has handled its failure yet. */
  isPending: boolean;
  /** From now on every command succeeds. */
  hasRecovered: boolean;
  loss?: Loss;
  /** The purpose of the command that ran last. */
  lastRank: Rank;
  /** Files that a failed command wrote to. */
  readonly writtenFiles: Set<string>;
  readonly runScript: (script: Script, scope: Scope, trial: Trial) => Signal;
  readonly runCommand: (command: Command, scope: Scope, trial: Trial) => Signal;
}

/** A simulated shell: its options, its variables, and the status of its last command. */
export interface Scope {
  failed: boolean;
  stopsOnError: boolean;
  pipefail: boolean;
  /** `set -e` ignores failures here: in conditions and to the left of `&&` and `||`. */
  ignoresFailure: boolean;
  isCondition: boolean;
  /** Runs only because of what happened before: in a branch, or to the right of `||`. */
  isBranch: boolean;
  isLoop: boolean;
  /** Variables that the line sets, and whether their value comes from a failure. */
  variables: Map<string, boolean>;
  functions: Map<string, Command>;
  backgroundFailed: boolean;
  pipeFailed: boolean;
  trap?: Script | undefined;
  calls: number;
  /** Translates an edit of this shell's text into one of the whole line; undefined where that is impossible. */
  readonly toLineEdit: (edit: Edit) => Edit | undefined;
}

/** Where execution continues: at the next command, or after the loop, the function or the shell. */
export type Signal = 'next' | 'break' | 'return' | 'exit';

/** A parsed line with its commands ranked. */
export interface ReadLine {
  readonly source: string;
  readonly script: Script;
  readonly commands: readonly ReadCommand[];
  /** The scripts of `sh -c LINE`. */
  readonly nested: ReadonlyMap<SimpleCommand, NestedShell>;
}

/** A simple command and its position. */
export interface ReadCommand {
  readonly command: SimpleCommand;
  readonly rank: Rank;
  readonly ancestors: readonly object[];
  /** It only decides whether another command runs. */
  readonly isGuard: boolean;
  readonly isBackground: boolean;
}

/** A shell that gets its line as an argument. */
export interface NestedShell {
  readonly source: string;
  readonly script: Script;
  readonly program: Span & { readonly text: string };
  readonly word: Span;
  readonly stopsOnError: boolean;
  readonly pipefail: boolean;
}

/** A subshell: changes of its variables stay inside it. */
export function subshellOf(scope: Scope): Scope {
  return { ...scope, variables: new Map(scope.variables), functions: new Map(scope.functions), trap: undefined };
}

export function recordLoss(trial: Trial, scope: Scope, kind: LossKind, edit?: Edit): void {
  if (!trial.isPending) return;
  trial.loss = { kind, edit: edit === undefined ? undefined : scope.toLineEdit(edit) };
}

/** Whether a command does real work, rather than only print a message. */
export function isAttempt(rank: Rank): boolean {
  return rank === 'work' || rank === 'judge' || rank === 'test';
}
