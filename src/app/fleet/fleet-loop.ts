import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { nodeFiles, readWhole, unpack } from '../../files/index.ts';
import type { Fleet } from '../../fleet/index.ts';
import type { Fact, RecordedFact } from '../../protocol/index.ts';
import type { CommandBus, Lease } from '../../runner/index.ts';
import type { OpenLoop } from '../../store/index.ts';
import type { FileLoop } from '../adapters/file-loop.ts';
import { createConsequences } from './consequences.ts';
import type { FleetMember } from './fleet-member.ts';

/** A loop of the fleet that this process owns. */
export interface FleetOwnedLoop extends FileLoop {
  readonly commands: CommandBus;
}

/** What makes a local folder the working copy of a loop of the fleet. */
export interface FleetOwnership {
  readonly member: FleetMember;
  readonly commands: CommandBus;
  /** The commit that the next facts rest on, recorded together with them; called before they are shipped. */
  readonly headFor?: (facts: readonly Fact[]) => Promise<string | undefined>;
  /** Called once facts are recorded. */
  readonly onShipped?: (facts: readonly Fact[]) => void;
  /** Until when this member's agents may run. */
  readonly permitFile?: string;
}

const maxSnapshotBytes = 16 * 1024 * 1024;

/**
 * A loop in a local folder whose journal the database decides: each batch is written here first, and counts only once the
 * database has accepted the same bytes from this epoch.
 */
export async function createFleetLoop(
  open: OpenLoop,
  file: FileLoop,
  { member, commands, permitFile, headFor = async () => undefined, onShipped = () => {} }: FleetOwnership,
): Promise<FleetOwnedLoop> {
  const { fleet } = member;
  const { loopId, epoch } = open;
  const lost = new AbortController();
  const held = member.hold({ loopId, lose: (error) => lost.abort(error) });
  file.lease.lost.addEventListener('abort', () => lost.abort(file.lease.lost.reason), { once: true });
  const shipper = createShipper(open, { fleet, headFor, lost });
  const inOrder = createTurns();
  // The head with which this owner opened its segment.
  await shipper.ship([]);

  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await inOrder(async () => {});
    await file.close();
    using _held = held;
    if (lost.signal.aborted) return;
    // However long the database is away: a loop that a living worker owns and does not drive would be nobody's.
    await fleet.release(member.id, loopId, epoch, { signal: lost.signal }).catch(() => {});
  };
  const lease: Lease = { epoch, owner: file.lease.owner, lost: lost.signal, release: close };
  return {
    ...file,
    lease,
    commands,
    ...(permitFile === undefined ? {} : { permitFile }),
    append: (facts) =>
      inOrder(async (): Promise<readonly RecordedFact[]> => {
        lost.signal.throwIfAborted();
        if (facts.length === 0) return [];
        const recorded = await file.append(facts);
        await shipper.ship(facts);
        onShipped(facts);
        return recorded;
      }),
    save: (loop) =>
      inOrder(async () => {
        lost.signal.throwIfAborted();
        await file.save(loop);
        const bytes = readWhole(nodeFiles, path.join(open.folder, 'state.json'), { limit: maxSnapshotBytes });
        const document = unpack(bytes, maxSnapshotBytes)?.toString('utf8') ?? '';
        await shipper.save(document);
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface ShipperSetting {
  readonly fleet: Fleet;
  readonly headFor: Required<FleetOwnership>['headFor'];
  /** Aborted when the database refuses this owner. */
  readonly lost: AbortController;
}

/** Brings to the database what a local journal got last. */
function createShipper(open: OpenLoop, { fleet, headFor, lost }: ShipperSetting) {
  const { loopId, epoch } = open;
  const { signal } = lost;
  const consequencesOf = createConsequences();
  let shipped = open.lastSeq - linesOf(open.latest).length;
  const lose = (error: LoopError): never => {
    lost.abort(error);
    throw error;
  };
  return {
    async ship(facts: readonly Fact[]): Promise<void> {
      const lines = linesOf(open.latest);
      const after = open.lastSeq - lines.length;
      if (after !== shipped) throw new TypeError(`Lines ${shipped + 1} to ${after} of ${loopId} were never shipped.`);
      const head = await headFor(facts);
      const batch = { loopId, epoch, after, id: randomUUID(), lines, types: lines.map(typeOf) };
      const content = { ...batch, ...consequencesOf(facts), ...(head === undefined ? {} : { head }) };
      const { outcome, lastSeq } = await fleet.append(content, { signal });
      if (outcome === 'gap') lose(new LoopError(failures.fleetWentBack(loopId, after, lastSeq)));
      else if (outcome !== 'written') lose(new LoopError(failures.fleetLost(loopId, whyNotOurs[outcome])));
      shipped = open.lastSeq;
    },
    async save(document: string): Promise<void> {
      const isOurs = await fleet.save(loopId, epoch, { upto: shipped, document }, { signal });
      if (!isOurs) lose(new LoopError(failures.fleetLost(loopId, whyNotOurs.fenced)));
    },
  };
}

type Turns = <Result>(step: () => Promise<Result>) => Promise<Result>;

/** One step after the other. */
function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return async (step) => {
    const turn = last.then(step);
    last = turn.catch(() => {});
    return await turn;
  };
}

const whyNotOurs = {
  fenced: 'another owner has taken it over since',
  missing: 'it was removed from the fleet',
} as const;

function linesOf(bytes: Uint8Array | undefined): readonly string[] {
  const text = Buffer.from(bytes ?? []).toString('utf8');
  return text.split(/(?<=\n)/).filter((line) => line !== '');
}

function typeOf(line: string): string {
  return /^\{"v":\d+,"seq":\d+,"at":"[^"]*","epoch":\d+,"type":"([^"]*)"/.exec(line)?.[1] ?? '';
}
