import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isolate } from './network.ts';

/** Which part of the suite to run, and where its output goes. */
export interface SuiteOptions {
  /** Names of agents; empty for all. */
  readonly agents: readonly string[];
  /** A pattern for the titles of cases. */
  readonly only?: string;
  readonly output: 'inherit' | 'ignore';
}

/** The result of one case with one agent. */
export interface Result {
  readonly agent: string;
  readonly row: string;
  readonly status: 'passed' | 'failed' | 'exempt';
  /** What was observed, or why the agent is exempt. */
  readonly seen: string;
}

/** All results, and how the network was blocked. */
export interface SuiteReport {
  readonly ok: boolean;
  readonly network: string;
  readonly results: readonly Result[];
}

const root = path.resolve(import.meta.dirname, '../..');

/** Runs the conformance suite in a separate process, without a network. */
export async function runSuite({ agents, only, output }: SuiteOptions): Promise<SuiteReport> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'ralphd-agents-'));
  try {
    const report = path.join(scratch, 'report.json');
    const { command, by, env } = isolate([
      process.execPath,
      path.join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--config',
      'test/agents/vitest.config.ts',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(only === undefined ? [] : ['-t', only]),
      ...agents.map((name) => `suites/${name}.test.ts`),
    ]);
    const [file, ...args] = command;
    const child = spawn(file, args, {
      cwd: root,
      env: { ...plainEnvironment(), ...env },
      stdio: ['ignore', output, output],
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { ok: code === 0, network: by, results: await resultsIn(report) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Inherits nothing from the caller, so that agents find neither keys nor settings. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: [path.dirname(process.execPath), '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(path.delimiter),
    HOME: os.tmpdir(),
    TMPDIR: os.tmpdir(),
    LANG: 'C.UTF-8',
  };
}

interface VitestReport {
  readonly testResults: readonly { readonly assertionResults: readonly VitestResult[] }[];
}

interface VitestResult {
  readonly status: string;
  readonly meta?: { readonly agent?: string; readonly row?: string; readonly seen?: string };
}

async function resultsIn(file: string): Promise<readonly Result[]> {
  const { testResults } = JSON.parse(await readFile(file, 'utf8')) as VitestReport;
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ status, meta: { agent, row, seen = '' } = {} }) => {
      // Cases that were not played have no row, unless the agent is exempt.
      if (agent === undefined || row === undefined) return [];
      return [{ agent, row, seen, status: statusOf(status) }];
    });
}

function statusOf(status: string): Result['status'] {
  if (status === 'passed' || status === 'failed') return status;
  return 'exempt';
}
