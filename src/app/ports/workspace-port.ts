import type { ToldFile } from '../../core/index.ts';
import type { Changes } from '../../protocol/index.ts';
import type { AttemptKey, WorkspacePort } from '../../runner/index.ts';
import {
  changesBetween,
  commitOf,
  digestOf,
  type Fingerprint,
  lookInside,
  packFingerprint,
  recentCommits,
  takeFingerprint,
  unpackFingerprint,
} from '../../workspace/index.ts';

/** Which folder is watched, and what in it is ours and never counts. */
export interface WorkspaceSetting {
  readonly workingDirectory: string;
  /** Absolute paths of what we write ourselves. */
  readonly ours: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly trackFileChanges: boolean;
  readonly baseline: BaselineFile;
  /** Whether a file, seen from the folder, is one that the agent should not change. */
  readonly isProtected: (path: string) => boolean;
}

/** Where one state of the work tree outlives this process; each that is saved replaces the one before. */
export interface BaselineFile {
  /** Keeps bytes; a disk that cannot take them is no reason to stop. */
  save(bytes: Uint8Array): void;
  /** What was kept last, if it can be read. */
  load(): Uint8Array | undefined;
}

/** Compares the work tree before and after a run, also when the run outlived the process that began it. */
export function createWorkspacePort(setting: WorkspaceSetting): WorkspacePort {
  const { workingDirectory, ours, env, trackFileChanges, baseline, isProtected } = setting;
  let before = nothingTaken;
  // What was seen last saves reading; only what was seen first is compared with.
  let latest = nothingTaken;
  const take = async () => {
    latest = await takeFingerprint(workingDirectory, { env, exclude: ours, previous: latest });
    return latest;
  };
  return {
    async begin(key, isStraightBehindRun = false) {
      if (!trackFileChanges) return;
      if (!isStraightBehindRun || before.kind === 'unknown') before = await take();
      const bytes = await packFingerprint(nameOf(key), before);
      if (bytes !== undefined) baseline.save(bytes);
    },
    async restore(key) {
      if (!trackFileChanges) return;
      const bytes = baseline.load();
      before = bytes === undefined ? nothingTaken : await unpackFingerprint(nameOf(key), bytes);
    },
    async changes() {
      if (!trackFileChanges) return unknownChanges;
      const after = await take();
      const { counts, known, headMoved, modified, created, deleted, all } = await changesBetween(before, after, env);
      before = after;
      const commit = commitOf(after);
      return {
        known,
        headMoved,
        modified: [...modified],
        created: [...created],
        deleted: [...deleted],
        count: counts.modified + counts.created + counts.deleted,
        ...protectedAmong(all, isProtected),
        ...(commit === undefined ? {} : { commit }),
      };
    },
    readFiles: (names, mostBytes) => names.map((name) => toldFile(workingDirectory, name, mostBytes)),
    recentCommits: async (count) => await recentCommits(workingDirectory, { count, env }),
    signOfLife: async () => (trackFileChanges ? digestOf(await take()) : ''),
  };
}

const mostProtected = 200;

function protectedAmong(
  { modified, created, deleted }: Awaited<ReturnType<typeof changesBetween>>['all'],
  isProtected: (path: string) => boolean,
): Pick<Changes, 'protected'> {
  const changed = [...modified, ...deleted].filter(isProtected).slice(0, mostProtected);
  const written = created.filter(isProtected).slice(0, mostProtected);
  return changed.length + written.length === 0 ? {} : { protected: { changed, created: written } };
}

/** What a file says, as text. A long one loses its middle; what is no text is not told. */
function toldFile(folder: string, name: string, mostBytes: number): ToldFile {
  const seen = lookInside(folder, name, mostBytes);
  if (seen.kind === 'missing') return { name, problem: 'it is not there' };
  if (seen.kind === 'other') return { name, problem: 'it is not a file' };
  if (seen.kind === 'unknown') return { name, problem: seen.why };
  const text = seen.parts.map((part) => part.toString()).join('\n[…]\n');
  return text.includes('\0') ? { name, problem: 'it is not text' } : { name, text };
}

const nothingTaken: Fingerprint = { kind: 'unknown', reason: 'nothing was taken yet' };

const unknownChanges: Changes = { known: false, headMoved: false, modified: [], created: [], deleted: [], count: 0 };

function nameOf({ iteration, attempt }: AttemptKey): string {
  return `iteration ${iteration}, attempt ${attempt}`;
}
