import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runToEnd } from '../../src/process/index.ts';
import { configSchema } from '../../src/protocol/index.ts';
import { openSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import type { BenchCase } from '../case.ts';

const roots: string[] = [];
process.on('exit', () => roots.forEach((root) => void rmSync(root, { recursive: true, force: true })));
const outputBytes = 64 * 1024 ** 2;

/** What a sandbox adds to an agent: once at its start, and nothing for what it prints. */
export const cases: readonly BenchCase[] =
  process.platform !== 'linux'
    ? []
    : [
        against('start of an agent in a sandbox', ['true'], 15),
        against('64 MB of output in a sandbox', ['head', '-c', String(outputBytes), '/dev/zero'], 30),
      ];

function against(name: string, command: readonly string[], plus: number): BenchCase {
  let opened: Promise<Place> | undefined;
  const place = async () => await (opened ??= layOut());
  return {
    name,
    against: 'the same without one',
    unit: 'ms',
    budget: { plus },
    runs: 30,
    floor: async () => {
      const { cwd, env } = await place();
      return await timed(async () => await runToEnd({ command, env, cwd }));
    },
    subject: async () => {
      const { sandbox, cwd, env } = await place();
      return await timed(async () => await runToEnd({ ...sandbox.enclose({ command, env, cwd }), cwd }));
    },
  };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

interface Place {
  readonly sandbox: Sandbox;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

async function layOut(): Promise<Place> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'ralphd-bench-sandbox-'));
  roots.push(root);
  const [home, cwd] = [path.join(root, 'home'), path.join(root, 'work')];
  for (const each of [home, cwd]) mkdirSync(each);
  const env = { PATH: '/usr/bin:/bin', HOME: home };
  const sandbox = await openSandbox({
    config: configSchema.parse({ sandbox: 'on' }),
    workingDirectory: cwd,
    root: path.join(cwd, '.ralph'),
    own: [],
    env,
    home: undefined,
    others: [],
    hosts: [],
    folder: path.join(root, 'sandbox'),
    install: () => undefined,
  });
  if (sandbox === undefined) throw new Error('there is no sandbox');
  return { sandbox, cwd, env };
}
