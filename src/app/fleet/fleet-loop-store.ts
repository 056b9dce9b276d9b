import { failures, LoopError } from '../../base/index.ts';
import type { Loop } from '../../core/index.ts';
import type { FleetLoop } from '../../fleet/index.ts';
import type { LoopStore } from '../../runner/index.ts';
import {
  clearReplica,
  completeReplica,
  extendReplica,
  type LoopFolders,
  type OpenLoop,
  type ReplicaLine,
} from '../../store/index.ts';
import { createFileLoop, type FileLoop, type FileLoopSetting } from '../adapters/file-loop.ts';
import type { FileLoopStore } from '../adapters/file-loop-store.ts';
import { foldState } from '../adapters/fold-state.ts';
import { createFleetLoop, type FleetOwnership } from './fleet-loop.ts';
import { hasStarted, linesAfter, notFound, readerPatienceMs, readFleetLoop } from './fleet-state.ts';

/** Where a member works on its loops. */
export interface FleetLoopStoreSetting extends Omit<FileLoopSetting, 'loop'>, FleetOwnership {
  /** The working copies of this member alone. */
  readonly folders: LoopFolders;
  /** Loops that this member was given already, and in which epoch. */
  readonly given?: ReadonlyMap<string, number>;
  /** Where a loop that came from elsewhere works here. */
  readonly workingDirectory?: string;
}

/** The loops of a fleet: its database decides, and each owner works on a copy in a local folder. */
export function createFleetLoopStore(setting: FleetLoopStoreSetting): FileLoopStore {
  const { member, folders, given } = setting;
  const { fleet } = member;
  return {
    async create(loopId) {
      await member.join();
      const isNew = given?.has(loopId) === true || (await fleet.found(member.id, loopId, patience));
      if (!isNew) throw new LoopError(failures.loopExists(loopId, fleet.address.place));
      // Left by an owner that died before it recorded anything.
      if (folders.has(loopId)) folders.putAside(loopId);
      const epoch = given?.get(loopId) ?? 1;
      const { seq = 0 } = (await fleet.lookAt(loopId)) ?? {};
      if (seq === 0) return await own(setting, loopId, () => folders.create(loopId, { epoch }));
      // Its owner has opened the journal and died before the first fact.
      if (await hasStarted(fleet, { loop: loopId, seq })) {
        throw new LoopError(failures.loopExists(loopId, fleet.address.place));
      }
      await replicate(setting, loopId);
      return await own(setting, loopId, () => folders.open(loopId, { force: true, epoch }));
    },
    async open(loopId) {
      await member.join();
      const epoch = given?.get(loopId) ?? (await take(setting, loopId));
      await replicate(setting, loopId);
      return await own(setting, loopId, () => folders.open(loopId, { force: true, epoch }));
    },
    read: async (loopId) => await readFleetLoop(fleet, loopId),
    list: async () => (await fleet.versions(patience)).map(({ id }) => id),
    async changesSince(cursor): ReturnType<LoopStore['changesSince']> {
      const before = parseCursor(cursor);
      const now = new Map((await fleet.versions(patience)).map(({ id, version }) => [id, version]));
      return {
        loopIds: [...now].filter(([id, version]) => before.get(id) !== version).map(([id]) => id),
        removed: [...before.keys()].filter((id) => !now.has(id)),
        cursor: JSON.stringify([...now]),
      };
    },
  };
}

const patience = { patienceMs: readerPatienceMs };

async function take({ member }: FleetLoopStoreSetting, loopId: string): Promise<number> {
  const { fleet } = member;
  const taken = await fleet.take(member.id, loopId, patience);
  switch (taken.outcome) {
    case 'given':
      return taken.epoch;
    case 'taken':
      throw new LoopError(
        failures.loopLocked(loopId, taken.host === null ? undefined : { host: taken.host, pid: taken.pid ?? 0 }),
      );
    case 'missing':
      throw notFound(fleet, loopId);
    case 'lost':
      throw new LoopError(failures.fleetLost(loopId, 'this worker was declared lost'));
  }
}

/** Makes the local copy of a loop what the database says; outputs of earlier attempts stay. */
async function replicate({ member, folders }: FleetLoopStoreSetting, loopId: string): Promise<void> {
  const { fleet } = member;
  const found: FleetLoop | undefined = await fleet.lookAt(loopId, patience);
  if (found === undefined) throw notFound(fleet, loopId);
  const lines: ReplicaLine[] = [];
  for await (const line of linesAfter(fleet, loopId, 0)) lines.push(line);
  const place = folders.locate(loopId);
  clearReplica(place);
  extendReplica(place, lines, undefined);
  completeReplica(place, { snapshot: found.snapshot ?? undefined });
}

/** What cannot be opened is given back. */
async function own(
  setting: FleetLoopStoreSetting,
  loopId: string,
  openFolder: () => ReturnType<LoopFolders['open']>,
): Promise<FileLoop> {
  const open = openFolder();
  try {
    const loop = movedTo(setting, open);
    return await createFleetLoop(open, createFileLoop(open, { ...setting, loop }), setting);
  } catch (error) {
    open.close();
    throw error;
  }
}

/** The loop as it goes on here: the journal names the folder of the machine that started it. */
function movedTo({ workingDirectory }: FleetLoopStoreSetting, { loopId, recovered }: OpenLoop): Loop | undefined {
  if (recovered.snapshot === undefined && recovered.entries.length === 0) return undefined;
  const loop = foldState({ loopId, ...recovered });
  return workingDirectory === undefined ? loop : { ...loop, origin: { ...loop.origin, workingDirectory } };
}

/** A cursor records the last known version of each loop. A foreign cursor counts as empty. */
function parseCursor(cursor: string | undefined): ReadonlyMap<string, number> {
  if (cursor === undefined) return new Map();
  try {
    return new Map(JSON.parse(cursor) as [string, number][]);
  } catch {
    return new Map();
  }
}
