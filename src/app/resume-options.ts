import type { SettingValues } from '../config/index.ts';
import type { AppContext } from './agent-programs.ts';
import type { CurrentSettings } from './changed-settings.ts';
import type { Locate } from './patterns.ts';

/** The settings that are changed, by their paths. */
export type ResumeChanges = SettingValues;

/** How a loop is resumed. */
export interface ResumeOptions {
  readonly context: AppContext;
  readonly changes: ResumeChanges;
  /** Settings of files and variables, which the loop gets as far as it can. */
  readonly reload?: CurrentSettings;
  /** Take the loop over: end its owner on this machine first; one on another machine may still be running. */
  readonly force?: boolean;
  /** Continue the work of an ended loop in a new loop. */
  readonly asNew?: boolean;
  /** The user changed the files that the checks name: they count as they are now. */
  readonly acceptGate?: boolean;
  /** Where settings were given, for those that are refused. */
  readonly locate?: Locate;
}
