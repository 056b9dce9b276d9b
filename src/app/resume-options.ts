import type { BroughtBy, SettingValues } from '../config/index.ts';
import type { Loop } from '../core/index.ts';
import type { AppContext } from './agent-programs.ts';
import type { CurrentSettings } from './changed-settings.ts';
import type { Locate } from './patterns.ts';

/** The changed settings, by path. */
export type ResumeChanges = SettingValues;

/** How a loop is resumed. */
export interface ResumeOptions {
  readonly context: AppContext;
  readonly changes: ResumeChanges;
  /** Current settings from files and variables to apply where possible. */
  readonly reload?: CurrentSettings;
  /**
   * Take the loop over: end its owner on this machine first; one on another machine may still be running. Resume it
   * although too many loops are live.
   */
  readonly force?: boolean;
  /** Continue the work of an ended loop in a new loop. */
  readonly asNew?: boolean;
  /** Accept the current versions of the files that the checks depend on. */
  readonly acceptGate?: boolean;
  /** Looks at the loop with its new settings before anything is written, and may refuse it. */
  readonly review?: (loop: Loop) => void;
  /** What the project's file brings, if any of its settings are applied now. */
  readonly brought?: BroughtBy;
  /** Where settings were given, for those that are refused. */
  readonly locate?: Locate;
}
