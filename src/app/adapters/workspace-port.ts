import type { HandoverFile } from '../../core/index.ts';
import type { RunErrand } from '../../process/index.ts';
import type { Changes } from '../../protocol/index.ts';
import type { AttemptKey, WorkspacePort } from '../../runner/index.ts';
import {
  changesBetween,
  commitOf,
  type DiffPlace,
  type DiffStore,
  digestOf,
  type Fingerprint,
  inspectFile,
  packFingerprint,
  recentCommits,
  rollBack,
  takeFingerprint,
  unpackFingerprint,
} from '../../workspace/index.ts';

import type { BaselineFile } from './baseline-file.ts';

/** The folder to watch, and the files in it that belong to ralphd and never count. */
export interface WorkspaceSetting {
  readonly workingDirectory: string;
  /** Absolute paths of what ralphd writes. */
  readonly ours: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly trackFileChanges: boolean;
  readonly baseline: Pick<BaselineFile, 'save' | 'load'>;
  /** A quicker way to run git. */
  readonly quickly?: RunErrand;
  /** Stores what a run changed. */
  readonly diffs: DiffStore;
  /** Where that is. */
  readonly diffPlace: DiffPlace;
  /** Whether a file, relative to the folder, is one that the agent should not change. */
  readonly isProtected: (path: string) => boolean;
}

/** Compares the work tree before and after a run, even if the run outlived the process that started it. */
export function createWorkspacePort(setting: WorkspaceSetting): WorkspacePort {
  const { workingDirectory, ours, env, trackFileChanges, baseline, diffs, diffPlace, isProtected, quickly } = setting;
  let before = noFingerprint;
  // The latest fingerprint only saves reading; changes are always relative to the first one.
  let latest = noFingerprint;
  let hasJustBegun = false;
  const take = async () => {
    latest = await takeFingerprint(workingDirectory, { env, exclude: ours, previous: latest, quickly });
    return latest;
  };
  return {
    async begin(key, followsRunDirectly = false) {
      if (!trackFileChanges) return;
      if (!followsRunDirectly || before.kind === 'unknown') before = await take();
      hasJustBegun = true;
      const bytes = await packFingerprint(fingerprintName(key), before);
      if (bytes !== undefined) baseline.save(bytes);
      await diffs.keep(before);
    },
    async restore(key) {
      if (!trackFileChanges) return;
      hasJustBegun = false;
      const bytes = baseline.load();
      before = bytes === undefined ? noFingerprint : await unpackFingerprint(fingerprintName(key), bytes);
    },
    async changes() {
      if (!trackFileChanges) return unknownChanges;
      const after = await take();
      const { counts, known, headMoved, modified, created, deleted, all } = await changesBetween(before, after, env);
      const count = counts.modified + counts.created + counts.deleted;
      const diff = known && count > 0 ? await diffs.compare(before, after) : undefined;
      before = after;
      const commit = commitOf(after);
      return {
        known,
        headMoved,
        modified: [...modified],
        created: [...created],
        deleted: [...deleted],
        count,
        ...protectedAmong(all, isProtected),
        ...(commit === undefined ? {} : { commit }),
        ...diff,
      };
    },
    rollBack: async (trees, name) => await rollBack(diffPlace, trees, name),
    readFiles: (names, maxBytes) => names.map((name) => readHandoverFile(workingDirectory, name, maxBytes)),
    recentCommits: async (count) => await recentCommits(workingDirectory, { count, env }),
    async signOfLife() {
      if (!trackFileChanges) return '';
      // It is asked as soon as the agent runs: what was seen a moment before says the same.
      const sign = hasJustBegun ? before : await take();
      hasJustBegun = false;
      return digestOf(sign);
    },
  };
}

const maxProtected = 200;

function protectedAmong(
  { modified, created, deleted }: Awaited<ReturnType<typeof changesBetween>>['all'],
  isProtected: (path: string) => boolean,
): Pick<Changes, 'protected'> {
  const changed = [...modified, ...deleted].filter(isProtected).slice(0, maxProtected);
  const written = created.filter(isProtected).slice(0, maxProtected);
  return changed.length + written.length === 0 ? {} : { protected: { changed, created: written } };
}

/** The content of a file as text. The middle of a long file is cut; a binary file has a problem instead. */
function readHandoverFile(folder: string, name: string, maxBytes: number): HandoverFile {
  const file = inspectFile(folder, name, maxBytes);
  if (file.kind === 'missing') return { name, problem: 'the file does not exist' };
  if (file.kind === 'other') return { name, problem: 'not a regular file' };
  if (file.kind === 'unknown') return { name, problem: file.reason };
  const text = file.parts.map((part) => part.toString()).join('\n[…]\n');
  return text.includes('\0') ? { name, problem: 'not a text file' } : { name, text };
}

const noFingerprint: Fingerprint = { kind: 'unknown', reason: 'no fingerprint was taken yet' };

const unknownChanges: Changes = { known: false, headMoved: false, modified: [], created: [], deleted: [], count: 0 };

/** The label of a stored fingerprint: the attempt that followed it. */
export function fingerprintName({ iteration, attempt }: AttemptKey): string {
  return `iteration ${iteration}, attempt ${attempt}`;
}
