import type { Random } from '../../simulation/random.ts';
import { type Image, inside } from '../disk/image.ts';
import { wholeOf } from './contents.ts';
import { contentPrint, folderPrint, ImagePrint, pathPrint } from './fingerprint.ts';
import type { Axis, Choices } from './models.ts';
import { copyOf, type FileLife, follow, type Target } from './replay.ts';

/** One legal image after a crash. */
export interface CrashState {
  /** The fingerprint of the image; equal images have equal fingerprints. */
  readonly print: number;
  /** The option taken on each axis. */
  readonly choice: readonly number[];
  image(): Image;
}

// The number of images that a crash can leave; may be too many to enumerate.
function countStates({ axes }: Choices): number {
  return axes.reduce((count, axis) => count * axis.options.length, 1);
}

/** Visits every image if there are at most `cap`; otherwise the extremes and a random selection, `cap` in total. */
export function visitStates(
  choices: Choices,
  how: { readonly cap: number; readonly random: Random },
  visit: (state: CrashState) => void,
): number {
  const { axes } = choices;
  const radices = axes.map((axis) => axis.options.length);
  const skeletons = new Map<string, Skeleton>();
  const contents = new Map(axes.flatMap((axis, index) => (axis.of === 'content' ? [[axis.file, index] as const] : [])));
  const namesAxes = axes.flatMap((axis, index) => (axis.of === 'content' ? [] : [index]));
  const see = (choice: readonly number[]) => {
    const key = namesAxes.map((index) => choice[index]).join();
    const skeleton = skeletons.get(key) ?? skeletonOf(choices, choice);
    skeletons.set(key, skeleton);
    const bytesOf = (file: FileLife): Buffer => {
      const index = contents.get(file);
      const axis = index === undefined ? undefined : axes[index];
      if (index === undefined || axis?.of !== 'content') return certain(file);
      return axis.options[choice[index] ?? 0] ?? nothing;
    };
    visit({ print: printOf(skeleton, bytesOf), choice, image: () => fill(skeleton, bytesOf) });
  };
  const selected = countStates(choices) <= how.cap ? allOf(radices) : someOf(radices, how);
  let count = 0;
  for (const choice of selected) {
    count += 1;
    see(choice);
  }
  return count;
}

type Skeleton = readonly { readonly place: string; readonly target: Target }[];

const nothing = Buffer.alloc(0);
const wholes = new WeakMap<FileLife['extents'], Buffer>();

function certain(file: FileLife): Buffer {
  const known = wholes.get(file.extents) ?? wholeOf(file);
  wholes.set(file.extents, known);
  return known;
}

function* allOf(radices: readonly number[]): Generator<readonly number[]> {
  const total = radices.reduce((count, radix) => count * radix, 1);
  for (let index = 0; index < total; index += 1) {
    let rest = index;
    yield radices.map((radix) => {
      const digit = rest % radix;
      rest = (rest - digit) / radix;
      return digit;
    });
  }
}

function* someOf(
  radices: readonly number[],
  { cap, random }: { readonly cap: number; readonly random: Random },
): Generator<readonly number[]> {
  const known = new Set<string>();
  const isNew = (choice: readonly number[]) => {
    const key = choice.join();
    if (known.has(key)) return false;
    known.add(key);
    return true;
  };
  const all = radices.map(() => 0);
  const none = radices.map((radix) => radix - 1);
  const single = radices.flatMap((radix, at) => [all.with(at, radix - 1), none.with(at, 0)]);
  for (const choice of [all, none, ...single].slice(0, cap)) if (isNew(choice)) yield choice;
  for (let tries = 0; known.size < cap && tries < cap * 4; tries += 1) {
    const choice = radices.map((radix) => random.int(0, radix - 1));
    if (isNew(choice)) yield choice;
  }
}

function skeletonOf({ names, axes }: Choices, choice: readonly number[]): Skeleton {
  const known = copyOf(names);
  for (const [index, axis] of axes.entries()) applyNames(known, axis, choice[index] ?? 0);
  const found: { place: string; target: Target }[] = [{ place: '/', target: 'folder' }];
  for (let at = 0; at < found.length; at += 1) {
    const { place, target } = found[at] ?? { place: '/', target: 'folder' };
    if (target !== 'folder') continue;
    for (const [name, below] of known.get(place) ?? []) found.push({ place: inside(place, name), target: below });
  }
  return found;
}

function applyNames(names: Map<string, Map<string, Target>>, axis: Axis, option: number): void {
  if (axis.of === 'change') follow(names, axis.change, axis.options[option]);
  if (axis.of !== 'prefix') return;
  for (const change of axis.changes.slice(0, axis.options[option])) follow(names, change);
}

function printOf(skeleton: Skeleton, bytesOf: (file: FileLife) => Buffer): number {
  const print = new ImagePrint();
  for (const { place, target } of skeleton) {
    print.add(pathPrint(place), target === 'folder' ? folderPrint : contentPrint(bytesOf(target)));
  }
  return print.value;
}

function fill(skeleton: Skeleton, bytesOf: (file: FileLife) => Buffer): Image {
  return new Map(skeleton.map(({ place, target }) => [place, target === 'folder' ? target : bytesOf(target)]));
}
