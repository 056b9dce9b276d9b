import type { Image } from '../disk/image.ts';
import type { ModelName } from '../model/models.ts';
import { isSame, type Outcome } from './probe.ts';
import type { Truth } from './truth.ts';

// What a crash leaves in good order. A cruel disk may also tear a hole into a batch that nobody was told of:
// reported as corruption, because nothing on disk tells it from damage.
const expected: Readonly<Record<ModelName, ReadonlySet<string>>> = {
  ordered: new Set(['torn_tail', 'ignored_bytes', 'stale_segment']),
  'ext4-like': new Set(['torn_tail', 'ignored_bytes', 'stale_segment']),
  weak: new Set(['torn_tail', 'ignored_bytes', 'stale_segment', 'corruption']),
};

/** What recovery made of one image, and what it should have. */
export interface Case {
  readonly image: () => Image;
  readonly outcome: Outcome;
  readonly truth: Truth;
  readonly model: ModelName;
  /** Problems that the scenario itself caused. */
  readonly allows?: readonly string[];
}

/** The first promise that is broken; undefined when all hold. */
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

/** Whether anything is promised: a copy guards against programs, not against a power cut right after one. */
export function isOwed({ exposed }: Truth, model: ModelName): boolean {
  return exposed === 'no' || model === 'ordered';
}

/** Whether exactly the acknowledged facts are there, perhaps with a beginning of what was under way. */
export function judgeFacts(numbers: readonly number[], truth: Truth): string | undefined {
  const { acknowledged, possible } = truth;
  const start = numbers.slice(0, acknowledged.length);
  if (!isSame(start, acknowledged)) return `facts ${acknowledged.join()} were acknowledged, found ${numbers.join()}`;
  const more = numbers.slice(acknowledged.length);
  if (more.length === 0 || possible.some((batch) => isSame(batch.slice(0, more.length), more))) return undefined;
  return `facts ${more.join()} were never recorded there`;
}

/** Whether the newest acknowledged snapshot is in use, or one that was begun since. */
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
