/** What a recorded run came to, counted by hand from the tests that were run; `null` for a text without a report. */
export type Expected =
  | readonly [framework: string, passed: number, failed: number, skipped: number, failing?: readonly string[]]
  | null;
