import type { FactData, Mode, RebootCause } from '../../protocol/index.ts';

/** A switch of modes whose hooks have not run. Several that come before the hooks can run count as one. */
export interface ModeSwitch extends Pick<FactData<'mode.changed'>, 'from' | 'to' | 'cause'> {
  /** The mode that the hooks under way were told. */
  readonly told?: Mode;
}

/** How a loop ends. */
export type LoopEnding = Pick<FactData<'loop.ended'>, 'status' | 'reason' | 'message'>;

/** What the hooks outside of attempts did, and which of them have yet to run. */
export interface LoopHooks {
  /** How many steps have finished. */
  readonly steps: number;
  /** Values for all later hooks of the loop. */
  readonly data: Readonly<Record<string, string>>;
  /** The hooks at the start have run. */
  readonly hasStarted?: true;
  readonly modeSwitch?: ModeSwitch;
  /** The hooks before a reboot have run: it may happen, or why it is cancelled. */
  readonly reboot?: { readonly cancelled?: string };
  /** A reboot after which the hooks have not run. */
  readonly rebooted?: { readonly cause: RebootCause; readonly endsSession?: true };
  /** How the loop ends when the hooks at its end have run. */
  readonly ending?: FactData<'end.decided'>;
  /** The hooks at the end have run. */
  readonly hasEnded?: true;
}

/** No hook has run. */
export const noLoopHooks: LoopHooks = { steps: 0, data: {} };
