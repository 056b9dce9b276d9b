import path from 'node:path';
import { failures, LoopError, loopNameOf } from '../base/index.ts';
import { withSettings } from '../config/index.ts';
import { type Loop, workToContinue } from '../core/index.ts';
import { nodeFiles } from '../files/index.ts';
import { type LoopConfig, limitOf, limitSettings } from '../protocol/index.ts';
import { changedSettings } from './changed-settings.ts';
import type { DrivenLoop } from './driven-loop.ts';
import { vault } from './keys.ts';
import { valuesOf } from './plan-resume.ts';
import type { ResumeOptions } from './resume-options.ts';
import { assertStartable, type NewLoop, startLoop } from './start-loop.ts';
import type { LoopPlace } from './stores.ts';
import { assertLoopTrusted } from './trust/loop-lines.ts';
import { assertWorktreeIsThere } from './worktree-share.ts';

/**
 * Continues the work of an ended loop in a new one, because an ended loop never changes. Refuses unless a limit ended it
 * and is raised now, or the user asks for a new loop.
 */
export async function continueLoop(ended: Loop, place: LoopPlace, options: ResumeOptions): Promise<DrivenLoop> {
  const { config, request } = await planContinuation(ended, place, options);
  return await startLoop(config, options.context, request);
}

/** Refuses what `continueLoop` would refuse, without writing anything. */
export async function assertContinuable(ended: Loop, place: LoopPlace, options: ResumeOptions): Promise<void> {
  const { config, request } = await planContinuation(ended, place, options);
  await assertStartable(config, options.context, request);
}

async function planContinuation(
  ended: Loop,
  project: LoopPlace,
  { context, changes, reload, asNew = false, force = false, locate, brought }: ResumeOptions,
): Promise<{ readonly config: LoopConfig; readonly request: NewLoop }> {
  const continues = workToContinue(ended);
  if (continues === undefined || !(asNew || getsMoreRoom(ended, changes))) {
    throw new LoopError(failures.resumeRefused(ended.id, ended.status));
  }
  await assertLoopTrusted(ended, project, context);
  const reloaded = reload === undefined ? [] : await changedSettings(ended, reload);
  const config = asEncrypted(withSettings(ended.config, { ...valuesOf(reloaded), ...changes }), ended, project);
  const { chosen, workingDirectory, worktree } = ended.origin;
  assertWorktreeIsThere(ended);
  // The new loop keeps a chosen name, but gets its own id.
  const name = config.loopId === undefined ? {} : { loopId: loopNameOf(ended.id) };
  const request = {
    resumedFrom: ended.id,
    force,
    ...(brought === undefined ? {} : { brought }),
    continues,
    ...(chosen === undefined ? {} : { chosen: [...new Set([...chosen, ...Object.keys(changes)])] }),
    place: { root: project.root, workingDirectory },
    project,
    ...(worktree === undefined ? {} : { worktree }),
    ...(locate === undefined ? {} : { locate }),
  };
  return { config: { ...config, ...name }, request };
}

/** What continues an encrypted loop is encrypted too, even if its settings are from before its encryption. */
function asEncrypted(config: LoopConfig, { id }: Loop, { root }: LoopPlace): LoopConfig {
  const locked = vault.loopAt({ files: nodeFiles, loopId: id, folder: path.join(root, 'loops', id) });
  if (locked === undefined) return config;
  const keyFile = config.persistence.keyFile ?? locked.unlock().keyFile;
  const persistence = { ...config.persistence, encrypt: true, ...(keyFile === undefined ? {} : { keyFile }) };
  return { ...config, persistence };
}

function getsMoreRoom({ outcome }: Loop, changes: ResumeOptions['changes']): boolean {
  return limitOf(outcome.reason) !== undefined && limitSettings.some((setting) => changes[setting] !== undefined);
}
