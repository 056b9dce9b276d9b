import { accept, advance, breaksOff, checkVerdict, doubtsOf, evolve } from '../../src/core/index.ts';

/** The rules under test, passed in so that the simulation can also run a broken variant. */
export interface Rules {
  readonly advance: typeof advance;
  readonly evolve: typeof evolve;
  readonly accept: typeof accept;
  readonly breaksOff: typeof breaksOff;
  readonly checkVerdict: typeof checkVerdict;
  readonly doubtsOf: typeof doubtsOf;
}

export const realRules: Rules = { advance, evolve, accept, breaksOff, checkVerdict, doubtsOf };
