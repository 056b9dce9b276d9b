import { type Image, nameOf } from '../disk/image.ts';
import { type Subject, subjectFor } from '../oracle/subject.ts';
import { harm, harms, writeRegistry } from '../scenarios/harm.ts';
import { checkpoint, type Scenario } from '../scenarios/scenarios.ts';
import { Stage } from '../scenarios/stage.ts';

/** The files of a loop, taken after a history that creates every kind. */
export interface Corpus {
  /** The store that reads it, with or without a mirror. */
  readonly subject: Subject;
  readonly image: Image;
  readonly files: readonly { readonly kind: string; readonly place: string; readonly bytes: Buffer }[];
}

/** The kind of file at a path. */
const kinds: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^\/home\/.+\.jsonl$/, 'copy of a segment'],
  [/\/registry\.json$/, 'registry'],
  [/\/journal\/[^/]+\.jsonl$/, 'journal segment'],
  [/\/state\.json$/, 'state.json'],
  [/\/state\.json\.broken-/, 'snapshot put aside'],
  [/\/checkpoints\//, 'checkpoint'],
  [/\/backups\//, 'backup'],
  [/\/owner\.json$/, 'owner.json'],
  [/\/lock$/, 'lock'],
  [/\/inbox\//, 'inbox command'],
  [/\/iterations\//, "an attempt's file"],
  [/\/\.gitignore$/, '.gitignore'],
];

type Life = Pick<Scenario, 'play' | 'isGuarded'>;

const plain: readonly Scenario['play'][] = [
  // Only the journal holds the loop.
  (stage) => {
    stage.create();
    stage.append(1);
    stage.append(2);
    stage.close();
    stage.open();
    stage.append(1);
    stage.append(1);
  },
  // A snapshot and the facts after it.
  (stage) => {
    stage.create();
    stage.append(2);
    stage.snapshot();
    stage.append(2);
    stage.put('inbox', '1-a.json', '{"id":"a","command":"pause"}\n');
    stage.put('iterations/001', 'prompt', 'Fix the tests.\n');
  },
  // The snapshot is already damaged; a checkpoint and a backup replace it.
  (stage) => {
    stage.create();
    stage.append(2);
    stage.snapshot();
    stage.keep((loop) => checkpoint(loop, stage.tape.truth().acknowledged));
    stage.append();
    stage.keep((loop) => loop.backUp({ compress: false, maxBackups: 3 }).file);
    stage.append();
    stage.damage('state.json', (bytes) => bytes.subarray(0, 60));
  },
  // A loop with a registry.
  (stage) => {
    stage.create();
    stage.append();
    writeRegistry(stage, 1);
  },
];

const guarded: readonly Scenario['play'][] = [
  // The state and its mirror are intact.
  (stage) => {
    stage.create();
    stage.append(2);
    stage.open();
    stage.append(2);
  },
  // An agent deleted the state: only the mirror holds the loop.
  (stage) => {
    stage.create();
    stage.append(2);
    stage.open();
    stage.append(2);
    stage.append();
    harm(stage, harms.deletesEverything);
  },
];

const lives: readonly Life[] = [
  ...plain.map((play) => ({ play })),
  ...guarded.map((play) => ({ play, isGuarded: true })),
];

/** The number of different histories. */
export const livesInTurn = lives.length;

/** The n-th loop of the corpus; the lengths of the facts differ from loop to loop. */
export function corpusOf(subject: Subject, number: number): Corpus {
  const { play, isGuarded = false } = lives[number % lives.length] ?? { play: () => {} };
  const reader = subjectFor({ isGuarded }, subject);
  const stage = new Stage({ subject: reader, pid: 1000 + number, noteBytes: number % 40, firstFact: 1 + 100 * number });
  play(stage);
  const image = stage.tape.disk.image();
  const files = [...image].flatMap(([place, bytes]) => {
    if (bytes === 'folder' || place.endsWith('/reserve')) return [];
    return [{ kind: kinds.find(([pattern]) => pattern.test(place))?.[1] ?? nameOf(place), place, bytes }];
  });
  return { subject: reader, image, files };
}
