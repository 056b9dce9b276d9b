import { registryFile, registryOf, replaceRegistry } from '../oracle/registry.ts';
import { nothingYet, type Truth } from '../oracle/truth.ts';
import { loopFolder, mirrorFolder, root } from '../oracle/world.ts';
import type { Stage } from './stage.ts';

/** What an agent can do to the files of its own loop. */
export const harms = {
  deletesTheLoop: ({ tape }: Stage) => tape.removeTree(loopFolder),
  deletesEverything: ({ tape }: Stage) => tape.removeTree(root),
  deletesTheJournal: ({ tape }: Stage) => tape.removeTree(`${loopFolder}/journal`),
  deletesTheLock: ({ tape }: Stage) => tape.removeTree(`${loopFolder}/lock`),
  deletesTheNewestSegment: (stage: Stage) => stage.tape.removeTree(segmentsOf(stage).at(-1) ?? ''),
  cutsTheNewestSegment: (stage: Stage) => edit(stage, segmentsOf(stage).at(-1), (bytes) => bytes.subarray(0, 350)),
  cutsTheFirstSegment: (stage: Stage) => edit(stage, segmentsOf(stage)[0], (bytes) => bytes.subarray(0, 350)),
  deletesTheFirstSegment: (stage: Stage) => stage.tape.removeTree(segmentsOf(stage)[0] ?? ''),
} as const;

/** Damages the loop without its owner noticing. Damage is `hidden` if only reading the whole journal reveals it. */
export function harm(stage: Stage, how: (stage: Stage) => void, hidden = false): void {
  const exposed: Truth['exposed'] = hidden ? 'until it is opened' : 'until an append';
  stage.tape.begin((truth) => ({ ...truth, exposed, snapshot: { ...truth.snapshot, acknowledged: 0 } }));
  how(stage);
  stage.tape.tell((truth) => ({ ...truth, exposed }));
}

/** The user deletes everything by hand and forgets about the loop. */
export function startOver(stage: Stage): void {
  const { tape } = stage;
  stage.close();
  tape.begin((truth) => ({ ...truth, exists: false, exposed: 'until an append' }));
  tape.removeTree(root);
  // Opening the loop by its id may still restore it.
  tape.tell(({ acknowledged }) => ({ ...nothingYet, possible: [acknowledged], exposed: 'until an append' }));
}

/** Damages the mirror of a guarded loop; the loop itself stays intact. */
export function spoilCopy({ tape }: Stage, change: (bytes: Buffer) => Buffer): void {
  for (const [place, bytes] of tape.disk.image()) {
    if (place.startsWith(mirrorFolder) && bytes !== 'folder') tape.overwrite(place, change(bytes));
  }
}

/** Updates the registry. */
export function writeRegistry(stage: Stage, number: number): void {
  const { text } = registryOf(number);
  stage.writeWhole(
    () => registryFile,
    text,
    (machine) => replaceRegistry(stage.subject, machine, number),
  );
}

function segmentsOf({ tape }: Stage): readonly string[] {
  return [...tape.disk.image().keys()]
    .filter((place) => place.startsWith(loopFolder) && place.endsWith('.jsonl'))
    .sort();
}

function edit({ tape }: Stage, place: string | undefined, change: (bytes: Buffer) => Buffer): void {
  const bytes = place === undefined ? undefined : tape.disk.image().get(place);
  if (place !== undefined && bytes !== undefined && bytes !== 'folder') tape.overwrite(place, change(bytes));
}
