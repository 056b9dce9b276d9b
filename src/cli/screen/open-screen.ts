import os from 'node:os';
import path from 'node:path';
import type { LoopPlace } from '../../app/index.ts';
import { type OwnLoop, ScreenSession } from '../../tui/index.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { createPages } from './pages.ts';
import { screenWords } from './words.ts';

/** What to show. */
export interface ScreenRequest {
  readonly place: LoopPlace;
  /** The loop to show first; the list of all without one. */
  readonly loopId?: string | undefined;
  readonly own?: OwnLoop | undefined;
}

/** Opens the screen. Loaded only then, so that no other command pays for it. */
export function openScreen({ place, loopId, own }: ScreenRequest, surroundings: Surroundings): ScreenSession {
  const { stdin, stdout } = surroundings;
  return new ScreenSession({
    place,
    context: appContext(surroundings),
    input: stdin,
    output: stdout,
    words: screenWords,
    pages: createPages(place, surroundings),
    folder: shownFolder(place.workingDirectory),
    loopId,
    own,
  });
}

/** The folder as a title shows it: a home folder is not spelled out. */
function shownFolder(folder: string): string {
  const inside = path.relative(os.homedir(), folder);
  if (inside.startsWith('..') || path.isAbsolute(inside)) return folder;
  return inside === '' ? '~' : path.join('~', inside);
}
