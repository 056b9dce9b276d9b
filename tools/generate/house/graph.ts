import { type Import, roomOf } from '../../architecture/imports.ts';

/** Rooms, each on its floor: a room stands above everything it imports. */
export interface HouseGraph {
  /** From the top floor down; the rooms of a floor are sorted by name. */
  readonly floors: readonly (readonly string[])[];
  /** Which room imports which, without imports implied by other lines. */
  readonly lines: readonly (readonly [from: string, to: string])[];
}

/** How files are assigned to rooms, and rooms to floors. */
export interface HousePlan {
  /** The room of a file; files without one are ignored. */
  readonly room: (file: string) => string | undefined;
  /** From the top floor down; by default each room is as low as its imports allow. */
  readonly floors?: HouseGraph['floors'];
}

/** The graph of the rooms. */
export function houseGraph(imports: readonly Import[], { room: name, floors }: HousePlan): HouseGraph {
  const uses = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [user, used] = [name(from), name(to)];
    if (user === undefined || used === undefined) continue;
    for (const room of [user, used]) if (!uses.has(room)) uses.set(room, new Set());
    if (user !== used) uses.get(user)?.add(used);
  }
  const lowest = lowestFloors(uses);
  const missing = lowest.flat().filter((room) => floors !== undefined && !floors.flat().includes(room));
  if (missing.length > 0) throw new Error(`Rooms without a floor: ${missing.join(', ')}.`);
  return { floors: floors ?? lowest, lines: directLines(uses) };
}

function lowestFloors(uses: ReadonlyMap<string, ReadonlySet<string>>): HouseGraph['floors'] {
  const heights = new Map<string, number>();
  const heightOf = (room: string, above: readonly string[] = []): number => {
    if (above.includes(room)) throw new Error(`Rooms import each other: ${[...above, room].join(' > ')}.`);
    const known = heights.get(room);
    if (known !== undefined) return known;
    const below = [...(uses.get(room) ?? [])].map((used) => heightOf(used, [...above, room]));
    const height = Math.max(-1, ...below) + 1;
    heights.set(room, height);
    return height;
  };
  for (const room of uses.keys()) heightOf(room);
  const top = Math.max(...heights.values());
  return Array.from({ length: top + 1 }, (_, index) =>
    [...heights].flatMap(([room, height]) => (height === top - index ? [room] : [])).sort(),
  );
}

/** The room of a file at the top of the house, where `core` is one room. */
export function topRoom(file: string): string {
  return roomOf(file).split('/')[0] ?? file;
}

/** The room of a file inside `core`. */
export function coreRoom(file: string): string | undefined {
  const [outer, inner] = roomOf(file).split('/');
  return outer === 'core' ? inner : undefined;
}

function directLines(uses: ReadonlyMap<string, ReadonlySet<string>>): HouseGraph['lines'] {
  const reaches = (from: string, to: string): boolean =>
    [...(uses.get(from) ?? [])].some((used) => used === to || reaches(used, to));
  return [...uses].flatMap(([from, used]) =>
    [...used]
      .filter((to) => ![...used].some((other) => other !== to && reaches(other, to)))
      .sort()
      .map((to) => [from, to] as const),
  );
}
