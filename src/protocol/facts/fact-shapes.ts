// Generated from the schemas by "npm run docs"; edit those instead.

import type { Proof, Verdict } from '../words.ts';
/** A process, named so that a reused pid is never mistaken for it. */
export type ProcessIdentity = {
  host: string;
  bootId: string;
  pid: number;
  startTime: string;
};

/** Who sent a command: as it says itself, so it proves nothing. */
export type Sender = {
  user?: string | undefined;
  host: string;
  pid: number;
  /** A terminal, the page in a browser, a program, a signal to the owner, or the owner itself. */
  face: 'cli' | 'page' | 'library' | 'signal' | 'driver';
};

/** How a process ended. */
export type Ending =
  | {
      kind: 'exited';
      code: number;
    }
  | {
      kind: 'signalled';
      signal: string;
    }
  | {
      kind: 'stopped';
      by: 'timeout' | 'start' | 'idle' | 'output' | 'result' | 'budget' | 'redline' | 'rejected' | 'memory' | 'request';
      forced: boolean;
    }
  | {
      kind: 'not_started';
      code: string;
      message: string;
    }
  | {
      kind: 'lost';
    };

/** What a run cost, as far as it was reported: a field that is missing is unknown, not 0. */
export type Usage = {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  cacheReadTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  costUsd?: number | undefined;
  toolCalls?: number | undefined;
  apiCalls?: number | undefined;
  context?:
    | {
        used: number;
        size: number;
      }
    | undefined;
};

/** API calls of an agent, up to this instant. */
export type ApiCalls = {
  at: string;
  count: number;
};

/** What a run changed in the work tree; `known: false` means that this could not be determined. */
export type Changes = {
  known: boolean;
  headMoved: boolean;
  modified: string[];
  created: string[];
  deleted: string[];
  count: number;
  protected?:
    | {
        changed: string[];
        created: string[];
      }
    | undefined;
  /** HEAD at the end; absent if there is no commit. */
  commit?:
    | {
        id: string;
        /** Whether it contains all files; otherwise some were not committed. */
        isWhole: boolean;
      }
    | undefined;
  /** Changed lines of text files; absent outside git and where they could not be counted. */
  lines?:
    | {
        added: number;
        removed: number;
      }
    | undefined;
  /** Ids of the git trees to compare; the objects are in the loop's folder. */
  trees?:
    | {
        before: string;
        after: string;
      }
    | undefined;
};

/** Test counts that an agent's own output shows: hints, never proof. */
export type TestHints = {
  framework: string;
  total: number;
  passed: number;
  failed: number;
  skipped: number;
};

/** Test counts from a run that ralphd made itself. */
export type TestCounts = {
  framework: string;
  total: number;
  passed: number;
  failed: number;
  skipped: number;
  failing: string[];
  passing?: string[] | undefined;
  /** Failing tests with their file and error from the report, truncated. */
  failures?:
    | Array<{
        name: string;
        file?: string | undefined;
        error?: string | undefined;
      }>
    | undefined;
};

/** A number that the checks gave. */
export type Measure = {
  of: 'lint' | 'coverage' | 'metric';
  /** The tool that reported it, or the name of the metric. */
  name: string;
  /** The check that printed it; absent for a metric. */
  check?: string | undefined;
  value: number;
};

/** One command of the gate and its result. */
export type Check = {
  command: string;
  verdict: Verdict;
  exitCode?: number | undefined;
  durationMs: number;
  output: string;
  /** SHA-256 of its whole output. */
  outputDigest?: string | undefined;
};

/** The files that a verdict is about: every file that is not ignored, byte by byte. */
export type JudgedTree = {
  /** Id of the git tree with exactly these files. */
  id: string;
  files: number;
  bytes: number;
};

/** Why the checks could not be run at all, for a reason that the agent cannot remove. */
export type Obstacle = {
  /** Identifies the obstacle; the same one twice in a row pauses the loop. */
  code: string;
  message: string;
  /** What the user can do about it. */
  fix: string;
};

/** The result of one condition; `met: null` means that it could not be determined. */
export type ConditionResult = {
  /** Path of the condition in the settings: `stop.0`. */
  key: string;
  met: boolean | null;
  /** What was observed. */
  detail?: string | undefined;
};

/** Whether the iteration made progress; `made: null` means that this could not be determined. */
export type Progress = {
  made: boolean | null;
  evidence: string[];
  /** Amount of progress from 0 to 1; absent if unknown and in journals of the first releases. */
  score?: number | undefined;
};

/** Something that an agent reports as wrong. */
export type NotedIssue = {
  text: string;
  severity: 'low' | 'medium' | 'high' | 'critical';
  files?: string[] | undefined;
};

/** What an agent notes for those after it: quotations of its own words, each one line. */
export type RunNotes = {
  decisions?:
    | Array<{
        text: string;
        why?: string | undefined;
      }>
    | undefined;
  issues?: NotedIssue[] | undefined;
  /** Issues that are resolved: their numbers or their text. */
  resolved?: string[] | undefined;
  done?: string[] | undefined;
  /** Everything left to do; empty if the agent says that nothing is. */
  pending?: string[] | undefined;
  values?:
    | Array<{
        key: string;
        value: string;
      }>
    | undefined;
};

