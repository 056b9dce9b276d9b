import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import type { Claim } from '../../fleet/index.ts';
import { openLoopFolders } from '../../store/index.ts';
import { openTravel, type Travel } from '../../workspace/index.ts';
import type { AppContext } from '../agent-programs.ts';
import { type DrivenLoop, driveLoop } from '../driven-loop.ts';
import { type Machine, thisMachine } from '../machine.ts';
import { planResume } from '../plan-resume.ts';
import { createRegistry } from '../registry.ts';
import { resumeFacts } from '../resume-loop.ts';
import { type OpenLoops, startLoop } from '../start-loop.ts';
import { trustProject } from '../trust/consent.ts';
import { createFleetCommandBus } from './fleet-command-bus.ts';
import { createFleetEventBus } from './fleet-event-bus.ts';
import { createFleetLoopStore } from './fleet-loop-store.ts';
import type { FleetMember } from './fleet-member.ts';
import { hasStarted } from './fleet-state.ts';
import type { LoopTail, OutputTails } from './output-tails.ts';
import { type LoopRequest, readRequest } from './request.ts';
import { assertFleetCan, assertNotToBeEncrypted } from './settings.ts';
import { carryWork, type TravellingWork } from './travelling-work.ts';
import type { WorkerPlace } from './worker-place.ts';

/** A worker as those see it that drive its loops. */
export interface WorkerSetting {
  readonly member: FleetMember;
  readonly place: WorkerPlace;
  readonly env: AppContext['env'];
  /** Whether loops of this repository may run here. */
  readonly isTrusted: (repository: string) => boolean;
  /** Whether loops are handed over as soon as an iteration has ended. */
  readonly isDraining: () => boolean;
  readonly report: (message: string) => void;
  /** Where readers elsewhere see what agents print. */
  readonly tails: OutputTails;
}

/** How the drive of a claimed loop ended. */
export type ClaimResult =
  | { readonly kind: 'rests'; readonly status: string }
  | { readonly kind: 'handed over' }
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'held' | 'postponed'; readonly why: string };

const parkAfterMs = 30_000;

