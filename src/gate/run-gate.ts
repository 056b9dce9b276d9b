import type { GateRun, GateTask } from '../core/index.ts';
import { createTemporaryFolder } from '../files/index.ts';
import { endByMarker } from '../process/index.ts';
import {
  attemptVariables,
  type CheckCommand,
  type CheckProgress,
  type JudgedTree,
  type Measure,
  type ProofLevel,
} from '../protocol/index.ts';
import { bindToCheckout, bindToTree, readFolder } from './candidate/bind.ts';
import type { Candidate } from './candidate/candidate.ts';
import { findTop } from './candidate/git-files.ts';
import { createStartTree, type StartComparison } from './candidate/start.ts';
import { type CheckRun, lineOf, runCheck, withNote } from './check-run.ts';
import { type NoCleanPlace, openCleanPlace, tidyCleanPlace } from './clean/clean-place.ts';
import { runsClean } from './clean/save-base.ts';
import { countTests } from './count-tests.ts';
import { createWatch, type Watch } from './guards/watch.ts';
import { measuresOf, watchMetricFiles } from './measures.ts';
import type { CapturedEnvironment } from './sealed/environment.ts';
import { createSealedGate, type SealedPlace } from './sealed/sealed-gate.ts';
import { type CheckSetting, type EffectSignals, type GateSetting, gateMarkerOf } from './setting.ts';

interface Gate {
  /** `undefined` when it was interrupted. `onCheck` receives each check as it starts and as it ends. */
  run(task: GateTask, signals: EffectSignals, onCheck?: OnCheck): Promise<GateRun | undefined>;
  /** Removes what an earlier owner left behind; once the loop has ended, everything saved for its gate. */
  tidy(isOver: boolean): Promise<void>;
  /** Takes a snapshot of everything that sealed checks need besides the work; returns the reason as text if that fails. */
  prepare(checks: readonly CheckCommand[]): Promise<CapturedEnvironment | string>;
  /** Records the files of the work tree before the first agent runs; undefined where they cannot be read. */
  captureStart(): Promise<JudgedTree | undefined>;
}

type OnCheck = (check: CheckProgress) => void;

/** Runs every check of the gate in order, even after a failure: the agent should know the results of all. */
export function createGate(setting: GateSetting): Gate {
  const marker = gateMarkerOf(setting.uuid);
  const seal = setting.config.verifyIn === 'sealed' ? createSealedGate(setting, marker) : undefined;
  const start = createStartTree(setting);
  const runChecks = async (situation: Situation): Promise<GateRun | undefined> => {
    const { task, signals } = situation;
    if (seal !== undefined) {
      const runSealed = ({ folder, checks }: SealedPlace) => runIn(folder, situation, checks);
      const compare = (run: GateRun, work: Candidate) => compared(run, start.compare(work, task), 'sealed');
      return await seal.run({ task, signals, runChecks: runSealed, compare });
    }
    if (!runsClean(setting.config)) {
      const before = await readFolder(setting.workingDirectory, setting);
      const run = await runIn(setting.workingDirectory, situation);
      const bound = run && (await bindToTree(run, before, situation));
      return bound && compared(bound, start.compare(before, task), 'tree');
    }
    const place = await openCleanPlace(setting);
    if ('problem' in place) return withoutCheckout(place, situation);
    await using checkout = place.checkout;
    // Before the checks run: what they write there is not part of the work.
    const checked = await readFolder(checkout.folder, setting);
    const run = await runIn(checkout.folder, situation);
    const work = await readFolder(setting.workingDirectory, setting);
    const bound = run && bindToCheckout(run, { work, checkout: checked }, setting);
    return bound && compared(bound, start.compare(work, task), 'clean');
  };
  return {
    async run(task, signals, onCheck) {
      if (task.isRepeat) await endByMarker(marker);
      return withSandbox(await runChecks({ setting, marker, task, signals, onCheck }), setting);
    },
    async tidy(isOver) {
      if (seal !== undefined) await seal.tidy(isOver);
      else if (runsClean(setting.config)) await tidyCleanPlace(setting, marker, isOver);
    },
    prepare: async (checks) => (await seal?.prepare(checks)) ?? 'these checks are not sealed',
    captureStart: start.capture,
  };
}

interface Situation {
  readonly setting: GateSetting;
  readonly marker: string;
  readonly task: GateTask;
  readonly signals: EffectSignals;
  readonly onCheck?: OnCheck | undefined;
}

/** Checks in a checkout write there as well. */
function encloseIn(folder: string, { sandbox, workingDirectory }: GateSetting): CheckSetting['enclose'] {
  if (sandbox === undefined) return undefined;
  const writes = folder === workingDirectory ? [] : [findTop(folder)];
  return (run) => sandbox.enclose({ ...run, cwd: folder, writes });
}

/** Adds what the sandbox of the checks kept from them. */
function withSandbox(run: GateRun | undefined, { sandbox }: GateSetting): GateRun | undefined {
  if (sandbox === undefined) return run;
  const { denied, warnings } = sandbox.outcome();
  const hosts = denied.length === 0 ? [] : [`The sandbox did not let the checks reach ${denied.join(', ')}.`];
  const all = [...(run?.warnings ?? []), ...warnings, ...hosts];
  return run && (all.length === 0 ? run : { ...run, warnings: all });
}

