import type { WorkspacePort } from '../../runner/index.ts';
import { changesBetween, type Fingerprint, takeFingerprint } from '../../workspace/index.ts';

/** Which folder is watched, and what in it is ours and never counts. */
export interface WorkspaceSetting {
  readonly workingDirectory: string;
  readonly stateRoot: string;
  readonly env: NodeJS.ProcessEnv;
  readonly trackFileChanges: boolean;
}

/** Compares the work tree before and after a run. */
export function createWorkspacePort(setting: WorkspaceSetting): WorkspacePort {
  const { workingDirectory, stateRoot, env } = setting;
  let before: Fingerprint = { kind: 'unknown', reason: 'nothing was taken yet' };
  const take = () => takeFingerprint(workingDirectory, { env, exclude: [stateRoot], previous: before });
  return {
    async begin() {
      if (setting.trackFileChanges) before = await take();
    },
    async changes() {
      if (!setting.trackFileChanges) return unknownChanges;
      const after = await take();
      const { counts, known, headMoved, modified, created, deleted } = await changesBetween(before, after, env);
      before = after;
      return {
        known,
        headMoved,
        modified: [...modified],
        created: [...created],
        deleted: [...deleted],
        count: counts.modified + counts.created + counts.deleted,
      };
    },
  };
}

const unknownChanges = { known: false, headMoved: false, modified: [], created: [], deleted: [], count: 0 };
