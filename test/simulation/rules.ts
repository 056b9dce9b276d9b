import { accept, advance, breaksOff, checkVerdict, doubtsOf, evolve } from '../../src/core/index.ts';

/** What is under test. Handed in, so that a broken variant can be tried as well. */
export interface Rules {
  readonly advance: typeof advance;
  readonly evolve: typeof evolve;
  readonly accept: typeof accept;
  readonly breaksOff: typeof breaksOff;
  readonly checkVerdict: typeof checkVerdict;
  readonly doubtsOf: typeof doubtsOf;
}

/** The rules as they are. */
export const realRules: Rules = { advance, evolve, accept, breaksOff, checkVerdict, doubtsOf };
