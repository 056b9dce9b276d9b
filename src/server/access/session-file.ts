import path from 'node:path';
import { makeRoot, nodeFiles, quietly, readWhole, writeFileDurably } from '../../files/index.ts';

/** A browser that is signed in. Both halves are kept as digests. */
export interface SessionRecord {
  readonly cookie: string;
  readonly key: string;
  readonly expiresMs: number;
}

/** Where sessions are kept, so that a restarted server still knows them. */
export interface SessionFile {
  read(): readonly SessionRecord[];
  write(sessions: readonly SessionRecord[]): void;
}

const maxBytes = 256 * 1024;

/** Sessions in a file that only its user can read. If it cannot be written, they end with the server. */
export function openSessionFile(file: string): SessionFile {
  const own = noSessionFile();
  let isWritten = true;
  return {
    read() {
      if (!isWritten) return own.read();
      let found: unknown;
      quietly(() => {
        found = JSON.parse(readWhole(nodeFiles, file, { limit: maxBytes }).toString('utf8'));
      });
      return Array.isArray(found) ? found.filter(isRecord) : [];
    },
    write(sessions) {
      own.write(sessions);
      isWritten = false;
      quietly(() => {
        makeRoot(nodeFiles, path.dirname(file));
        writeFileDurably(nodeFiles, file, Buffer.from(`${JSON.stringify(sessions)}\n`));
        isWritten = true;
      });
    },
  };
}

/** Sessions that end with the server. */
export function noSessionFile(): SessionFile {
  let sessions: readonly SessionRecord[] = [];
  return {
    read: () => sessions,
    write: (next) => {
      sessions = next;
    },
  };
}

const digestLength = 43;

function isRecord(value: unknown): value is SessionRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { cookie, key, expiresMs }: Record<string, unknown> = { ...value };
  const isDigest = (text: unknown) => typeof text === 'string' && text.length === digestLength;
  return isDigest(cookie) && isDigest(key) && typeof expiresMs === 'number';
}
