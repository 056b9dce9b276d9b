import type { Fact, Guard, Verdict } from '../../../src/protocol/index.ts';
import { createRandom, mix } from '../random.ts';
import type { World } from './world.ts';

const path = 'check.sh';

/** The current state of the file that the checks run. */
export interface CheckFile {
  readonly digest: string;
  /** Whether it still checks the task: an edited one always passes. */
  readonly honest: boolean;
}

/** The file as the user wrote it. */
export const checkFile: CheckFile = { digest: 'original', honest: true };

function guardWith(digest: string): Guard {
  return { kind: 'file', path, digest, effect: 'refuse' };
}

/** The guards in the first fact; in some loops the checks name no file. */
export function guardsAtStart({ seed, setting }: World): { readonly guards?: Guard[] } {
  const isNamed = setting.checks.includes('./check.sh') && mix(seed, 19) % 4 !== 0;
  return isNamed ? { guards: [guardWith(checkFile.digest)] } : {};
}

/**
 * What an agent does to the check in one run, determined by the seed: most leave it alone, some edit it, some restore
 * it.
 */
export function tamper(world: World, iteration: number, finishedRuns: number): void {
  if (world.disk.every(({ type, data }) => type !== 'loop.started' || data.guards === undefined)) return;
  const random = createRandom(mix(world.seed, 20, iteration, finishedRuns));
  const act = random.weighted([
    ['leave', 12],
    ['edit', 2],
    ['delete', 1],
    ['putBack', 4],
  ]);
  if (act === 'edit') world.check = { digest: 'edited', honest: false };
  if (act === 'delete') world.check = { digest: 'gone', honest: false };
  if (act === 'putBack') world.check = world.accepted;
}

/** The verdict and the guarded files that differ, as the real gate reports them, before any judgement. */
export function gateSays(world: World, verdict: Verdict): GateWord {
  const { guards = [] } = world.loop.gate;
  const differs = guards.some(
    (guard) => guard.kind === 'file' && guard.path === path && guard.digest !== world.check.digest,
  );
  // Honest work changes runner settings too: that is reported, but does not reject the result.
  const isSteered = mix(world.seed, 21, world.loop.position.iteration) % 5 === 0;
  return {
    verdict: world.check.honest ? verdict : 'passed',
    ...(differs ? { tampered: [path] } : {}),
    ...(isSteered ? { doubts: ['pytest.ini'] } : {}),
  };
}

interface GateWord {
  readonly verdict: Verdict;
  readonly tampered?: string[];
  readonly doubts?: string[];
}

/** A user who resumes may also have changed the check on purpose, and accepts the change. */
export function acceptedCheck(world: World): readonly Fact[] {
  const {
    gate: { guards = [] },
    journal: { seq },
  } = world.loop;
  if (guards.length === 0 || !world.chance.chance(0.2)) return [];
  world.check = { digest: `accepted-${seq}`, honest: true };
  return [{ type: 'gate.accepted', data: { guards: [guardWith(world.check.digest)], changed: [path] } }];
}
