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

/** A place where a loop asks in every mode: the number of an iteration, or a word. */
export type Breakpoint = number | 'test_regression' | 'completion';

/** The words. */
export const breakpointWords = ['test_regression', 'completion'] as const satisfies readonly Breakpoint[];

/** The maximum number of breakpoints that a loop has. */
export const maxBreakpoints = 100;

/** What a person's note is about. */
export type NoteKind = 'observation' | 'decision' | 'issue' | 'action' | 'question';

/** All of them. */
export const noteKinds = [
  'observation',
  'decision',
  'issue',
  'action',
  'question',
] as const satisfies readonly NoteKind[];

/** The maximum length of a person's note. */
export const maxNoteLength = 5_000;

/** The maximum length of a prompt that replaces the task for one iteration. */
export const maxEditedPromptLength = 100_000;