async function runIn(
  folder: string,
  { setting, marker, task, signals, onCheck }: Situation,
  sealed?: CheckSetting,
): Promise<GateRun | undefined> {
  // Bytecode next to the sources may come from other sources: Python reads and writes it elsewhere.
  using bytecode = createTemporaryFolder();
  const env = { PYTHONPYCACHEPREFIX: bytecode.root, ...setting.env };
  const own = { ...setting, env, workingDirectory: folder, marker, enclose: encloseIn(folder, setting) };
  const place: CheckSetting = withVariables(sealed ?? own, {
    task,
    trace: setting.trace,
  });
  const watch = createWatch(folder, setting, task);
  const files = watchMetricFiles(folder, setting.config.progress.metrics);
  const runs = await runAll(task, watch, async (command, index) => {
    const progress = { index: index + 1, count: task.checks.length, command: lineOf(command) };
    onCheck?.(progress);
    const run = await runCheck(command, place, signals);
    if (run !== undefined) onCheck?.({ ...progress, verdict: run.check.verdict });
    return run;
  });
  if (runs === undefined) return undefined;
  const findings = watch.findings();
  // Tampered checks may have printed any number; a baseline only lists files that the checks write themselves.
  const isMeasured = task.purpose === 'baseline' || findings.tampered === undefined;
  // In their own namespaces the checks see the room at the path of the work tree.
  const visibleFolder = place.enclose === undefined ? folder : setting.workingDirectory;
  const measures = isMeasured ? measuresOf(runs, files.read()) : [];
  return summarise(runs, { folder: visibleFolder, findings, measures });
}

function withVariables(
  place: CheckSetting,
  { task, trace }: Pick<GateSetting, 'trace'> & { readonly task: GateTask },
): CheckSetting {
  return { ...place, env: { ...place.env, ...attemptVariables(task), ...trace?.('gate', task) } };
}

/** Adds the comparison with the start of the loop. */
function compared(run: GateRun, { warnings = [], ...since }: StartComparison, proof: ProofLevel): GateRun {
  const all = [...(run.warnings ?? []), ...warnings];
  return { ...run, ...since, ...(all.length === 0 ? {} : { warnings: all }), proof };
}

function withoutCheckout({ problem, obstacle }: NoCleanPlace, { setting, task }: Situation): GateRun {
  const output = withNote('', `Not run. A clean checkout could not be made: ${problem}`);
  const runs = task.checks.map((command) => ({
    check: { command: lineOf(command), verdict: 'unverifiable' as const, durationMs: 0, output },
  }));
  const run = summarise(runs, { folder: setting.workingDirectory, findings: {}, measures: [] });
  return { ...run, proof: 'clean', ...(obstacle === undefined ? {} : { obstacle }) };
}

type Runs = readonly CheckRun[] | undefined;

/** Runs the checks one by one; a check whose files were changed is not run. */
async function runAll(
  { checks, purpose }: GateTask,
  watch: Watch,
  run: (command: CheckCommand, index: number) => Promise<CheckRun | undefined>,
): Promise<Runs> {
  const runs: CheckRun[] = [];
  for (const [index, command] of checks.entries()) {
    const tampered = purpose === 'gate' ? watch.tampered() : [];
    const one = tampered.length === 0 ? await run(command, index) : notRun(command, tampered);
    if (one === undefined) return undefined;
    runs.push(one);
  }
  const tampered = purpose === 'gate' ? watch.tampered() : [];
  return tampered.length === 0 ? runs : runs.map((one) => distrusted(one, tampered));
}

function notRun(command: CheckCommand, tampered: readonly string[]): CheckRun {
  const output = withNote('', `Not run. ${tamperedNote(tampered)}`);
  return { check: { command: lineOf(command), verdict: 'unverifiable', durationMs: 0, output } };
}

/** A check that passed while one of the gate's files was being changed proves nothing either. */
function distrusted({ check, report }: CheckRun, tampered: readonly string[]): CheckRun {
  if (check.verdict !== 'passed') return { check, report };
  return {
    check: { ...check, verdict: 'unverifiable', output: withNote(check.output, tamperedNote(tampered)) },
    report,
  };
}

function tamperedNote(tampered: readonly string[]): string {
  return `Nothing is proven, because files of the checks were changed: ${tampered.join(', ')}`;
}

interface Evidence {
  readonly folder: string;
  readonly findings: ReturnType<Watch['findings']>;
  readonly measures: readonly Measure[];
}

function summarise(runs: readonly CheckRun[], { folder, findings, measures }: Evidence): GateRun {
  const checks = runs.map(({ check }) => check);
  const refused = checks.find(({ verdict }) => verdict !== 'passed');
  const verdict = checks.length === 0 ? 'unverifiable' : (refused?.verdict ?? 'passed');
  const reports = runs.map(({ report }) => report).filter((report) => report !== undefined);
  const durationMs = checks.reduce((sum, check) => sum + check.durationMs, 0);
  return {
    verdict,
    checks,
    ...(reports.length === 0 ? {} : { tests: countTests(reports, folder) }),
    measures,
    ...findings,
    durationMs,
  };
}
