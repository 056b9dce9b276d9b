import type { HouseGraph } from './graph.ts';

const box = { width: 124, height: 58, gapX: 12, gapY: 56 } as const;
const margin = 24;

/** Draws the floors of a house: a line leads from a room down to one that it imports. */
export function drawHouse({ floors, lines }: HouseGraph, purposes: Readonly<Record<string, string>>): string {
  const widest = Math.max(...floors.map((floor) => floor.length));
  const width = widest * (box.width + box.gapX) - box.gapX + 2 * margin;
  const height = floors.length * (box.height + box.gapY) - box.gapY + 2 * margin;
  const places = new Map(
    floors.flatMap((floor, level) => {
      const left = (width - (floor.length * (box.width + box.gapX) - box.gapX)) / 2;
      return floor.map((room, index) => {
        const place = { x: left + index * (box.width + box.gapX), y: margin + level * (box.height + box.gapY) };
        return [room, place] as const;
      });
    }),
  );
  const placeOf = (room: string) => places.get(room) ?? { x: 0, y: 0 };
  const drawnLines = lines.map(([from, to]) => drawLine(placeOf(from), placeOf(to)));
  const drawnRooms = floors.flat().map((room) => drawRoom(room, purposes[room], placeOf(room)));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#57606a;text-anchor:middle}
.name{font-weight:600;font-size:14px;fill:#1f2328}
.room{fill:#f6f8fa;stroke:#8c959f}
.line{fill:none;stroke:#8c959f;stroke-width:1.2}
.ground{fill:#ffffff}
@media (prefers-color-scheme:dark){text{fill:#9da7b3}.name{fill:#e6edf3}.room{fill:#161b22;stroke:#57606a}.line{stroke:#57606a}.ground{fill:#0d1117}}
</style>
<rect class="ground" width="100%" height="100%" rx="8"/>
${[...drawnLines, ...drawnRooms].join('\n')}
</svg>
`;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function drawRoom(room: string, purpose: string | undefined, { x, y }: Place): string {
  if (purpose === undefined) throw new Error(`The room "${room}" has no line that says what it is for.`);
  const middle = x + box.width / 2;
  const [first = '', second = ''] = purpose.split('\n');
  return [
    `<rect class="room" x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6"/>`,
    `<text class="name" x="${middle}" y="${y + 19}">${room}</text>`,
    `<text x="${middle}" y="${y + 35}">${first}</text>`,
    `<text x="${middle}" y="${y + 50}">${second}</text>`,
  ].join('');
}

function drawLine(from: Place, to: Place): string {
  if (from.y === to.y) return drawSideways(from, to);
  const [startX, startY] = [from.x + box.width / 2, from.y + box.height];
  const [endX, endY] = [to.x + box.width / 2, to.y];
  const bend = (endY - startY) / 2;
  return `<path class="line" d="M${startX} ${startY}C${startX} ${startY + bend} ${endX} ${endY - bend} ${endX} ${endY}"/>`;
}

/** Between two rooms of one floor: below them, from middle to middle. */
function drawSideways(from: Place, to: Place): string {
  const [startX, endX, y] = [from.x + box.width / 2, to.x + box.width / 2, from.y + box.height];
  const low = y + box.gapY / 2;
  return `<path class="line" d="M${startX} ${y}C${startX} ${low} ${endX} ${low} ${endX} ${y}"/>`;
}