/** A setting that changed, with its values as text; missing where there is none, or where they are not shown. */
export type SettingChange = {
  setting: string;
  from?: string | undefined;
  to?: string | undefined;
};

/** What a loop leaves to the one that continues its work. */
export type LeftWork = {
  /** The agent's own summaries, newest last. */
  summaries: string[];
  /** What its agents noted, quoted. */
  notes: {
    decisions?:
      | Array<{
          text: string;
          why?: string | undefined;
        }>
      | undefined;
    issues?: NotedIssue[] | undefined;
    /** Issues that are resolved: their numbers or their text. */
    resolved?: string[] | undefined;
    done?: string[] | undefined;
    /** Everything left to do; empty if the agent says that nothing is. */
    pending?: string[] | undefined;
    values?:
      | Array<{
          key: string;
          value: string;
        }>
      | undefined;
  };
  /** The files that it changed last. */
  files: string[];
  /** Standing guidance, and guidance that no prompt had delivered yet. */
  guidance: Array<{
    id: string;
    text: string;
    standing?: boolean | undefined;
  }>;
};

/** The commit that holds the original files, and the git reference that keeps it. */
export type ProtectedBase = {
  ref: string;
  commit: string;
};

/** A git worktree of a loop's own, and where its branch began. */
export type Worktree = {
  /** Top folder of the worktree. */
  path: string;
  /** Name of its branch. */
  branch: string;
  /** The branch it started from; absent if none was checked out. */
  baseBranch?: string | undefined;
  /** The commit it started from. */
  baseCommit: string;
};

/** How good the work was when an iteration ended, as far as ralphd saw itself. */
export type Quality = {
  /** What the checks prove. */
  proof: Proof;
  checks?:
    | {
        passed: number;
        total: number;
      }
    | undefined;
  tests?:
    | {
        passed: number;
        failed: number;
        /** Number of failed tests that are flaky. */
        flaky: number;
      }
    | undefined;
  /** Whether the agent run succeeded. */
  worked: boolean;
  /** Number of files changed; null if unknown. */
  files: number | null;
  headMoved: boolean;
  commit?:
    | {
        id: string;
        /** Whether it contains all files; otherwise some were not committed. */
        isWhole: boolean;
      }
    | undefined;
};

/** What the name of a program stood for. */
export type FoundProgram =
  | {
      at: 'none';
    }
  | {
      at: 'outside';
      file?: string | undefined;
      /** Only if the agent could replace the program. */
      digest?: string | undefined;
    }
  | {
      at: 'inside';
      file: string;
      /** Digest of the original content; "gone" if there was none. */
      digest: string;
      /** Version of the package it belongs to. */
      version?: string | undefined;
    };

/** One program of a folder. */
export type FolderProgram = {
  name: string;
  /** Digest of the original content; "gone" if there was none. */
  digest: string;
  version?: string | undefined;
};

/** One installed package. */
export type InstalledPackage = {
  name: string;
  version?: string | undefined;
  /** Digest of its folder's identity; a different one means that the package was reinstalled. */
  folder: string;
  /** Digest of the names and sizes of its files. */
  sizes: string;
  /** Digest of the file metadata, without content. */
  stamps: string;
};

/** Something that affects a check, as it was. Paths are relative to the work folder. */
export type Guard =
  | {
      kind: 'file';
      path: string;
      /** Digest of the original content; "gone" if there was none. */
      digest: string;
      effect: 'refuse' | 'report';
    }
  | {
      kind: 'script';
      manifest: string;
      script: string;
      /** Digest of the original content; "gone" if there was none. */
      digest: string;
      effect: 'refuse' | 'report';
    }
  | {
      kind: 'target';
      file: string;
      target: string;
      /** Digest of the original content; "gone" if there was none. */
      digest: string;
      effect: 'refuse' | 'report';
    }
  | {
      kind: 'part';
      file: string;
      part: string;
      /** Digest of the original content; "gone" if there was none. */
      digest: string;
      effect: 'refuse' | 'report';
    }
  | {
      kind: 'names';
      folder: string;
      names: string[];
      present: string[];
      effect: 'refuse' | 'report';
    }
  | {
      kind: 'program';
      folder: string;
      name: string;
      /** How it is looked up: by a shell, by a package script, or by npx and uv. */
      by: 'path' | 'bin' | 'run';
      found: FoundProgram;
      effect: 'refuse' | 'report';
    }
  | {
      kind: 'interpreter';
      file: string;
      links: string[];
      /** Digest of the original content; "gone" if there was none. */
      digest: string;
      effect: 'refuse' | 'report';
    }
  | {
      kind: 'programs';
      folder: string;
      existed: boolean;
      programs: FolderProgram[];
      effect: 'refuse' | 'report';
    }
  | {
      kind: 'packages';
      folder: string;
      packages: InstalledPackage[];
      effect: 'refuse' | 'report';
    }
  | {
      kind: 'ignored';
      paths: Array<{
        path: string;
        stamp: string;
      }>;
      /** Paths that the checks write themselves. */
      written: string[];
      effect: 'refuse' | 'report';
    };
