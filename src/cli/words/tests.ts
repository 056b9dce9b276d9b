import type { TestRecord } from '../../protocol/index.ts';

const maxErrorLength = 120;

/** A test that keeps failing, with the first line of its last error. */
export function stubbornText({ name, failStreak, lastError = '' }: TestRecord): string {
  const [line = ''] = lastError.trim().split('\n', 1);
  const error = line.length <= maxErrorLength ? line : `${line.slice(0, maxErrorLength - 1)}…`;
  return `failed ${failStreak} times in a row: ${name}${error === '' ? '' : ` (${error})`}`;
}
