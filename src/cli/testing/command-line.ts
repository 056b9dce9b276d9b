import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { grantAny, realPath } from '../../app/index.ts';
import { main } from '../main.ts';
import { createCollector } from './collector.ts';

/** Commands whose tests look at everything that they leave. */
const writesNothing = new Set(['import', 'init', 'validate', 'doctor']);

/** How a command line ended, and all it printed. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder to run command lines in, inside this process: nothing but what they start takes time. */
export interface CommandLine {
  readonly folder: string;
  has(name: string): boolean;
  write(name: string, text: string): void;
  /** Runs a command line, in this folder if no other is given. */
  run(args: readonly string[], env?: NodeJS.ProcessEnv, cwd?: string): Promise<Ended>;
  /** Runs a command line with a text on its stdin. */
  feed(input: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
}

/** A command line in a temporary folder with an agent that does its work and a check that wants it done. */
export function createCommandLine(): CommandLine {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string) => path.join(folder, name);
  const write = (name: string, text: string) => writeFileSync(at(name), text);
  for (const [name, line] of [
    ['agent.sh', 'cat > heard; touch done; echo "<promise>DONE</promise>"'],
    ['check.sh', 'test -f done'],
  ] as const) {
    write(name, `#!/bin/sh\n${line}\n`);
    chmodSync(at(name), 0o755);
  }
  const start = async (args: readonly string[], { env, cwd, stdin }: Start): Promise<Ended> => {
    const stdout = createCollector();
    const stderr = createCollector();
    const own = { PATH: '/usr/bin:/bin', HOME: at('home'), TMPDIR: tmpdir(), ...env };
    if (!writesNothing.has(args[0] ?? '') && own.HOME === at('home')) grantAny(realPath(folder), own);
    const code = await main(
      args,
      {},
      {
        cwd,
        env: own,
        stdin,
        stdout: stdout.stream,
        stderr: stderr.stream,
        flush: async () => {},
        program: [process.execPath],
        argv: args,
        isHangupIgnored: false,
      },
    );
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  };
  return {
    folder,
    has: (name) => existsSync(at(name)),
    write,
    run: async (args, env = {}, cwd = folder) => await start(args, { env, cwd, stdin: process.stdin }),
    feed: async (input, args, env = {}) =>
      await start(args, {
        env,
        cwd: folder,
        stdin: Readable.from([Buffer.from(input)]) as unknown as NodeJS.ReadStream,
      }),
  };
}

interface Start {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
}
