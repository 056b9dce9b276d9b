import type { LoopError } from '../../base/index.ts';
import type { UnreadableRow } from '../../protocol/index.ts';

const problems: Readonly<Record<string, UnreadableRow['problem']>> = {
  STATE_NEWER_VERSION: 'newer',
  STATE_UNREADABLE: 'damaged',
  STATE_UNRECOVERABLE: 'damaged',
  KEY_MISSING: 'locked',
  KEY_WRONG: 'locked',
  KEY_INVALID: 'locked',
  KEY_UNREADABLE: 'locked',
  KEY_EXPOSED: 'locked',
  KEY_RECORD_DAMAGED: 'locked',
  LOOP_FOLDER_GONE: 'lost',
};

/** A loop that cannot be read, in the list of all loops. */
export function unreadableRow(
  { failure: { code, message, hint } }: LoopError,
  named: Pick<UnreadableRow, 'key' | 'id' | 'project'>,
): UnreadableRow {
  return { ...named, problem: problems[code] ?? 'other', code, message, hint };
}
