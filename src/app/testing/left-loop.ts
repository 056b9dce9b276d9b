import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { configSchema, encodeConfig, type Fact, type FactData } from '../../protocol/index.ts';
import { type LoopPlace, openStore } from '../stores.ts';

/** A project without loops. */
export function createPlace(): LoopPlace {
  const workingDirectory = mkdtempSync(path.join(tmpdir(), 'ralphd-look-'));
  onTestFinished(() => rmSync(workingDirectory, { recursive: true, force: true }));
  return { workingDirectory, root: path.join(workingDirectory, '.ralph') };
}

/** The first fact of a loop. */
export function startedFact(
  { workingDirectory }: LoopPlace,
  loopId: string,
  more: Partial<FactData<'loop.started'>> = {},
): Fact {
  const data = {
    loopId,
    uuid: `${loopId.slice(-8)}-0000-4000-8000-000000000000`,
    task: 'x',
    agent: 'command',
    workingDirectory,
    startedBy: 'user',
    config: encodeConfig(configSchema.parse({})),
    configHash: 'hash',
    checks: [],
    ...more,
  };
  return { type: 'loop.started', data };
}

/** A loop on disk, left in good order by its owner. */
export function leaveLoop(place: LoopPlace, loopId: string, ...more: readonly Fact[]): void {
  using open = openStore(place).create(loopId);
  open.append([startedFact(place, loopId), ...more]);
}

/** The fact with which a user ends a loop. */
export const abortedFact: Fact = {
  type: 'loop.ended',
  data: { status: 'aborted', reason: 'user_abort', message: 'ended by the user', verified: false, elapsedMs: 0 },
};
