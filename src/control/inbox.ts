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
import { filesInInbox, type InboxPlace, inboxFolder } from './inbox-folder.ts';

const maxFileBytes = 256 * 1024;
const pollEveryMs = 200;
/** How often to check for changes that the system did not report. */
const pollWatchedEveryMs = 1_000;

/** Whether a command is well formed, so that an owner can read it. */
export function isWellFormed(command: LoopCommand): boolean {
  return commandSchema().safeParse(command).success;
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
  const { files = nodeFiles } = place;
  return filesInInbox(place).flatMap((file) => {
    const done = () => removeQuietly(files, file);
    const command = readCommand(files, file);
    if (command !== undefined) return [{ command, done }];
    done();
    return [];
  });
}

/** A command that nobody has answered. */
export interface WaitingCommand {
  readonly command: LoopCommand;
  /** By the clock of its sender. */
  readonly sentAtMs: number;
}

/** The waiting commands, oldest first, for display; removes nothing. */
export function peekCommands(place: InboxPlace): readonly WaitingCommand[] {
  const { files = nodeFiles } = place;
  return filesInInbox(place).flatMap((file) => {
    const command = readCommand(files, file);
    const sentAtMs = Number(/^\d{15}(?=-)/.exec(path.basename(file))?.[0]);
    return command === undefined || Number.isNaN(sentAtMs) ? [] : [{ command, sentAtMs }];
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

function readCommand(files: FilePort, file: string): LoopCommand | undefined {
  try {
    const parsed = commandSchema().safeParse(
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
