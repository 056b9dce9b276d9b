import path from 'node:path';
import { type FilePort, hasFolder, nodeFiles } from '../files/index.ts';

/** Where a loop's inbox is; `root` is the state folder around it. */
export interface InboxPlace {
  readonly root: string;
  /** The loop's own folder. */
  readonly folder: string;
  readonly files?: FilePort;
}

/** The folder in which a loop's commands wait. */
export function inboxFolder({ folder }: Pick<InboxPlace, 'folder'>): string {
  return path.join(folder, 'inbox');
}

/** The files of the commands that wait for a loop, oldest first. */
export function filesInInbox(place: InboxPlace): readonly string[] {
  const { files = nodeFiles, root } = place;
  const inbox = inboxFolder(place);
  if (!hasFolder(files, root, inbox)) return [];
  const names = files.list(inbox).filter((name) => name.endsWith('.json'));
  return names.toSorted().map((name) => path.join(inbox, name));
}
