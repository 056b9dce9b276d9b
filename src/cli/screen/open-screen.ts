import os from 'node:os';
import path from 'node:path';
import type { LoopPlace } from '../../app/index.ts';
import { type OwnLoop, type ScreenPages, ScreenSession } from '../../tui/index.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
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
    pages: pagesOnDemand(place, surroundings),
    folder: shownFolder(place.workingDirectory),
    loopId,
    own,
  });
}

/** What reads a page is loaded when one is opened: a screen that is watched for days holds only what it needs. */
function pagesOnDemand(place: LoopPlace, surroundings: Surroundings): ScreenPages {
  const load = async () => (await import('./pages.ts')).createPages(place, surroundings);
  return {
    inspect: async (...asked) => await (await load()).inspect(...asked),
    diff: async (...asked) => await (await load()).diff(...asked),
    explain: async (...asked) => await (await load()).explain(...asked),
    words: async (...asked) => await (await load()).words(...asked),
  };
}

/** The folder as a title shows it: a home folder is not spelled out. */
function shownFolder(folder: string): string {
  const inside = path.relative(os.homedir(), folder);
  if (inside.startsWith('..') || path.isAbsolute(inside)) return folder;
  return inside === '' ? '~' : path.join('~', inside);
}
