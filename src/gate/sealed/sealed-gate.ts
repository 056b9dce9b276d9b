import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { GateRun, GateTask } from '../../core/index.ts';
import { removeRoomEntry } from '../../files/index.ts';
import { endByMarker } from '../../process/index.ts';
import { type CheckCommand, type Obstacle, protectionOf, usualTests } from '../../protocol/index.ts';
import { createPathMatcher, isReadError, type RawPath, realFolder, toRaw, toText } from '../../workspace/index.ts';
import { type Candidate, changedSince } from '../candidate/candidate.ts';
import { findTop, namesFromGit } from '../candidate/git-files.ts';
import { type CheckRun, lineOf, runCheck, withNote } from '../check-run.ts';
import type { CheckSetting, EffectSignals, GateSetting } from '../setting.ts';
import { entriesIn } from './copy-tree.ts';
import type { Reinstall } from './dependencies.ts';
import {
  type CapturedEnvironment,
  captureEnvironment,
  currentPrograms,
  type Environment,
  openEnvironment,
} from './environment.ts';
import { listed, obstacles, SealedObstacle } from './obstacles.ts';
import { createRoom, type Room } from './room.ts';
import { changedPlaces, changedPrograms } from './stamps.ts';
import { notIsolatedWarning, rewriteFor, type Surroundings, surround } from './surroundings.ts';
import { readInto, refusalOf, reinstallsFor, type Work, type WorkPlace } from './work.ts';

/** Where and how the checks of a sealed gate run. */
export interface SealedPlace {
  /** The counterpart of the work folder in the room. */
  readonly folder: string;
  readonly checks: CheckSetting;
}

interface SealedTask {
  readonly task: GateTask;
  readonly signals: EffectSignals;
  readonly runChecks: (place: SealedPlace) => Promise<GateRun | undefined>;
  /** Adds the comparison with the start of the loop. */
  readonly compare: (run: GateRun, work: Candidate) => GateRun;
}

/** Runs the checks of a loop in a place that no agent ever had access to. */
interface SealedGate {
  /** Takes the snapshot; returns the reason as text if that fails. */
  prepare(checks: readonly CheckCommand[]): Promise<CapturedEnvironment | string>;
  /** `undefined` when it was interrupted. */
  run(task: SealedTask): Promise<GateRun | undefined>;
  /** Removes what an earlier owner left behind; once the loop has ended, everything. */
  tidy(isOver: boolean): Promise<void>;
}

const roomPrefix = 'room-';
const maxWrites = 200;

/** The room is kept from one gate to the next, the snapshot until the loop ends. */
export function createSealedGate(setting: GateSetting, marker: string): SealedGate {
  return new LoopSealedGate(setting, marker);
}

