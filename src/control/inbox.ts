import path from 'node:path';
import * as z from 'zod';
import { type LoopCommand, longestGuidance } from '../core/index.ts';
import { type FilePort, hasFolder, makeFolders, nodeFiles, readWhole, writeFileDurably } from '../store/index.ts';

const largestFile = 256 * 1024;
const pollEveryMs = 200;

const id = z.string().min(1).max(100);
const commandSchema = z.discriminatedUnion('command', [
  z.strictObject({ id, command: z.literal('pause'), now: z.boolean().optional() }),
  z.strictObject({ id, command: z.enum(['resume', 'stop', 'abort', 'skip', 'reboot', 'retry']) }),
  z.strictObject({ id, command: z.literal('guide'), text: z.string().max(longestGuidance) }),
]);

/** Where a loop's inbox is; `root` is the state folder around it. */
export interface InboxPlace {
  readonly root: string;
  /** The loop's own folder. */
  readonly folder: string;
  readonly files?: FilePort;
}

/** Leaves a command for the loop's owner; it is durable when this returns. */
export function leaveCommand(place: InboxPlace, command: LoopCommand, nowMs: number): void {
  const { files = nodeFiles, root } = place;
  const inbox = inboxFolder(place);
  makeFolders(files, root, inbox);
  const name = `${String(nowMs).padStart(15, '0')}-${command.id}.json`;
  writeFileDurably(files, path.join(inbox, name), Buffer.from(`${JSON.stringify(command)}\n`));
}

/** A command found in the inbox. `done` takes it away, once the answer to it is durable. */
export interface Delivery {
  readonly command: LoopCommand;
  readonly done: () => void;
}

/** The commands that wait, oldest first. A file that is no command is taken away: it could never be answered. */
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

/** Delivers commands as they arrive, until it is disposed of. */
export function watchInbox(place: InboxPlace, receive: (delivery: Delivery) => void): Disposable {
  const deliver = () => {
    for (const delivery of collectCommands(place)) receive(delivery);
  };
  deliver();
  const timer = setInterval(() => {
    try {
      deliver();
    } catch {
      // A folder that an agent made unreadable says nothing; the loop must not fall with it.
    }
  }, pollEveryMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function inboxFolder({ folder }: InboxPlace): string {
  return path.join(folder, 'inbox');
}

function readCommand(files: FilePort, file: string): LoopCommand | undefined {
  try {
    const parsed = commandSchema.safeParse(JSON.parse(readWhole(files, file, { limit: largestFile }).toString('utf8')));
    return parsed.success ? (parsed.data as LoopCommand) : undefined;
  } catch {
    return undefined;
  }
}

function removeQuietly(files: FilePort, file: string): void {
  try {
    files.remove(file);
  } catch {
    // Somebody else took it away, or it comes again and is answered as a repetition.
  }
}
