import type { LandedInto } from '../../app/index.ts';
import { scrub } from '../../base/index.ts';
import type { Frozen, Worktree } from '../../protocol/index.ts';

const shownCommit = 12;

/** Where a loop works for itself, and what that started from. */
export function worktreeText({ path, branch, baseBranch, baseCommit }: Frozen<Worktree>): string {
  const base = baseBranch === undefined ? '' : `${baseBranch} at `;
  return scrub(`${path}, branch ${branch}, from ${base}${baseCommit.slice(0, shownCommit)}`);
}

/** Where its work is now. */
export function landedText({ into, to, method }: LandedInto): string {
  return scrub(`in ${into} (${method}, ${to.slice(0, shownCommit)})`);
}
