import { type Image, nameOf } from '../disk/image.ts';
import type { Subject } from '../oracle/subject.ts';
import { checkpoint, type Scenario } from '../scenarios/scenarios.ts';
import { Stage } from '../scenarios/stage.ts';

/** A loop's files after a life that left one of every kind. */
export interface Corpus {
  readonly image: Image;
  readonly files: readonly { readonly kind: string; readonly place: string; readonly bytes: Buffer }[];
}

/** Which kind of file stands at a path; a new kind is one line here. */
const kinds: readonly (readonly [pattern: RegExp, kind: string])[] = [
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

const lives: readonly Scenario['play'][] = [
  // The journal alone carries the loop.
  (stage) => {
    stage.create();
    stage.append(1);
    stage.append(2);
    stage.close();
    stage.open();
    stage.append(1);
    stage.append(1);
  },
  // A snapshot and the facts behind it.
  (stage) => {
    stage.create();
    stage.append(2);
    stage.snapshot();
    stage.append(2);
    stage.put('inbox', '1-a.json', '{"id":"a","command":"pause"}\n');
    stage.put('iterations/001', 'prompt', 'Fix the tests.\n');
  },
  // The snapshot is damaged already; checkpoint and backup stand in for it.
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
];

/** The n-th loop of the corpus; each has facts of other lengths. */
export function corpusOf(subject: Subject, number: number): Corpus {
  const stage = new Stage({ subject, pid: 1000 + number, noteBytes: number % 40, firstFact: 1 + 100 * number });
  lives[number % lives.length]?.(stage);
  const image = stage.tape.disk.image();
  const files = [...image].flatMap(([place, bytes]) => {
    if (bytes === 'folder' || place.endsWith('/reserve')) return [];
    return [{ kind: kinds.find(([pattern]) => pattern.test(place))?.[1] ?? nameOf(place), place, bytes }];
  });
  return { image, files };
}
