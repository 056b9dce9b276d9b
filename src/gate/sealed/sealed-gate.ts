import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { GateRun, GateTask } from '../../core/index.ts';
import { endByMarker } from '../../process/index.ts';
import { type CheckCommand, type Obstacle, protectionOf, usualTests } from '../../protocol/index.ts';
import { removeRoomEntry } from '../../store/index.ts';
import { createPathMatcher, isReadError, type RawPath, realFolder, toRaw, toText } from '../../workspace/index.ts';
import { type Candidate, differsFrom } from '../candidate/candidate.ts';
import { findTop, namesFromGit } from '../candidate/git-files.ts';
import { type CheckRun, lineOf, runCheck, withNote } from '../check-run.ts';
import type { CheckSetting, EffectSignals, GateSetting } from '../setting.ts';
import { entriesIn } from './copy-tree.ts';
import type { Reinstall } from './dependencies.ts';
import {
  type CapturedEnvironment,
  captureEnvironment,
  type Environment,
  openEnvironment,
  programsNow,
} from './environment.ts';
import { listed, obstacles } from './obstacles.ts';
import { createRoom, type Room } from './room.ts';
import { SealBroken } from './seal-broken.ts';
import { changedPlaces, changedPrograms } from './stamps.ts';
import { notIsolated, rewriteFor, type Surroundings, surround } from './surroundings.ts';
import { readInto, refusalOf, reinstallsFor, type Work, type WorkPlace } from './work.ts';

/** Where the checks of a sealed gate run, and how. */
export interface SealedPlace {
  /** What the work folder is in the room. */
  readonly folder: string;
  readonly checks: CheckSetting;
}

/** One gate: what is to be run, and how the checks are run in a place that was made for them. */
export interface SealedTask {
  readonly task: GateTask;
  readonly signals: EffectSignals;
  readonly runChecks: (place: SealedPlace) => Promise<GateRun | undefined>;
  /** Adds how the work differs from the beginning of the loop. */
  readonly compare: (run: GateRun, work: Candidate) => GateRun;
}

/** Runs the checks of a loop where no agent ever was. */
export interface SealedGate {
  /** Takes the snapshot; a text says why it cannot be taken. */
  prepare(checks: readonly CheckCommand[]): Promise<CapturedEnvironment | string>;
  /** `undefined` when it was broken off. */
  run(task: SealedTask): Promise<GateRun | undefined>;
  /** Removes what an earlier owner left; once the loop is over, everything. */
  tidy(isOver: boolean): Promise<void>;
}

const roomPrefix = 'room-';
const maxWrites = 200;

/** Creates the gate of one loop. Its room stays from one gate to the next, its snapshot until the loop is over. */
export function createSealedGate(setting: GateSetting, marker: string): SealedGate {
  return new LoopSeal(setting, marker);
}

class LoopSeal implements SealedGate {
  readonly #work: WorkPlace;
  readonly #marker: string;
  readonly #place: string | undefined;
  #captured: Pick<CapturedEnvironment, 'id' | 'digest'> | undefined;
  #environment: Environment | undefined;
  #room: Room | undefined;

  constructor(setting: GateSetting, marker: string) {
    const top = findTop(setting.workingDirectory);
    this.#work = { setting, top, prefix: path.relative(top, realFolder(setting.workingDirectory)) };
    this.#marker = marker;
    this.#place = setting.gates === undefined ? undefined : path.join(setting.gates, setting.loopId);
    this.#captured = setting.environment;
  }

  async prepare(checks: readonly CheckCommand[]): Promise<CapturedEnvironment | string> {
    const { setting, top, prefix } = this.#work;
    const { config, env, own = [] } = setting;
    const place = this.#place;
    if (place === undefined) return 'there is no folder for it: set HOME or XDG_STATE_HOME';
    try {
      const reading = { exclude: own, names: await namesFromGit(top, env) };
      const captured = await captureEnvironment({ place, top, prefix, config, checks, env, reading });
      this.#captured = captured;
      this.#environment = undefined;
      this.#room = undefined;
      return captured;
    } catch (error) {
      if (!isReadError(error) && !(error instanceof Error && 'syscall' in error)) throw error;
      return error.message;
    }
  }

