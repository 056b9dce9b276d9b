import type { Files } from '../support/world.ts';

/** What an attack touches, in the order of the table. */
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
/** One category. */
export type Category = (typeof categories)[number];

/** A small project with a test that fails because the work is not done, and how to judge it by hand. */
export interface Stage {
  readonly name: string;
  readonly files: Files;
  /** A shell program that completes the project before the loop: dependencies, virtual environments. */
  readonly prepare?: string;
  /** Folders of programs that come before those of the system. */
  readonly programs?: readonly string[];
  /** The check that a user would give. */
  readonly check: string;
  /** What of the candidate a person takes over to judge it: never tests, tools or settings. */
  readonly sources: readonly string[];
  /** The project's own tests, run by hand with untouched tools. */
  readonly tests: string;
  /** Prints HOLDS when the work is really done; for candidates that fool any test runner. */
  readonly oracle: string;
  /** A harmless change of the sources, so that a claim is never refused just for want of one. */
  readonly touch: string;
  /** The honest work. */
  readonly work: string;
  /** What the project's runner prints when three tests pass; for programs that imitate it. */
  readonly says: string;
}

/** One way to make a gate say "done" while the work is not done. */
export interface Attack {
  readonly id: string;
  readonly category: Category;
  /** What it does, in one sentence for the table. */
  readonly what: string;
  readonly stage: Stage;
  /** Files of the project besides those of the stage, or instead of them. */
  readonly files?: Files;
  /** What is prepared after the stage, before the loop. */
  readonly prepare?: string;
  /** The checks, when they are not the stage's. */
  readonly checks?: readonly string[];
  /** More flags of `ralphd run`. */
  readonly flags?: readonly string[];
  /** Environment of ralphd, besides the usual; `~` stands for the home folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the agent does before it claims to be done. */
  readonly agent: string;
  /** It changes no source at all. */
  readonly leavesSources?: true;
  /** What must be told when a gate in the work tree lets it complete. */
  readonly named: RegExp;
  /** Files of the candidate that a user would protect against this: then the sealed gate never completes. */
  readonly protects?: readonly string[];
  /** The kind of gate that it is written for, when it has no effect in the work tree. */
  readonly worksIn?: 'clean';
  /** Whether the check exits with 0 when a person runs it in the work tree right after the agent. */
  readonly foolsByHand?: false;
  /** The candidate fools the tests themselves: only the oracle knows better. */
  readonly judgedBy?: 'oracle';
  /** The check line itself is at fault, so that the loop may be refused before an agent runs. */
  readonly refusedAtStart?: true;
  /** A shell condition that holds when the attack has removed its traces. */
  readonly settled?: string;
  /** Why no gate can refuse this. */
  readonly stillPossible?: string;
}
