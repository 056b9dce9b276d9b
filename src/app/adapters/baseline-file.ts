import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import { type FileInfo, type OpenFile, placeFile, quietly, readWhole, writeAll, writing } from '../../files/index.ts';
import type { LoopFolder } from '../../store/index.ts';

/** Stores one state of the work tree beyond this process; saving replaces the previous one. */
export interface BaselineFile extends Disposable {
  /** Saves bytes; a failure is ignored. */
  save(bytes: Uint8Array): void;
  /** The bytes last saved, if they can be read. */
  load(): Uint8Array | undefined;
}

const maxBytes = 64 * 1024 * 1024;
/** Lines are added up to this size; then the file begins anew. */
const maxLinesBytes = 256 * 1024;
const lineBreak = 10;

type Place = Pick<LoopFolder, 'files' | 'folder'>;

/**
 * The state of the work tree at the start of the loop. It is never synced: without it, a run never counts as unchanged.
 */
export function createStartFile({ files, folder }: Place): BaselineFile {
  const file = path.join(folder, 'start-tree.json.gz');
  return {
    save(bytes) {
      if (bytes.byteLength <= maxBytes) unlessRefused(() => placeFile(files, file, bytes));
    },
    load: () => unlessRefused(() => readWhole(files, file, { limit: maxBytes })),
    [Symbol.dispose]: () => {},
  };
}

interface Growing {
  readonly file: OpenFile;
  readonly info: FileInfo;
  bytes: number;
}

/**
 * The state of the work tree before the newest run. It is never synced: it is for an agent that outlived its ralphd, which a
 * power cut rules out. A state of one line is added to those before it, and the last whole line counts: the next agent
 * waits for this, and nothing is quicker than a write to an open file.
 */
export function createRunFile({ files, folder }: Place): BaselineFile {
  const place = path.join(folder, 'work-tree.jsonl');
  let open: Growing | undefined;
  const close = () => {
    const { file } = open ?? {};
    open = undefined;
    if (file !== undefined) quietly(() => files.close(file));
  };
  const begin = (): Growing => {
    close();
    if (files.look(place) !== undefined) files.remove(place);
    const file = files.create(place);
    open = { file, info: files.lookAt(file), bytes: 0 };
    return open;
  };
  const isStillThere = ({ info }: Growing) => {
    const found = files.look(place);
    return found?.inode === info.inode && found.device === info.device;
  };
  const add = (line: Uint8Array) => {
    const isUsable = open !== undefined && open.bytes + line.byteLength <= maxLinesBytes && isStillThere(open);
    const growing = open !== undefined && isUsable ? open : begin();
    writeAll(files, growing.file, line);
    growing.bytes += line.byteLength;
  };
  return {
    save(bytes) {
      if (bytes.byteLength > maxBytes) return;
      const isLine = bytes[0] !== compressed && bytes.byteLength <= maxLinesBytes;
      unlessRefused(() =>
        writing(place, () => {
          try {
            if (isLine) return add(bytes);
          } catch (error) {
            close();
            throw error;
          }
          close();
          placeFile(files, place, bytes);
        }),
      );
    },
    load: () => unlessRefused(() => lastLine(readWhole(files, place, { limit: maxBytes }))),
    [Symbol.dispose]: close,
  };
}

const compressed = 0x1f;

/** What follows the last line break belongs to a line that was not written completely; a state of many files is no line. */
function lastLine(bytes: Buffer): Uint8Array {
  const end = bytes.lastIndexOf(lineBreak);
  if (bytes[0] === compressed || end === -1) return bytes;
  return bytes.subarray(bytes.lastIndexOf(lineBreak, end - 1) + 1, end + 1);
}

// Without it the changes of an adopted run are unknown, which is better than not running at all.
function unlessRefused<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof LoopError) return undefined;
    throw error;
  }
}
