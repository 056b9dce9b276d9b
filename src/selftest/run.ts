import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Finding, NotPossible } from './findings.ts';
import { killAround } from './processes.ts';
import { Project } from './project.ts';
import { createRandom } from './random.ts';
import type { Scenario } from './scenario.ts';

/** What a self-test needs from its caller. */
export interface SelftestOptions {
  /** How ralphd is started: Node, and the program. */
  readonly program: readonly string[];
  readonly searchPath: string;
  /** The folder in which the self-test creates its own. */
  readonly temporaryFolder: string;
  readonly seed: number;
  /** Keeps the folder instead of removing it. */
  readonly keep: boolean;
  /** How long one scenario may take; a minute by default. */
  readonly maxScenarioMs?: number;
  /** Ends everything at once. */
  readonly signal: AbortSignal;
  /** Called as soon as a scenario has ended. */
  readonly onRow?: (row: SelftestRow) => void;
}

/** The result of one scenario. */
export interface SelftestRow {
  readonly name: string;
  readonly action: string;
  readonly promise: string;
  readonly result: 'ok' | 'failed' | 'not_possible';
  /** What was found instead, or what the machine lacks. */
  readonly finding?: string;
  /** How a scenario that passed differs from its description. */
  readonly remark?: string;
  readonly durationMs: number;
}

/** The result of a self-test. */
export interface SelftestReport {
  readonly ok: boolean;
  readonly seed: number;
  readonly durationMs: number;
  /** Only if it was kept. */
  readonly folder?: string;
  readonly scenarios: readonly SelftestRow[];
}

const sideBySide = 2;
const minuteMs = 60_000;

/** Plays the scenarios, two at a time, in a folder of their own; nothing of it is left unless it is to be kept. */
export async function runScenarios(scenarios: readonly Scenario[], options: SelftestOptions): Promise<SelftestReport> {
  const { temporaryFolder, keep, seed, signal } = options;
  const startedMs = performance.now();
  const root = mkdtempSync(path.join(temporaryFolder, 'ralphd-selftest-'));
  // Ends what the scenarios wait for, so that they end too.
  const stop = () => killAround(root);
  signal.addEventListener('abort', stop);
  try {
    const rows = await playAll(scenarios, root, options);
    const ok = rows.every(({ result }) => result !== 'failed');
    return { ok, seed, durationMs: elapsedSince(startedMs), ...(keep && { folder: root }), scenarios: rows };
  } finally {
    signal.removeEventListener('abort', stop);
    killAround(root);
    if (!keep) rmSync(root, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function playAll(
  scenarios: readonly Scenario[],
  root: string,
  options: SelftestOptions,
): Promise<readonly SelftestRow[]> {
  const rows = new Map<Scenario, SelftestRow>();
  const waiting = [...scenarios];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !options.signal.aborted; next = waiting.shift()) {
      const row = await play(next, root, options);
      if (options.signal.aborted) return;
      rows.set(next, row);
      options.onRow?.(row);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
  return scenarios.flatMap((scenario) => rows.get(scenario) ?? []);
}

async function play(scenario: Scenario, root: string, options: SelftestOptions): Promise<SelftestRow> {
  const { name, action, promise } = scenario;
  const { program, searchPath, seed, signal, maxScenarioMs = minuteMs } = options;
  const scratch = path.join(root, 'tmp');
  mkdirSync(scratch, { recursive: true });
  const startedMs = performance.now();
  const folder = path.join(root, name);
  let isLate = false;
  // What is waited for ends with it, so that the scenario ends too.
  const deadline = setTimeout(() => {
    isLate = true;
    killAround(folder);
  }, maxScenarioMs);
  const result = await scenario
    .play({
      random: createRandom(seed, name),
      signal,
      project: (part) => new Project(path.join(folder, part), { program, searchPath, scratch, signal }),
    })
    .then(passed, judge);
  clearTimeout(deadline);
  killAround(folder);
  const late = {
    result: 'failed',
    finding: `the scenario did not end within ${maxScenarioMs / 1_000} seconds`,
  } as const;
  return { name, action, promise, ...(isLate ? late : result), durationMs: elapsedSince(startedMs) };
}

function passed(remark: string | void): Pick<SelftestRow, 'result' | 'remark'> {
  return remark === undefined ? { result: 'ok' } : { result: 'ok', remark };
}

function judge(error: unknown): Pick<SelftestRow, 'result' | 'finding'> {
  const finding = error instanceof Error ? error.message : String(error);
  if (error instanceof NotPossible) return { result: 'not_possible', finding };
  if (error instanceof Finding) return { result: 'failed', finding };
  return { result: 'failed', finding: `the scenario could not be played: ${finding}` };
}

function elapsedSince(startedMs: number): number {
  return Math.round(performance.now() - startedMs);
}
