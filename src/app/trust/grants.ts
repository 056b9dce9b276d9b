import path from 'node:path';
import { failures, LoopError, sha256 } from '../../base/index.ts';
import type { BroughtLine } from '../../config/index.ts';
import { look, makeRoot, nodeFiles, quietly, readWhole, writeFileDurably } from '../../files/index.ts';
import { ownState } from '../stores.ts';

/** What the user trusts in a folder. */
export interface Grant {
  /** The project, or the state folder of a loop. */
  readonly folder: string;
  /** The loop whose settings these are. */
  readonly loop?: string;
  /** `any`: whatever the folder and those below bring, now and later. */
  readonly scope: 'lines' | 'any';
  readonly lines: readonly Pick<BroughtLine, 'setting' | 'where' | 'id'>[];
  readonly at: string;
}

/** Whose lines they are. */
export type Subject = Pick<Grant, 'folder' | 'loop'>;

type Environment = NodeJS.ProcessEnv;

const maxBytes = 8 * 1024 * 1024;

/** Whether the user trusts all these lines. */
export function isGranted(subject: Subject, lines: readonly BroughtLine[], env: Environment): boolean {
  if (lines.length === 0) return true;
  const isAbove = (folder: string) => subject.folder === folder || subject.folder.startsWith(withSeparator(folder));
  const covers = ({ scope, folder, loop, lines: known }: Grant) => {
    if (scope === 'any') return isAbove(folder);
    if (folder !== subject.folder || loop !== subject.loop) return false;
    const ids = new Set(known.map(({ id }) => id));
    return lines.every(({ id }) => ids.has(id));
  };
  // There may be as many grants as loops; usually the one of exactly this name is enough.
  const name = nameOf({ ...subject, scope: 'lines', lines });
  const own = existingFolder(env).flatMap((trusted) => readGrant(path.join(trusted, name)));
  return own.some(covers) || readGrants(env).some(covers);
}

/** Remembers a grant; refused if there is no folder for it. */
export function writeGrant(grant: Omit<Grant, 'at'>, { env, at }: { readonly env: Environment; readonly at: string }) {
  const folder = trustFolder(env);
  if (folder === undefined) throw new LoopError(failures.trustNotKept());
  makeRoot(nodeFiles, folder);
  const bytes = Buffer.from(`${JSON.stringify({ version: 1, ...grant, at })}\n`);
  writeFileDurably(nodeFiles, path.join(folder, nameOf(grant)), bytes);
}

/** All grants, oldest first. Damaged files grant nothing. */
export function readGrants(env: Environment): readonly Grant[] {
  return filesOf(env)
    .flatMap((file) => readGrant(file))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}

/** Removes the grants that match, and returns them. */
export function removeGrants(matches: (grant: Grant) => boolean, env: Environment): readonly Grant[] {
  return filesOf(env).flatMap((file) => {
    const found = readGrant(file).filter(matches);
    if (found.length > 0) nodeFiles.remove(file);
    return found;
  });
}

/** One grant for each set of lines, except that a loop has only its latest. */
function nameOf({ folder, loop, scope, lines }: Omit<Grant, 'at'>): string {
  const what = loop === undefined ? [scope, ...lines.map(({ id }) => id).sort()] : [];
  return `${sha256(folder).slice(0, 16)}-${sha256(JSON.stringify([loop, ...what])).slice(0, 16)}.json`;
}

function trustFolder(env: Environment): string | undefined {
  const own = ownState(env);
  return own === undefined ? undefined : path.join(own, 'trust');
}

function existingFolder(env: Environment): readonly string[] {
  const folder = trustFolder(env);
  return folder !== undefined && look(nodeFiles, folder)?.kind === 'folder' ? [folder] : [];
}

function filesOf(env: Environment): readonly string[] {
  return existingFolder(env).flatMap((folder) => {
    const names = nodeFiles.list(folder).filter((name) => /^[0-9a-f]{16}-[0-9a-f]{16}\.json$/u.test(name));
    return names.map((name) => path.join(folder, name));
  });
}

function readGrant(file: string): readonly Grant[] {
  let grant: unknown;
  quietly(() => {
    // A file of somebody else must not decide what runs.
    if (look(nodeFiles, file)?.userId !== process.getuid?.()) return;
    grant = JSON.parse(readWhole(nodeFiles, file, { limit: maxBytes }).toString('utf8'));
  });
  return isGrant(grant) ? [grant] : [];
}

function isGrant(value: unknown): value is Grant {
  if (typeof value !== 'object' || value === null) return false;
  const { version, folder, loop, scope, lines, at }: Record<string, unknown> = { ...value };
  const isLine = (line: unknown) => typeof line === 'object' && line !== null && 'id' in line;
  return (
    version === 1 &&
    typeof folder === 'string' &&
    path.isAbsolute(folder) &&
    (loop === undefined || typeof loop === 'string') &&
    (scope === 'lines' || scope === 'any') &&
    Array.isArray(lines) &&
    lines.every(isLine) &&
    typeof at === 'string'
  );
}

function withSeparator(folder: string): string {
  return folder.endsWith(path.sep) ? folder : folder + path.sep;
}
