import { failures, LoopError } from '../base/index.ts';

const blockBytes = 512;
const nameBytes = 100;

/** A file in an archive. */
export interface TarFile {
  readonly name: string;
  readonly size: number;
}

/** Some bytes of a file in an archive, in order; an empty file has one empty piece. */
export interface TarPiece extends TarFile {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Reads an archive piece by piece; anything but plain files and folders is refused. */
export interface TarReader {
  /** The pieces that a chunk completes; their bytes are valid until the next call. */
  push(chunk: Uint8Array): readonly TarPiece[];
  /** Throws if the archive is incomplete. */
  end(): void;
}

/** The end of an archive. */
export const tarEnd: Uint8Array = new Uint8Array(2 * blockBytes);

/** What comes before the bytes of a file: its name, its size, and that it is a plain file of its owner. */
export function tarHeader({ name, size }: TarFile, modifiedMs: number): Uint8Array {
  const header = Buffer.alloc(blockBytes);
  const { prefix, rest } = splitName(name);
  header.write(rest, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(
    `${Math.max(0, Math.floor(modifiedMs / 1000))
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
  );
  header.write('0', 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  header.write(prefix, 345);
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** What follows the bytes of a file, so that the next one starts at a whole block. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array(padding(size));
}

/** Reads archives. `maxBytes` bounds the content of all files together. */
export function createTarReader({ maxBytes }: { readonly maxBytes: number }): TarReader {
  let header = Buffer.alloc(0);
  let file: TarFile | undefined;
  let [read, skip, total, empties] = [0, 0, 0, 0];

  const takeHeader = (block: Buffer): readonly TarPiece[] => {
    if (block.every((byte) => byte === 0)) {
      empties += 1;
      return [];
    }
    if (empties > 0) throw damaged('something follows its end');
    const found = parseHeader(block);
    if (found === 'folder') return [];
    total += found.size;
    if (total > maxBytes) throw damaged(`its files have more than ${maxBytes} bytes in all`);
    if (found.size === 0) return [{ ...found, offset: 0, bytes: new Uint8Array() }];
    file = found;
    read = 0;
    return [];
  };
  return {
    push(chunk) {
      const pieces: TarPiece[] = [];
      let rest = chunk;
      while (rest.byteLength > 0) {
        if (file !== undefined) {
          const bytes = rest.subarray(0, file.size - read);
          pieces.push({ ...file, offset: read, bytes });
          read += bytes.byteLength;
          rest = rest.subarray(bytes.byteLength);
          if (read < file.size) continue;
          skip = padding(file.size);
          file = undefined;
        } else if (skip > 0) {
          const passed = Math.min(skip, rest.byteLength);
          skip -= passed;
          rest = rest.subarray(passed);
        } else {
          const more = rest.subarray(0, blockBytes - header.byteLength);
          header = Buffer.concat([header, more]);
          rest = rest.subarray(more.byteLength);
          if (header.byteLength < blockBytes) continue;
          pieces.push(...takeHeader(header));
          header = Buffer.alloc(0);
        }
      }
      return pieces;
    },
    end() {
      if (file !== undefined || header.byteLength > 0 || empties < 2) throw damaged('it is cut off');
    },
  };
}

/** Whether bytes begin like an archive. */
export function looksLikeTar(start: Uint8Array): boolean {
  return Buffer.from(start).subarray(257, 262).toString('latin1') === 'ustar';
}

function parseHeader(block: Buffer): TarFile | 'folder' {
  if (block.toString('latin1', 257, 262) !== 'ustar') throw damaged('it is not a tar archive of this kind');
  const sum = octal(block, 148, 8);
  const zeroed = Buffer.from(block).fill(' ', 148, 156);
  if (sum !== sumOf(zeroed)) throw damaged('a checksum in it is wrong');
  const type = block.toString('latin1', 156, 157);
  if (type === '5') return 'folder';
  if (type !== '0' && type !== '\0') throw damaged(`it contains more than plain files (type "${type}")`);
  const [prefix, name] = [text(block, 345, 155), text(block, 0, nameBytes)];
  const whole = prefix === '' ? name : `${prefix}/${name}`;
  return { name: whole.startsWith('./') ? whole.slice(2) : whole, size: octal(block, 124, 12) };
}

function text(block: Buffer, from: number, length: number): string {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

function octal(block: Buffer, from: number, length: number): number {
  const digits = text(block, from, length).trim();
  if (!/^[0-7]{1,11}$/.test(digits)) throw damaged('a number in it cannot be read');
  return Number.parseInt(digits, 8);
}

function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

function splitName(name: string): { readonly prefix: string; readonly rest: string } {
  if (Buffer.byteLength(name) <= nameBytes) return { prefix: '', rest: name };
  for (let slash = name.indexOf('/'); slash !== -1; slash = name.indexOf('/', slash + 1)) {
    const [prefix, rest] = [name.slice(0, slash), name.slice(slash + 1)];
    if (Buffer.byteLength(rest) <= nameBytes && Buffer.byteLength(prefix) <= 155) return { prefix, rest };
  }
  throw new RangeError(`"${name}" is too long for an archive.`);
}

function padding(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

function damaged(why: string): LoopError {
  return new LoopError(failures.backupDamaged('The archive', why));
}