  async run(sealed: SealedTask): Promise<GateRun | undefined> {
    try {
      const environment = this.#open();
      assertOutside(environment, this.#work);
      return await this.#runIn(this.#roomHere(), environment, sealed);
    } catch (error) {
      if (error instanceof SealBroken) return notRun(sealed.task, error.message, error.obstacle);
      if (isReadError(error)) return notRun(sealed.task, error.message);
      throw error;
    }
  }

  async tidy(isOver: boolean): Promise<void> {
    await endByMarker(this.#marker);
    this.#room = undefined;
    const place = this.#place;
    if (place === undefined) return;
    if (isOver) removeRoomEntry(place);
    const rooms = entriesIn(toRaw(place)).filter(({ name }) => name.startsWith(roomPrefix));
    for (const { name } of rooms) removeRoomEntry(path.join(place, name));
  }

  #open(): Environment {
    if (this.#environment !== undefined) return this.#environment;
    if (this.#place === undefined || this.#captured === undefined) throw new SealBroken(obstacles.noEnvironment());
    const opened = openEnvironment(this.#place, this.#captured);
    if ('code' in opened) throw new SealBroken(opened);
    this.#environment = opened;
    return opened;
  }

  #roomHere(): Room {
    this.#room ??= createRoom(path.join(this.#place ?? '', `${roomPrefix}${randomBytes(8).toString('hex')}`));
    return this.#room;
  }

  async #runIn(room: Room, environment: Environment, { task, signals, runChecks, compare }: SealedTask) {
    await room.clean();
    const work = await readInto(room, environment, this.#work);
    const refusal = refusalOf(work, environment);
    if (refusal !== undefined) return notRun(task, refusal);
    const reinstalls = reinstallsFor(work, environment, this.#work);
    const surroundings = await this.#furnish(room, environment, reinstalls);
    const setting = { ...this.#work.setting, marker: this.#marker };
    const failed = await runSetup(setupLines(reinstalls, this.#work), { setting, surroundings, signals });
    if (failed === 'broken off') return undefined;
    if (failed !== undefined) return setupFailed(task, failed);
    const checks = checkSetting(setting, surroundings, surroundings.workingDirectory);
    const run = await runChecks({ folder: path.join(room.tree, this.#work.prefix), checks });
    const written = run && this.#judgeWrites(run, room.touched().map(toText), task);
    return written && compare(this.#bound(written, work, surroundings), work.candidate);
  }

  async #furnish(room: Room, environment: Environment, reinstalls: readonly Reinstall[]): Promise<Surroundings> {
    const { setting, top, prefix } = this.#work;
    const { env, findEncloser } = setting;
    const surroundings = await surround({ room, environment, top, prefix, env, findEncloser });
    const without = new Set<RawPath>(reinstalls.flatMap(({ afresh }) => afresh));
    const rewrite = surroundings.enclose === undefined ? rewriteFor(top, room.tree) : undefined;
    await room.furnish(environment, { without, rewrite });
    return surroundings;
  }

  /**
   * Code under test that rewrites itself while it is tested is not what the user would get. What the checks wrote before
   * any agent ran is their way, and so are tests, which runners bring up to date.
   */
  #judgeWrites(run: GateRun, written: readonly string[], { purpose, expectedWrites = [] }: GateTask): GateRun {
    if (written.length === 0) return run;
    const { setting, prefix } = this.#work;
    const isTest = createPathMatcher([...usualTests, ...protectionOf(setting.config.protect).paths]);
    const expected = new Set(expectedWrites);
    const isOdd = (file: string) => !expected.has(file) && !isTest(path.relative(prefix, file));
    const odd = purpose === 'baseline' ? [] : written.filter(isOdd);
    const shown = { ...run, writes: written.slice(0, maxWrites) };
    return odd.length === 0 ? shown : distrusted(shown, `the checks changed files of the work: ${listed(odd)}`);
  }

  /** Binds a run to the files that were read, and refuses it where they are no longer the same. */
  #bound(run: GateRun, { candidate, names }: Work, { problem }: Surroundings): GateRun {
    const differing = differsFrom(candidate, { exclude: this.#work.setting.own ?? [], names });
    const nested = candidate.nested.map(
      (folder) => `${folder} is a repository of its own; its files count as part of the work`,
    );
    const warnings = [...(run.warnings ?? []), ...nested, ...(problem === undefined ? [] : [notIsolated(problem)])];
    const shown = {
      ...run,
      proof: 'sealed' as const,
      tree: candidate.tree,
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    if (differing.length === 0) return shown;
    return distrusted(shown, `these files changed while the checks ran: ${listed(differing)}`);
  }
}

/** A run that passed and proves nothing all the same. */
function distrusted(run: GateRun, why: string): GateRun {
  const checks = run.checks.map((check) => ({
    ...check,
    ...refused(check.verdict),
    output: withNote(check.output, `Nothing is proven: ${why}`),
  }));
  return { ...run, checks, ...refused(run.verdict) };
}

function refused(verdict: GateRun['verdict']): { verdict: GateRun['verdict'] } {
  return { verdict: verdict === 'passed' ? 'unverifiable' : verdict };
}

/** What the checks read outside of the work tree must be what it was. */
function assertOutside({ shared, stamps, programs }: Environment, { setting, top }: WorkPlace): void {
  const now = programsNow(setting.env, top);
  const changed = [...changedPlaces(shared.places, stamps), ...changedPrograms(programs, now)];
  if (changed.length > 0) throw new SealBroken(obstacles.outsideChanged(changed));
}

interface SetupLine {
  readonly command: CheckCommand;
  /** Seen from the top. */
  readonly folder: string;
}

/** What installs dependencies afresh: the user's own commands, else what is usual for each place. */
function setupLines(reinstalls: readonly Reinstall[], { setting, prefix }: WorkPlace): readonly SetupLine[] {
  const { setup } = setting.config;
  if (reinstalls.length === 0) return [];
  if (setup !== undefined) return [setup].flat(1).map((command) => ({ command, folder: prefix }));
  return reinstalls.flatMap(({ command, folder }) =>
    command === undefined ? [] : [{ command, folder: toText(folder) }],
  );
}

interface SetupPlace {
  readonly setting: CheckSetting;
  readonly surroundings: Surroundings;
  readonly signals: EffectSignals;
}

/** Installs dependencies in the room; returns the first command that does not pass. */
async function runSetup(
  lines: readonly SetupLine[],
  { setting, surroundings, signals }: SetupPlace,
): Promise<CheckRun | 'broken off' | undefined> {
  for (const { command, folder } of lines) {
    const cwd = path.join(surroundings.top, folder);
    const run = await runCheck(command, checkSetting(setting, surroundings, cwd), signals);
    if (run === undefined) return 'broken off';
    if (run.check.exitCode !== 0) return run;
  }
  return undefined;
}

function checkSetting(setting: CheckSetting, { env, enclose }: Surroundings, cwd: string): CheckSetting {
  if (enclose === undefined) return { ...setting, env, workingDirectory: cwd };
  return { ...setting, env, workingDirectory: '/', enclose: (command) => enclose(command, cwd) };
}

function setupFailed(task: GateTask, { check }: CheckRun): GateRun {
  const rest = notRun(task, 'the dependencies could not be installed');
  return { ...rest, checks: [{ ...check, command: `setup: ${check.command}` }, ...rest.checks], verdict: 'failed' };
}

/** A gate whose checks were not run, with the reason. */
function notRun({ checks }: GateTask, why: string, obstacle?: Obstacle): GateRun {
  const output = withNote('', `Not run. ${why.replace(/\.$/, '')}.`);
  return {
    verdict: 'unverifiable',
    checks: checks.map((command) => ({ command: lineOf(command), verdict: 'unverifiable', durationMs: 0, output })),
    proof: 'sealed',
    ...(obstacle === undefined ? {} : { obstacle }),
    durationMs: 0,
  };
}
