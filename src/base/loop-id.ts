import { byText } from './text.ts';

/** How long the middle of an id is that is made here. */
const maxSlugLength = 30;
/** Ids from elsewhere may be longer, as long as they fit into a file name with an ending. */
const maxForeignSlugLength = 180;
const loopIdPattern = new RegExp(`^ralph-[a-z0-9-]{1,${maxForeignSlugLength}}-[0-9a-f]{8}$`);

// Letters that Unicode does not decompose into a Latin letter and a mark.
const spelledOut: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** The two names of a loop: its id (`ralph-{slug}-{8 hex}`) and its full UUID. */
export interface LoopNames {
  readonly id: string;
  readonly uuid: string;
  /** When it started; loops of one name can be distinguished only if this is known for all of them. */
  readonly startedAt?: string | undefined;
}

/** What a loop id, a UUID or a prefix of one resolves to. */
export type LoopIdMatch =
  | { readonly kind: 'exact'; readonly id: string }
  | { readonly kind: 'name'; readonly id: string }
  | { readonly kind: 'prefix'; readonly id: string }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly string[] }
  | { readonly kind: 'none' };

/** Whether a text is a loop id. Such a text is also safe as a file name: it holds no `/`, no `.` and no NUL. */
export function isLoopId(text: string): boolean {
  return loopIdPattern.test(text);
}

/** Names a new loop after its task; the end of the id is the beginning of the UUID. */
export function createLoopId(task: string, uuid: string): string {
  const slug = slugOf(task);
  return assembleLoopId(/[a-z]/.test(slug) ? slug : 'task', uuid);
}

/** Turns an id that a user chose into a loop id; one that is already a loop id is kept. */
export function slugLoopId(custom: string, uuid: string): string {
  if (isLoopId(custom)) return custom;
  return assembleLoopId(slugOf(custom.replace(/^ralph-/i, '')) || 'task', uuid);
}

/** The name of a loop: its id without the part that makes it unique. */
export function loopNameOf(loopId: string): string {
  return loopId.slice('ralph-'.length, -'-00000000'.length);
}

/** Gives a UUID the first eight digits that a chosen loop id ends with, so that both still name one loop. */
export function alignUuid(loopId: string, uuid: string): string {
  return loopId.slice(-8) + uuid.slice(8);
}

/** The form `loop_<uuid>` in which some systems show a loop's UUID. */
export function loopUuidForm(uuid: string): string {
  return `loop_${uuid}`;
}

/**
 * Finds the loop that a user means: by an id, a UUID or its `loop_…` form, by a name (the newest loop of that name),
 * or by a prefix of any of these.
 */
export function resolveLoopId(query: string, loops: readonly LoopNames[]): LoopIdMatch {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return { kind: 'none' };
  const exact = loops.filter(({ id, uuid }) => [id, uuid, loopUuidForm(uuid)].includes(wanted));
  const newest = exact.length > 0 ? undefined : newestOf(loops.filter(({ id }) => hasName(id, wanted)));
  if (newest !== undefined) return { kind: 'name', id: newest.id };
  const matches = exact.length > 0 ? exact : loops.filter((loop) => hasPrefix(loop, wanted));
  const [first, second] = matches;
  if (first === undefined) return { kind: 'none' };
  if (second !== undefined) return { kind: 'ambiguous', candidates: matches.map(({ id }) => id) };
  return { kind: exact.length > 0 ? 'exact' : 'prefix', id: first.id };
}

function hasName(id: string, wanted: string): boolean {
  return [loopNameOf(id), `ralph-${loopNameOf(id)}`].includes(wanted);
}

function newestOf(loops: readonly LoopNames[]): LoopNames | undefined {
  if (loops.length > 1 && loops.some(({ startedAt }) => startedAt === undefined)) return undefined;
  return loops.toSorted((one, other) => byText(other.startedAt ?? '', one.startedAt ?? ''))[0];
}

function hasPrefix({ id, uuid }: LoopNames, wanted: string): boolean {
  const shortId = id.slice('ralph-'.length);
  return [id, shortId, id.slice(-8), uuid, loopUuidForm(uuid)].some((name) => name.startsWith(wanted));
}

function assembleLoopId(slug: string, uuid: string): string {
  const id = `ralph-${slug}-${uuid.slice(0, 8).toLowerCase()}`;
  if (!isLoopId(id)) throw new RangeError(`"${uuid}" is not a UUID.`);
  return id;
}

function slugOf(text: string): string {
  const words = text
    .slice(0, 10_000)
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => spelledOut[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
  if (words.length <= maxSlugLength) return words.replace(/-$/, '');
  // A word that the limit would split is dropped, unless it is the only one.
  const cut = words.slice(0, maxSlugLength);
  const lastBreak = words.slice(0, maxSlugLength + 1).lastIndexOf('-');
  return lastBreak > 0 ? cut.slice(0, lastBreak) : cut;
}
