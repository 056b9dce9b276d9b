import type { AppContext, LoopPlace } from '../../app/index.ts';
import type { Pulse } from '../../protocol/index.ts';
import type { ScreenWords } from '../words.ts';

/** Texts that a person can open from the screen, one line each. */
export interface ScreenPages {
  /** One iteration; the newest without a number. */
  inspect(loopId: string, iteration: number | undefined, columns: number): Promise<readonly string[]>;
  /** What an iteration changed. */
  diff(loopId: string, iteration: number | undefined, columns: number): Promise<readonly string[]>;
  explain(loopId: string, columns: number): Promise<readonly string[]>;
  /** What the agent said and did in an iteration. */
  words(loopId: string, iteration: number | undefined, columns: number): Promise<readonly string[]>;
}

/** The loop that this process runs itself. */
export interface OwnLoop {
  readonly loopId: string;
  /** Its pulses, which are finer than those that other processes get. */
  readonly onPulse: (listener: (pulse: Pulse | undefined) => void) => Disposable;
  /** Pauses it, or kills its agent if it was interrupted before. */
  readonly interrupt: () => void;
}

/** Everything that a screen needs from its face. */
export interface ScreenSetting {
  readonly place: LoopPlace;
  readonly context: AppContext;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly words: ScreenWords;
  readonly pages: ScreenPages;
  /** The project, for the title of the list. */
  readonly folder: string;
  /** The loop to show first; the list of all without one. */
  readonly loopId?: string | undefined;
  readonly own?: OwnLoop | undefined;
}

/** How a person left the screen. */
export type Leaving =
  | { readonly kind: 'left' }
  | { readonly kind: 'interrupted' }
  /** The terminal is gone. */
  | { readonly kind: 'lost' }
  /** This terminal is to become the owner of a loop. */
  | { readonly kind: 'resume'; readonly loopId: string };
