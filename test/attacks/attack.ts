import type { Files } from '../support/world.ts';

/** What an attack changes, in the order of the table. */
export const categories = [
  'PATH',
  'shebang',
  'interpreter',
  'package manager',
  'HOME',
  'login shell',
  'git',
  'replaced .git',
  'symbolic and hard links',
  'ignored files',
  'environment files',
  'caches',
  'dependencies edited in place',
  'timing',
  'hidden processes',
  'special files',
  'output forgery',
  'exit in imported code',
  'helper of a check',
  'check named indirectly',
  'masked exit code',
  'no work',
  'edited tests',
  'runner configuration',
  'snapshots',
  'make',
  'cargo',
  'go',
] as const;
export type Category = (typeof categories)[number];

/** A small project with a test that fails because the work is not done, and how to judge it by hand. */
export interface Stage {
  readonly name: string;
  readonly files: Files;
  /** A shell program that sets up the project before the loop: dependencies, virtual environments. */
  readonly prepare?: string;
  /** Folders that come before the system's in PATH. */
  readonly programs?: readonly string[];
  /** The check that a user would configure. */
  readonly check: string;
  /** The candidate's files that a person copies to judge it: never tests, tools or settings. */
  readonly sources: readonly string[];
  /** The project's own tests, run by hand with untouched tools. */
  readonly tests: string;
  /** Prints HOLDS when the work is really done; for candidates that fool any test runner. */
  readonly oracle: string;
  /** A harmless change to the sources, so that a claim is never rejected only because nothing changed. */
  readonly touch: string;
  /** The honest work. */
  readonly work: string;
  /** A command that prints the same as the project's runner when three tests pass; for programs that imitate it. */
  readonly printPass: string;
}

/** One way to make a gate pass although the work is not done. */
export interface Attack {
  readonly id: string;
  readonly category: Category;
  /** What it does, in one sentence for the table. */
  readonly what: string;
  readonly stage: Stage;
  /** Files to add to the stage, or to replace there. */
  readonly files?: Files;
  /** A shell program that runs after the stage is set up, before the loop. */
  readonly prepare?: string;
  /** The checks, if different from the stage's. */
  readonly checks?: readonly string[];
  /** Additional flags for `ralphd run`. */
  readonly flags?: readonly string[];
  /** Additional environment variables for ralphd; `~` stands for the home folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the agent does before it claims completion. */
  readonly agent: string;
  /** It does not change any source. */
  readonly leavesSources?: true;
  /** The finding that must be reported when a gate in the work tree lets it complete. */
  readonly named: RegExp;
  /** Files that a user would protect against this attack: with them, the sealed gate never completes. */
  readonly protects?: readonly string[];
  /** The kind of gate it targets, if it has no effect in the work tree. */
  readonly worksIn?: 'clean';
  /** Whether the check exits with 0 when a person runs it in the work tree right after the agent. */
  readonly foolsByHand?: false;
  /** The candidate fools the tests themselves: only the oracle detects it. */
  readonly judgedBy?: 'oracle';
  /** The check command itself is unsound, so ralphd may refuse the loop before an agent runs. */
  readonly refusedAtStart?: true;
  /** A shell condition that holds when the attack has removed its traces. */
  readonly settled?: string;
  /** Why no gate can reject this. */
  readonly stillPossible?: string;
}
