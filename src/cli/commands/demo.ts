import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startLoop } from '../../app/index.ts';
import { failures, LoopError } from '../../base/index.ts';
import { runToEnd } from '../../process/index.ts';
import { configSchema } from '../../protocol/index.ts';
import { follow } from '../follow.ts';
import { paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import { appContext, type Surroundings } from '../surroundings.ts';

/** `ralphd demo`: a real loop on a real broken project, with a script as the agent. */
export async function demoCommand({ options }: Invocation, surroundings: Surroundings): Promise<number> {
  const { stderr } = surroundings;
  const asJson = options['json'] === true;
  const folder = path.resolve(surroundings.cwd, typeof options['dir'] === 'string' ? options['dir'] : scratchFolder());
  assertUnused(folder);
  // The checks use the Node that runs ralphd, not another one on the PATH.
  const searchPath = [path.dirname(process.execPath), surroundings.env['PATH'] ?? ''].join(path.delimiter);
  const inside: Surroundings = { ...surroundings, cwd: folder, env: { ...surroundings.env, PATH: searchPath } };
  const paint = paintFor(stderr);
  await setUp(folder, inside);
  if (!asJson) {
    stderr.write(`Created a shopping cart with two bugs in ${folder}.\n`);
    stderr.write('A scripted agent will claim completion too early; watch the loop catch it.\n\n');
  }
  await using driven = await startLoop(demoConfig(), appContext(inside));
  const exitCode = await follow(driven, inside, { asJson, verbosity: 'normal', isScreen: false });
  if (!asJson) {
    stderr.write(`\n${paint.dim('Explore the result:')}\n`);
    stderr.write(`  cd ${folder}\n  ${paint.dim('the report   ')} ralphd report\n`);
    stderr.write(`  ${paint.dim('what changed ')} git diff\n`);
    stderr.write(`  ${paint.dim('every fact   ')} cat ${path.relative(folder, driven.folder)}/journal/*.jsonl\n`);
    stderr.write(
      `  ${paint.dim('each prompt  ')} cat ${path.relative(folder, driven.folder)}/iterations/*/attempt-1/prompt\n`,
    );
  }
  return exitCode;
}

/** The demo turns the folder into a repository, so it must not contain anything of the user's. */
function assertUnused(folder: string): void {
  try {
    if (readdirSync(folder).length > 0) throw new LoopError(failures.demoNotSetUp(folder, 'the folder is not empty.'));
  } catch (error) {
    if (error instanceof LoopError) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) throw new LoopError(failures.demoNotSetUp(folder, 'it is not a folder.'), { cause: error });
  }
}

function scratchFolder(): string {
  return path.join(os.tmpdir(), `ralphd-demo-${randomBytes(4).toString('hex')}`);
}

async function setUp(folder: string, surroundings: Surroundings): Promise<void> {
  const { demoProgram = [] } = appContext(surroundings);
  const command = [...demoProgram, '--set-up', folder];
  const { ending, output } = await runToEnd({ command, cwd: os.tmpdir(), env: surroundings.env, timeoutMs: 60_000 });
  if (ending.kind === 'exited' && ending.code === 0) return;
  throw new LoopError(failures.demoNotSetUp(folder, output.trim()));
}

function demoConfig() {
  return configSchema.parse({
    agent: 'demo',
    verify: ['node --test cart.test.mjs'],
    maxIterations: 5,
    iterationDelay: '300ms',
  });
}
