import { endByMarker } from '../../process/index.ts';
import { type Obstacle, protectionOf } from '../../protocol/index.ts';
import { createPathMatcher, isReadError } from '../../workspace/index.ts';
import type { GateSetting } from '../setting.ts';
import { dropBase } from './base.ts';
import { type Checkout, openCheckout, removeCheckouts } from './checkout.ts';
import { CleanObstacle, obstacles } from './obstacles.ts';
import { findRepository, type Repository } from './repository.ts';

type CleanPlace = { readonly checkout: Checkout } | NoCleanPlace;

/** Why there is no checkout. */
export interface NoCleanPlace {
  readonly problem: string;
  /** Set where the agent cannot fix the cause. */
  readonly obstacle?: Obstacle | undefined;
}

/** Checks the work out for the gate. */
export async function openCleanPlace(setting: GateSetting): Promise<CleanPlace> {
  const { config, loopId, base } = setting;
  const { mode, paths } = protectionOf(config.protect);
  try {
    const repository = await repositoryOf(setting);
    if (repository === undefined) return blocked(obstacles.noRepository());
    const isProtected = createPathMatcher(paths);
    if (mode === 'strict' && base === undefined)
      return blocked(obstacles.baseLost('the protected files were never saved'));
    const strict = mode === 'strict' && base !== undefined ? { base, isProtected } : undefined;
    return { checkout: await openCheckout(repository, { loopId, share: config.verifyShare, strict }) };
  } catch (error) {
    if (error instanceof CleanObstacle) return blocked(error.obstacle);
    if (!isReadError(error)) throw error;
    return { problem: error.message };
  }
}

function blocked(obstacle: Obstacle): NoCleanPlace {
  return { problem: obstacle.message, obstacle };
}

/** Removes what an earlier owner left of its checks; when the loop has ended, also the saved files. */
export async function tidyCleanPlace(setting: GateSetting, marker: string, isOver: boolean): Promise<void> {
  try {
    const repository = await repositoryOf(setting);
    if (repository === undefined) return;
    await endByMarker(marker);
    await removeCheckouts(repository, setting.loopId);
    if (isOver) await dropBase(repository, setting.loopId);
  } catch (error) {
    // Leftovers that cannot be removed must not hold up the loop.
    if (!isReadError(error)) throw error;
  }
}

function repositoryOf({ workingDirectory, env }: GateSetting): Promise<Repository | undefined> {
  return findRepository(workingDirectory, env);
}
