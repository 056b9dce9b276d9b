import { failures, LoopError } from '../../base/index.ts';
import { type LoopConfig, protectionOf } from '../../protocol/index.ts';
import { createPathMatcher, isReadError } from '../../workspace/index.ts';
import { changedBetween, dropBase, type ProtectedBase, saveBase } from './base.ts';
import { findRepository } from './repository.ts';

/** Whether the checks run in a temporary checkout and not in the work tree. */
export function runsClean({ verifyIn, protect }: LoopConfig): boolean {
  return verifyIn === 'clean' || (verifyIn === 'tree' && protectionOf(protect).mode === 'strict');
}

/** Whether git stores the protected files; a sealed gate has them in its snapshot. */
function isStoredInGit({ verifyIn, protect }: LoopConfig): boolean {
  return verifyIn !== 'sealed' && protectionOf(protect).mode === 'strict';
}

interface WorkPlace {
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Refuses clean checks where there is no repository to check out from. */
export async function assertCleanPossible(config: LoopConfig, { workingDirectory, env }: WorkPlace): Promise<void> {
  if (!runsClean(config) || (await findRepository(workingDirectory, env)) !== undefined) return;
  throw new LoopError(failures.cleanNeedsGit(workingDirectory));
}

/** Saves the protected files of a strict loop before it starts; removes them again when the start fails. */
export async function withBase<Started>(
  config: LoopConfig,
  { workingDirectory, env, loopId }: WorkPlace & { readonly loopId: string },
  start: (base: ProtectedBase | undefined) => Started | Promise<Started>,
): Promise<Started> {
  const { paths } = protectionOf(config.protect);
  const repository = isStoredInGit(config) ? await findRepository(workingDirectory, env) : undefined;
  if (repository === undefined) return await start(undefined);
  try {
    return await start(await saveBase(repository, { loopId, isProtected: createPathMatcher(paths) }));
  } catch (error) {
    await dropBase(repository, loopId);
    if (isReadError(error)) throw new LoopError(failures.protectedNotKept(error.message), { cause: error });
    throw error;
  }
}

/** Saves the present protected files of a strict loop, because the user accepts them; returns those that changed. */
export async function renewBase(
  config: LoopConfig,
  { workingDirectory, env, loopId }: WorkPlace & { readonly loopId: string },
  before: ProtectedBase | undefined,
): Promise<{ readonly base: ProtectedBase; readonly changed: readonly string[] } | undefined> {
  const { paths } = protectionOf(config.protect);
  const repository = isStoredInGit(config) ? await findRepository(workingDirectory, env) : undefined;
  if (repository === undefined) return undefined;
  try {
    const base = await saveBase(repository, { loopId, isProtected: createPathMatcher(paths) });
    const changed = before === undefined ? undefined : await changedBetween(repository, before, base);
    return { base, changed: changed ?? ['protected files, whose earlier state is lost'] };
  } catch (error) {
    if (isReadError(error)) throw new LoopError(failures.protectedNotKept(error.message), { cause: error });
    throw error;
  }
}