class LoopSealedGate implements SealedGate {
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
      assertOutsideUnchanged(environment, this.#work);
      return await this.#runIn(this.#openRoom(), environment, sealed);
    } catch (error) {
      if (error instanceof SealedObstacle) return notRun(sealed.task, error.message, error.obstacle);
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
    if (this.#place === undefined || this.#captured === undefined) throw new SealedObstacle(obstacles.noEnvironment());
    const opened = openEnvironment(this.#place, this.#captured);
    if ('code' in opened) throw new SealedObstacle(opened);
    this.#environment = opened;
    return opened;
  }

  #openRoom(): Room {
    this.#room ??= createRoom(path.join(this.#place ?? '', `${roomPrefix}${randomBytes(8).toString('hex')}`));
    return this.#room;
  }

  async #runIn(room: Room, environment: Environment, { task, signals, runChecks, compare }: SealedTask) {
    await room.clean();
    const work = await readInto(room, environment, this.#work);
    const refusal = refusalOf(work, environment);
    if (refusal !== undefined) return notRun(task, refusal);
    const reinstalls = reinstallsFor(work, environment, this.#work);
    const surroundings = await this.#populate(room, environment, reinstalls);
    const setting = { ...this.#work.setting, marker: this.#marker };
    const failed = await runSetup(setupLines(reinstalls, this.#work), { setting, surroundings, signals });
    if (failed === 'interrupted') return undefined;
    if (failed !== undefined) return setupFailed(task, failed);
    const checks = checkSetting(setting, surroundings, surroundings.workingDirectory);
    const run = await runChecks({ folder: path.join(room.tree, this.#work.prefix), checks });
    const written = run && this.#judgeWrites(run, room.touched().map(toText), task);
    return written && compare(this.#bindToTree(written, work, surroundings), work.candidate);
  }

  async #populate(room: Room, environment: Environment, reinstalls: readonly Reinstall[]): Promise<Surroundings> {
    const { setting, top, prefix } = this.#work;
    const { env, findEncloser, sandbox } = setting;
    const surroundings = await surround({ room, environment, top, prefix, env, findEncloser, sandbox });
    const without = new Set<RawPath>(reinstalls.flatMap(({ emptied }) => emptied));
    const rewrite = surroundings.enclose === undefined ? rewriteFor(top, room.tree) : undefined;
    await room.populate(environment, { without, rewrite });
    return surroundings;
  }

  /**
   * Code under test that rewrites itself while it is tested is not what the user would get. Files that the checks wrote
   * before any agent ran are expected, and so are tests, which runners may update.
   */
  #judgeWrites(run: GateRun, written: readonly string[], { purpose, expectedWrites = [] }: GateTask): GateRun {
    if (written.length === 0) return run;
    const { setting, prefix } = this.#work;
    const isTest = createPathMatcher([...usualTests, ...protectionOf(setting.config.protect).paths]);
    const expected = new Set(expectedWrites);
    const isUnexpected = (file: string) => !expected.has(file) && !isTest(path.relative(prefix, file));
    const unexpected = purpose === 'baseline' ? [] : written.filter(isUnexpected);
    const recorded = { ...run, writes: written.slice(0, maxWrites) };
    if (unexpected.length === 0) return recorded;
    return distrusted(recorded, `the checks changed files of the work: ${listed(unexpected)}`);
  }

  /** Binds a run to the files that were read, and refuses it where they changed meanwhile. */
  #bindToTree(run: GateRun, { candidate, names }: Work, { problem }: Surroundings): GateRun {
    const differing = changedSince(candidate, { exclude: this.#work.setting.own ?? [], names });
    const nested = candidate.nested.map(
      (folder) => `${folder} is a nested repository; its files count as part of the work`,
    );
    const warnings = [
      ...(run.warnings ?? []),
      ...nested,
      ...(problem === undefined ? [] : [notIsolatedWarning(problem)]),
    ];
    const bound = {
      ...run,
      proof: 'sealed' as const,
      tree: candidate.tree,
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    if (differing.length === 0) return bound;
    return distrusted(bound, `these files changed while the checks ran: ${listed(differing)}`);
  }
}

/** Turns a passed run into one that proves nothing. */
function distrusted(run: GateRun, reason: string): GateRun {
  const checks = run.checks.map((check) => ({
    ...check,
    ...refused(check.verdict),
    output: withNote(check.output, `Nothing is proven: ${reason}`),
  }));
  return { ...run, checks, ...refused(run.verdict) };
}

function refused(verdict: GateRun['verdict']): { verdict: GateRun['verdict'] } {
  return { verdict: verdict === 'passed' ? 'unverifiable' : verdict };
}

/** What the checks read outside the work tree must be unchanged. */
function assertOutsideUnchanged({ shared, stamps, programs }: Environment, { setting, top }: WorkPlace): void {
  const now = currentPrograms(setting.env, top);
  const changed = [...changedPlaces(shared.places, stamps), ...changedPrograms(programs, now)];
  if (changed.length > 0) throw new SealedObstacle(obstacles.outsideChanged(changed));
}

interface SetupLine {
  readonly command: CheckCommand;
  /** Relative to the top. */
  readonly folder: string;
}

/** The commands that install dependencies: the user's own, or else the usual one for each folder. */
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

/** Installs dependencies in the room; returns the first command that fails. */
async function runSetup(
  lines: readonly SetupLine[],
  { setting, surroundings, signals }: SetupPlace,
): Promise<CheckRun | 'interrupted' | undefined> {
  for (const { command, folder } of lines) {
    const cwd = path.join(surroundings.top, folder);
    const run = await runCheck(command, checkSetting(setting, surroundings, cwd), signals);
    if (run === undefined) return 'interrupted';
    if (run.check.exitCode !== 0) return run;
  }
  return undefined;
}

function checkSetting(setting: CheckSetting, { env, enclose }: Surroundings, cwd: string): CheckSetting {
  if (enclose === undefined) return { ...setting, env, workingDirectory: cwd };
  return { ...setting, env, workingDirectory: '/', enclose: (run) => enclose(run, cwd) };
}

function setupFailed(task: GateTask, { check }: CheckRun): GateRun {
  const rest = notRun(task, 'the dependencies could not be installed');
  return { ...rest, checks: [{ ...check, command: `setup: ${check.command}` }, ...rest.checks], verdict: 'failed' };
}

/** A gate whose checks did not run. */
function notRun({ checks }: GateTask, reason: string, obstacle?: Obstacle): GateRun {
  const output = withNote('', `Not run. ${reason.replace(/\.$/, '')}.`);
  return {
    verdict: 'unverifiable',
    checks: checks.map((command) => ({ command: lineOf(command), verdict: 'unverifiable', durationMs: 0, output })),
    proof: 'sealed',
    ...(obstacle === undefined ? {} : { obstacle }),
    durationMs: 0,
  };
}
