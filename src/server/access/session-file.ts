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

/** Sessions in a file that only its user can read. Optional: if it fails, a restart ends all sessions. */
export function openSessionFile(file: string): SessionFile {
  return {
    read() {
      let found: unknown;
      quietly(() => {
        found = JSON.parse(readWhole(nodeFiles, file, { limit: maxBytes }).toString('utf8'));
      });
      return Array.isArray(found) ? found.filter(isRecord) : [];
    },
    write(sessions) {
      quietly(() => {
        makeRoot(nodeFiles, path.dirname(file));
        writeFileDurably(nodeFiles, file, Buffer.from(`${JSON.stringify(sessions)}\n`));
      });
    },
  };
}

/** Sessions that end with the server. */
export function noSessionFile(): SessionFile {
  return { read: () => [], write: () => {} };
}

const digestLength = 43;

function isRecord(value: unknown): value is SessionRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { cookie, key, expiresMs }: Record<string, unknown> = { ...value };
  const isDigest = (text: unknown) => typeof text === 'string' && text.length === digestLength;
  return isDigest(cookie) && isDigest(key) && typeof expiresMs === 'number';
}
