/** A promise that does not hold; the message says what was found instead. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

/** The machine lacks what a scenario needs; the message says what. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible';
}

/** Ends the scenario with a finding unless the condition holds. */
export function mustHold(condition: boolean, finding: string): asserts condition {
  if (!condition) throw new Finding(finding);
}
