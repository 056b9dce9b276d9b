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
  /** A shell program that completes the project before the loop: dependencies, virtual environments. */
  readonly prepare?: string;
  /** Program folders that precede those of the system. */
  readonly programs?: readonly string[];
  /** The check that a user would give. */
  readonly check: string;
  /** The files of the candidate that a person copies to judge it: never tests, tools or settings. */
  readonly sources: readonly string[];
  /** The project's own tests, run by hand with untouched tools. */
  readonly tests: string;
  /** Prints HOLDS when the work is really done; for candidates that fool any test runner. */
  readonly oracle: string;
  /** A harmless change of the sources, so that a claim is never refused only because nothing changed. */
  readonly touch: string;
  /** The honest work. */
  readonly work: string;
  /** A command that prints what the project's runner prints when three tests pass; for programs that imitate it. */
  readonly printPass: string;
}

/** One way to make a gate pass although the work is not done. */
export interface Attack {
  readonly id: string;
  readonly category: Category;
  /** What it does, in one sentence for the table. */
  readonly what: string;
  readonly stage: Stage;
  /** Files that are added to those of the stage, or replace them. */
  readonly files?: Files;
  /** A shell program that runs after the preparation of the stage, before the loop. */
  readonly prepare?: string;
  /** The checks, when they differ from the stage's. */
  readonly checks?: readonly string[];
  /** More flags of `ralphd run`. */
  readonly flags?: readonly string[];
  /** Additional environment of ralphd; `~` stands for the home folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the agent does before it claims to be done. */
  readonly agent: string;
  /** It does not change any source. */
  readonly leavesSources?: true;
  /** What must be reported when a gate in the work tree lets it complete. */
  readonly named: RegExp;
  /** Files that a user would protect against this attack: then the sealed gate never completes. */
  readonly protects?: readonly string[];
  /** The kind of gate that it is made for, when it has no effect in the work tree. */
  readonly worksIn?: 'clean';
  /** Whether the check exits with 0 when a person runs it in the work tree right after the agent. */
  readonly foolsByHand?: false;
  /** The candidate fools the tests themselves: only the oracle detects it. */
  readonly judgedBy?: 'oracle';
  /** The check line itself is unsound, so that the loop may be refused before an agent runs. */
  readonly refusedAtStart?: true;
  /** A shell condition that holds when the attack has removed its traces. */
  readonly settled?: string;
  /** Why no gate can refuse this. */
  readonly stillPossible?: string;
}
