import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { grantAny, realPath } from '../../src/app/index.ts';
import type { LoopConfigInput } from '../../src/index.ts';
import { endByMarker, findByMarker } from '../../src/process/index.ts';
import { follow, type Project, type Running } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';
import type { Scenario } from './model-server/scenarios.ts';
import type { Asked, ModelServer } from './model-server/server.ts';
import { closedProxies } from './network.ts';
import type { Program, Wanted } from './programs/program.ts';

/** One ralphd loop with a real agent and a scripted model. */
export interface Plan extends Wanted {
  readonly scenario: Scenario;
  /** The exact task text. */
  readonly task?: string;
  /** Settings in addition to the defaults. */
  readonly settings?: LoopConfigInput;
}

/** A project for a loop with a real agent. */
export interface Trial extends Project {
  /** The requests to the model so far. */
  asked(): readonly Asked[];
  /** The port of the model. */
  readonly modelPort: string;
  writeAtHome(name: string, text: string): void;
}

/** A separate home, temporary folder and project; processes left in them are killed at the end of the test. */
export function createTrial(program: Program, server: ModelServer, plan: Plan): Trial {
  const root = mkdtempSync(path.join(os.tmpdir(), 'ralphd-agent-'));
  const marker = randomUUID();
  onTestFinished(async () => {
    await endByMarker(marker);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  // Side by side, because one of the agents refuses to work when its home is inside the temporary folder.
  const [home, tmp, folder] = ['home', 'tmp', 'work'].map((name) => path.join(root, name)) as [string, string, string];
  for (const made of [home, tmp, folder]) mkdirSync(made);
  const provider = server.addressOf({ scenario: plan.scenario, folder });
  const { env, args, files } = program.equip({ home, provider }, plan);
  for (const [name, text] of Object.entries(files)) writeBelow(home, name, text);
  const base = {
    PATH: [path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter),
    HOME: home,
    TMPDIR: tmp,
    LANG: 'C.UTF-8',
  };
  grantAny(realPath(root), base);
  execFileSync('git', ['init', '-q', folder], { env: base });
  writeFileSync(path.join(folder, 'PROMPT.md'), plan.task ?? 'Make the file "done".');
  writeFileSync(path.join(folder, 'ralphd.yml'), JSON.stringify(settingsOf(program, args, plan)));
  const project = projectIn(folder, { ...base, ...closedProxies, ...env, RALPHD_ATTEMPT: marker }, marker);
  return {
    ...project,
    asked: () => server.asked(folder),
    modelPort: new URL(provider).port,
    writeAtHome: (name, text) => writeBelow(home, name, text),
  };
}

/** Minimal settings: the check is that the file exists, and the loop never waits for the provider. */
function settingsOf(
  { adapter, binary }: Program,
  agentArgs: readonly string[],
  { settings = {} }: Plan,
): LoopConfigInput {
  return {
    agent: adapter.name as 'claude',
    agents: { [adapter.name]: { command: binary() } },
    agentArgs: [...agentArgs],
    permissions: 'full',
    verify: ['test -f done'],
    autoTest: false,
    baseline: false,
    maxIterations: 1,
    iterationDelay: '0s',
    onProviderLimit: 'stop',
    ...settings,
  };
}

function projectIn(folder: string, env: NodeJS.ProcessEnv, marker: string): Project {
  const at = (name: string) => path.join(folder, name);
  const start = (args: readonly string[], more: NodeJS.ProcessEnv = {}): Running =>
    follow(spawn(process.execPath, [launcher, ...args], { cwd: folder, env: { ...env, ...more } }));
  const program = async (...args: readonly string[]) => await start(args).ended;
  return {
    folder,
    env,
    processes: () => findByMarker(marker),
    has: (name) => existsSync(at(name)),
    read: (name) => readFileSync(at(name), 'utf8'),
    write: (name, text) => writeFileSync(at(name), text),
    script(name, ...lines) {
      writeFileSync(at(name), ['#!/bin/sh', ...lines, ''].join('\n'));
      chmodSync(at(name), 0o755);
    },
    start,
    begin: start,
    ralphd: program,
    ralphdWith: async (more, args) => await start(args, more).ended,
    program,
  };
}

function writeBelow(folder: string, name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
