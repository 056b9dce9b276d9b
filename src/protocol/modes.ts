/** How a loop is run: on its own, with a person who confirms each step, or on its own with a person at hand. */
export type Mode = 'unattended' | 'attended' | 'hybrid';

/** All of them. */
export const modes = ['unattended', 'attended', 'hybrid'] as const satisfies readonly Mode[];

/** When another mode takes effect. */
export type SwitchMoment = 'now' | 'iteration' | 'pause';

/** All of them. */
export const switchMoments = ['now', 'iteration', 'pause'] as const satisfies readonly SwitchMoment[];

/** What a loop asks about: whether to start an iteration, or whether to accept that the task is done. */
export const questionPoints = ['iteration', 'completion'] as const;
/** One point. */
export type QuestionPoint = (typeof questionPoints)[number];

/** Why a loop asks, or why it switches to attended mode by itself. */
export const askReasons = [
  'attended',
  'breakpoint',
  'interval',
  'files_changed',
  'test_regression',
  'failures',
  'pattern',
  'completion',
] as const;
/** One reason. */
export type AskReason = (typeof askReasons)[number];

/** Where a loop stops and asks in every mode, besides the numbers of iterations. */
export const breakpointWords = ['test_regression', 'completion'] as const;

/** The maximum length of a prompt that replaces the task for one iteration. */
export const maxEditedPromptLength = 100_000;
