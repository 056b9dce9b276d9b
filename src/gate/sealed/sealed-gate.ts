import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { GateRun, GateTask } from '../../core/index.ts';
import { endByMarker } from '../../process/index.ts';
import { type CheckCommand, type Obstacle, protectionOf } from '../../protocol/index.ts';
import { removeRoomEntry } from '../../store/index.ts';
import { createPathMatcher, isReadError, joinRaw, type RawPath, realFolder, toRaw, toText } from '../../workspace/index.ts';
import { type Candidate, type CandidateFile, differsFrom, type Refusal, readCandidate } from '../candidate/candidate.ts';
import { findTop, type GitNames, namesFromGit } from '../candidate/git-files.ts';
import { type CheckSetting, type EffectSignals, type GateSetting, lineOf, runCheck, withNote } from '../check-run.ts';
import { entriesIn } from './copy-tree.ts';
import { changedDependencies, type DependencyDigests, dependencyDigest, type Reinstall } from './dependencies.ts';
import { findDependencies, isInsideAny } from './dependency-folders.ts';
import {
  type CapturedEnvironment,
  captureEnvironment,
  type Environment,
  openEnvironment,
  programsNow,
} from './environment.ts';
import { obstacles } from './obstacles.ts';
import { createRoom, type Room } from './room.ts';
import { SealBroken } from './seal-broken.ts';
import { changedPlaces, changedPrograms } from './stamps.ts';
import { notIsolated, rewriteFor, type Surroundings, surround } from './surroundings.ts';

/** Where the checks of a sealed gate run, and how. */
export interface SealedPlace {
  /** What the work folder is in the room. */
  readonly folder: string;
  readonly checks: CheckSetting;
}

/** Runs the checks in a place that was made for them. */
export type RunChecks = (place: SealedPlace) => Promise<GateRun | undefined>;

/** Runs checks where no agent ever was. */
export interface SealedGate {
  /** Takes the snapshot; a text says why it cannot be taken. */
  prepare(checks: readonly CheckCommand[]): Promise<CapturedEnvironment | string>;
  run(task: GateTask, signals: EffectSignals, runChecks: RunChecks): Promise<GateRun | undefined>;
  tidy(isOver: boolean): Promise<void>;
}

/** The work, as it was read for one gate. */
interface Work {
  readonly candidate: Candidate;
  readonly names: GitNames;
  readonly digests: DependencyDigests;
}

/** Creates the gate of one loop. The room stays from one gate to the next; the snapshot stays until the loop is over. */
export function createSealedGate(setting: GateSetting, marker: string): SealedGate {
  return new LoopSeal(setting, marker);
}

class LoopSeal implements SealedGate {
  readonly #setting: GateSetting;
  readonly #marker: string;
  readonly #top: string;
  readonly #prefix: string;
  #captured: Pick<CapturedEnvironment, 'id' | 'digest'> | undefined;
  #environment: Environment | undefined;
  #room: Room | undefined;

  constructor(setting: GateSetting, marker: string) {
    this.#setting = setting;
    this.#marker = marker;
    this.#top = findTop(setting.workingDirectory);
    this.#prefix = path.relative(this.#top, realFolder(setting.workingDirectory));
    this.#captured = setting.environment;
  }

  async prepare(checks: readonly CheckCommand[]): Promise<CapturedEnvironment | string> {
    const { config, env, own = [] } = this.#setting;
    const place = this.#place;
    if (place === undefined) return 'There is no folder for it: set HOME or XDG_STATE_HOME.';
    try {
      const names = await namesFromGit(this.#top, env);
      const reading = { exclude: own, names };
      const request = { place, top: this.#top, prefix: this.#prefix, config, checks, env, reading };
      this.#captured = await captureEnvironment(request);
      this.#environment = undefined;
      this.#room = undefined;
      return this.#captured as CapturedEnvironment;
    } catch (error) {
      if (!isReadError(error) && !(error instanceof Error && 'syscall' in error)) throw error;
      return error.message;
    }
  }

  async run(task: GateTask, signals: EffectSignals, runChecks: RunChecks): Promise<GateRun | undefined> {
    try {
      const environment = this.#open();
      this.#assertOutside(environment);
      return await this.#runIn(environment, { task, signals, runChecks });
    } catch (error) {
      if (error instanceof SealBroken) return blocked(task, error.message, error.obstacle);
      if (isReadError(error)) return blocked(task, error.message);
      throw error;
    }
  }

  async tidy(isOver: boolean): Promise<void> {
    await endByMarker(this.#marker);
    const place = this.#place;
    if (place === undefined) return;
    if (isOver) removeRoomEntry(place);
    else for (const name of roomsIn(place)) removeRoomEntry(path.join(place, name));
    this.#room = undefined;
  }

  get #place(): string | undefined {
    const { gates, loopId } = this.#setting;
    return gates === undefined ? undefined : path.join(gates, loopId);
  }

  #open(): Environment {
    if (this.#environment !== undefined) return this.#environment;
    const place = this.#place;
    if (place === undefined || this.#captured === undefined) throw new SealBroken(obstacles.noEnvironment());
    const opened = openEnvironment(place, this.#captured);
    if ('code' in opened) throw new SealBroken(opened);
    this.#environment = opened;
    return opened;
  }

  /** What the checks read outside of the work tree must be what it was. */
  #assertOutside({ shared, stamps, programs }: Environment): void {
    const now = programsNow(this.#setting.env, this.#top);
    const changed = [...changedPlaces(shared.places, stamps), ...changedPrograms(programs, now)];
    if (changed.length > 0) throw new SealBroken(obstacles.outsideChanged(changed));
  }

  async #runIn(environment: Environment, { task, signals, runChecks }: Run): Promise<GateRun | undefined> {
    const room = this.#roomHere();
    await room.clean();
    const work = await this.#readInto(room, environment);
    const refusal = this.#refusal(work, environment);
    if (refusal !== undefined) return blocked(task, refusal);
    const reinstalls = this.#reinstalls(work, environment);
    const { config, env, findEncloser } = this.#setting;
    const { top } = { top: this.#top };
    const surroundings = await this.#furnished(room, environment, reinstalls);
    const setup = await this.#setUp(reinstalls, surroundings, signals);
    if (setup === 'broken off') return undefined;
    const run =
      setup ??
      (await runChecks({
        folder: path.join(room.tree, this.#prefix),
        checks: this.#checkSetting(surroundings, surroundings.workingDirectory),
      }));
    void config;
    void env;
    void findEncloser;
    void top;
    if (run === undefined) return undefined;
    return this.#bound('verdict' in run ? run : setupFailed(task, run.check), work, surroundings);
  }
}
