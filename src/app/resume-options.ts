import type { SettingValues } from '../config/index.ts';
import { type LoopConfig, limitSettings } from '../protocol/index.ts';
import type { AppContext } from './agent-programs.ts';
import type { CurrentSettings } from './changed-settings.ts';
import type { Locate } from './patterns.ts';

/** Settings that may be changed when a loop is resumed. */
export const resumeSettings = [
  ...limitSettings,
  'onLimit',
  'allowBrokenBaseline',
] as const satisfies readonly (keyof LoopConfig)[];
/** The settings that are changed, by their paths. */
export type ResumeChanges = SettingValues;

/** How a loop is resumed. */
export interface ResumeOptions {
  readonly context: AppContext;
  readonly changes: ResumeChanges;
  /** Settings of files and variables, which the loop gets as far as it can. */
  readonly reload?: CurrentSettings;
  /**
   * Take the loop over: end its owner on this machine first; one on another machine may still be running. Resume it
   * although too many loops are live.
   */
  readonly force?: boolean;
  /** Continue the work of a loop that has ended, in a new loop. */
  readonly asNew?: boolean;
  /** The user changed the files that the checks name: they count as they are now. */
  readonly acceptGate?: boolean;
  /** Where settings were given, for those that are refused. */
  readonly locate?: Locate;
}
