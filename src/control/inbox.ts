import path from 'node:path';
import type { LoopCommand } from '../core/index.ts';
import {
  type FilePort,
  hasFolder,
  makeFolders,
  nodeFiles,
  readWhole,
  watchFolder,
  writeFileDurably,
} from '../files/index.ts';
import { commandSchema } from '../protocol/index.ts';

const maxFileBytes = 256 * 1024;
const pollEveryMs = 200;
/** How often to check for changes that the system did not report. */
const pollWatchedEveryMs = 1_000;

/** Where a loop's inbox is; `root` is the state folder. */
export interface InboxPlace {
  readonly root: string;
  /** The loop's own folder. */
  readonly folder: string;
  readonly files?: FilePort;
}

/** Whether a command is well formed, so that an owner can read it. */
export function isWellFormed(command: LoopCommand): boolean {
  return commandSchema.safeParse(command).success;
}

/** Leaves a command for the loop's owner. It is durable on return and can be withdrawn until it is answered. */
export function leaveCommand(
  place: InboxPlace,
  command: LoopCommand,
  nowMs: number,
): { readonly takeBack: () => void } {
  const { files = nodeFiles, root } = place;
  const inbox = inboxFolder(place);
  makeFolders(files, root, inbox);
  const name = `${String(nowMs).padStart(15, '0')}-${command.id}.json`;
  const file = path.join(inbox, name);
  writeFileDurably(files, file, Buffer.from(`${JSON.stringify(command)}\n`));
  return { takeBack: () => removeQuietly(files, file) };
}

/** A command in the inbox. `done` removes it once its answer is durable. */
export interface Delivery {
  readonly command: LoopCommand;
  readonly done: () => void;
}

/** The waiting commands, oldest first. A file that is not a command is removed, because it could never be answered. */
export function collectCommands(place: InboxPlace): readonly Delivery[] {
  const { files = nodeFiles, root } = place;
  const inbox = inboxFolder(place);
  if (!hasFolder(files, root, inbox)) return [];
  const names = files
    .list(inbox)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return names.flatMap((name) => {
    const file = path.join(inbox, name);
    const done = () => removeQuietly(files, file);
    const command = readCommand(files, file);
    if (command !== undefined) return [{ command, done }];
    done();
    return [];
  });
}

/** Delivers commands as they arrive, until it is disposed of; a command that is not removed is delivered again. */
export function watchInbox(place: InboxPlace, receive: (delivery: Delivery) => void): Disposable {
  const { files = nodeFiles, root } = place;
  const inbox = inboxFolder(place);
  const deliver = () => {
    for (const delivery of collectCommands(place)) receive(delivery);
  };
  const recheck = () => {
    try {
      deliver();
    } catch {
      // A folder that an agent made unreadable is skipped; it must not end the loop.
    }
  };
  let watch: Disposable | undefined;
  let timer: NodeJS.Timeout | undefined;
  const keepWatch = () => {
    const isThere = isFolderThere(files, root, inbox);
    if (!isThere) watch?.[Symbol.dispose]();
    watch = isThere ? (watch ?? watchFolder(inbox, recheck)) : undefined;
    timer = setTimeout(
      () => {
        keepWatch();
        recheck();
      },
      watch === undefined ? pollEveryMs : pollWatchedEveryMs,
    );
    timer.unref();
  };
  deliver();
  keepWatch();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watch?.[Symbol.dispose]();
    },
  };
}

function isFolderThere(files: FilePort, root: string, folder: string): boolean {
  try {
    return hasFolder(files, root, folder);
  } catch {
    return false;
  }
}

function inboxFolder({ folder }: InboxPlace): string {
  return path.join(folder, 'inbox');
}

function readCommand(files: FilePort, file: string): LoopCommand | undefined {
  try {
    const parsed = commandSchema.safeParse(
      JSON.parse(readWhole(files, file, { limit: maxFileBytes }).toString('utf8')),
    );
    return parsed.success ? (parsed.data as LoopCommand) : undefined;
  } catch {
    return undefined;
  }
}

function removeQuietly(files: FilePort, file: string): void {
  try {
    files.remove(file);
  } catch {
    // Another process removed it, or it is delivered again and answered as a repetition.
  }
}