/** Drives a loop that this worker owns until it ends, rests, waits for long or is taken away. */
export async function driveClaim(claim: Claim, setting: WorkerSetting): Promise<ClaimResult> {
  const { member, place, env } = setting;
  const { fleet } = member;
  const { loop: loopId, epoch } = claim;
  const handOver = new LoopError(failures.fleetLost(loopId, 'this worker hands it over'));
  try {
    const request = readRequest(loopId, claim.request);
    if (!setting.isTrusted(request.repository)) {
      throw new LoopError(failures.workerDistrusts(loopId, request.repository));
    }
    const { repository, ref } = request;
    const folder = place.treeOf(loopId);
    const from = { repository, loopId, folder, cache: place.cache, env };
    const travel = openTravel({ ...from, ...(ref === undefined ? {} : { ref }) });
    const work = carryWork(travel, { epoch, report: (message) => setting.report(`${loopId}: ${message}`) });
    await using tail = setting.tails.follow({ loopId, epoch, folder: path.join(place.root, 'loops', loopId) });
    const given = { claim, request, travel, work, tail, setting, handOver };
    const isBegun = claim.onlyCommands || (await hasStarted(fleet, claim));
    const driven = await (isBegun ? proceed : begin)(given);
    tail.redactWith(driven.redactor.stream);
    try {
      return { kind: 'rests', status: await run(driven, claim, tail) };
    } finally {
      await driven[Symbol.asyncDispose]();
      await work.settle();
    }
  } catch (error) {
    if (error === handOver) {
      await fleet.release(member.id, loopId, epoch);
      return { kind: 'handed over' };
    }
    if (!(error instanceof LoopError)) {
      // A mistake in ralphd: the loop must not stay with a worker that no longer drives it.
      setting.report(`${loopId}: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
      await fleet.postpone(loopId, epoch, `its worker failed: ${String(error)}`);
      return { kind: 'postponed', why: String(error) };
    }
    if (error.failure.code === 'FLEET_LEASE_LOST') return { kind: 'lost', why: error.message };
    const why = error.message;
    if ((error.failure.retry ?? 'never') !== 'never') {
      await fleet.postpone(loopId, epoch, why);
      return { kind: 'postponed', why };
    }
    // Another worker would fail in the same way: it waits for a person.
    await fleet.hold(loopId, epoch, why);
    return { kind: 'held', why };
  }
}

interface Given {
  readonly claim: Claim;
  readonly request: LoopRequest;
  readonly travel: Travel;
  readonly work: TravellingWork;
  readonly tail: LoopTail;
  readonly setting: WorkerSetting;
  readonly handOver: LoopError;
}

/** A loop that was never started, whoever has tried: its work tree is what was submitted. */
async function begin({ claim, request, travel, work, tail, setting, handOver }: Given): Promise<DrivenLoop> {
  const { place } = setting;
  const { workingDirectory } = await travel.checkOut();
  const { config, uuid, chosen, given } = request;
  assertFleetCan(config);
  const here = { ...config, workingDir: '.', stateDir: place.root, worktree: false as const, loopId: claim.loop };
  const context = contextFor(setting, workingDirectory);
  const openLoops = loopsFor({ claim, work, tail, setting, workingDirectory, handOver });
  const where = { workingDirectory, root: place.root };
  const isGiven = (setting_: string) => given.includes(setting_);
  return await startLoop(here, context, {
    uuid,
    chosen,
    isGiven,
    place: where,
    project: where,
    force: true,
    openLoops,
  });
}

/** A loop that somebody drove before: here, if its agent may still be at work, or elsewhere. */
async function proceed({ claim, request, travel, work, tail, setting, handOver }: Given): Promise<DrivenLoop> {
  const { place, member } = setting;
  // Somebody may still end one that an earlier version has started.
  if (!claim.onlyCommands) assertNotToBeEncrypted(request.config);
  const here = claim.head === null || claim.wasHere ? travel.resume() : undefined;
  const { workingDirectory } = here ?? (await travel.checkOut(claim.head ?? undefined));
  const context = contextFor(setting, workingDirectory);
  const registry = createRegistry({ root: place.root, workingDirectory });
  const openLoops = loopsFor({ claim, work, tail, setting, workingDirectory, handOver });
  const loops = openLoops({ registry, machine: thisMachine });
  const owned = await loops.open(claim.loop);
  try {
    const { loop, problems } = owned.recovered;
    if (loop === undefined) throw new LoopError(failures.stateUnreadable(claim.loop, 'it was never started'));
    const rests = claim.onlyCommands;
    const plan = rests ? undefined : await planResume(loop, { context, changes: {}, locate: undefined });
    const messages = problems.map(({ message }) => message);
    const facts = plan === undefined ? [] : [...plan.facts, ...resumeFacts(plan.configured, messages, context)];
    const driven = await driveLoop(owned, { facts, root: place.root, context, warnings: plan?.warnings ?? [] });
    const bus = createFleetCommandBus(member.fleet, createFleetEventBus(member.fleet));
    if (rests) await bus.serveWaiting(claim.loop, (command) => driven.drive.send(command));
    return driven;
  } catch (error) {
    await owned.close();
    throw error;
  }
}

async function run({ drive }: DrivenLoop, { onlyCommands }: Claim, tail: LoopTail): Promise<string> {
  const { commands, position } = drive.loop;
  const { pause, end } = commands.requests;
  // An agent that is adopted was started by an earlier owner.
  if (position.current?.stage === 'executing') tail.begin(position.current);
  // It was opened to answer, and goes on when it is claimed for that.
  if (onlyCommands && pause === undefined && end === undefined) return drive.loop.status;
  const { loop } = await drive.run({
    stayWhenPaused: () => false,
    ignoresCommands: onlyCommands,
    returnWhenWaitingLongerThanMs: parkAfterMs,
  });
  return loop.status;
}

/** What the repository brings is trusted with it: that was decided before anything was checked out. */
function contextFor({ env }: WorkerSetting, cwd: string): AppContext {
  return { cwd, env, consent: trustProject };
}

function loopsFor({
  claim,
  work,
  tail,
  setting,
  workingDirectory,
  handOver,
}: Omit<Given, 'request' | 'travel'> & { readonly workingDirectory: string }): OpenLoops {
  const { member, place, isDraining } = setting;
  const { fleet } = member;
  const { loop: loopId, epoch } = claim;
  return ({ registry, machine }) =>
    createFleetLoopStore({
      member,
      registry,
      machine,
      folders: openLoopFolders({ root: place.root, ...optionsOf(machine) }),
      commands: createFleetCommandBus(fleet, createFleetEventBus(fleet)),
      given: new Map([[loopId, epoch]]),
      workingDirectory,
      permitFile: place.permits.fileFor(loopId, epoch),
      headFor: work.headFor,
      onShipped: (facts) => {
        work.shipped(facts);
        tail.saw(facts);
        if (isDraining() && facts.some(({ type }) => type === 'iteration.finished')) throw handOver;
      },
    });
}

function optionsOf({ self, livenessOf, clock }: Machine) {
  return { owner: self(), livenessOf, now: () => new Date(clock.nowMs()) };
}
