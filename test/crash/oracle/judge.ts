import type { Image } from '../disk/image.ts';
import type { ModelName } from '../model/models.ts';
import { isSame, type Outcome } from './probe.ts';
import type { Truth } from './truth.ts';

// What a legal crash may leave behind. A weak disk may also tear a hole into an unacknowledged batch: this is reported
// as corruption, because on disk it looks the same as damage.
const expected: Readonly<Record<ModelName, ReadonlySet<string>>> = {
  ordered: new Set(['torn_tail', 'ignored_bytes', 'stale_segment']),
  'ext4-like': new Set(['torn_tail', 'ignored_bytes', 'stale_segment']),
  weak: new Set(['torn_tail', 'ignored_bytes', 'stale_segment', 'corruption']),
};

/** The recovery outcome of one image, and what it is checked against. */
export interface Case {
  readonly image: () => Image;
  readonly outcome: Outcome;
  readonly truth: Truth;
  readonly model: ModelName;
  /** Problems caused by the scenario itself. */
  readonly allows?: readonly string[];
}

/** The first broken guarantee; undefined when all hold. */
export function judge({ image, outcome, truth, model, allows = [] }: Case): string | undefined {
  const [fault] = outcome.faults;
  if (fault !== undefined) return fault;
  if (outcome.refusal !== undefined) {
    if (outcome.refusal === 'LOOP_NOT_FOUND' && !truth.exists) return undefined;
    return `the loop is refused: ${outcome.refusal}`;
  }
  const unexpected = outcome.problems.find((kind) => !expected[model].has(kind) && !allows.includes(kind));
  return (
    judgeFacts(outcome.numbers, truth) ??
    judgeSnapshot(outcome.snapshot, truth) ??
    judgeFiles(image, truth) ??
    (unexpected === undefined ? undefined : `a legal crash is reported as ${unexpected}`)
  );
}

/**
 * Whether any guarantee applies: a mirror protects against programs, not against a power cut right after the damage.
 */
export function isOwed({ exposed }: Truth, model: ModelName): boolean {
  return exposed === 'no' || model === 'ordered';
}

/** Checks that the acknowledged facts are there, followed at most by the start of an unacknowledged batch. */
export function judgeFacts(numbers: readonly number[], truth: Truth): string | undefined {
  const { acknowledged, possible } = truth;
  const start = numbers.slice(0, acknowledged.length);
  if (!isSame(start, acknowledged)) return `facts ${acknowledged.join()} were acknowledged, found ${numbers.join()}`;
  const more = numbers.slice(acknowledged.length);
  if (more.length === 0 || possible.some((batch) => isSame(batch.slice(0, more.length), more))) return undefined;
  return `facts ${more.join()} were never recorded there`;
}

/** Checks that recovery uses the newest acknowledged snapshot, or one begun since. */
export function judgeSnapshot(found: number, { snapshot }: Truth): string | undefined {
  if (found < snapshot.acknowledged) return `snapshot ${snapshot.acknowledged} was acknowledged, found ${found}`;
  return found > snapshot.begun ? `snapshot ${found} was never written` : undefined;
}

function judgeFiles(image: () => Image, { files }: Truth): string | undefined {
  if (files.size === 0) return undefined;
  const held = image();
  for (const [place, { may }] of files) {
    const content = held.get(place);
    const text = content === undefined || content === 'folder' ? undefined : content.toString('latin1');
    if (!may.includes(text)) return `${place} holds ${JSON.stringify(text)?.slice(0, 60)}, neither the old nor the new`;
  }
  return undefined;
}
