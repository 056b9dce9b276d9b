import { createReadStream } from 'node:fs';
import path from 'node:path';
import {
  type LoopPlace,
  type ProofVerification,
  placeOf,
  proveLoop,
  verifyProof,
  writeDocument,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import type { ProofBundle } from '../../protocol/index.ts';
import { listenForInterrupt } from '../interrupt-signal.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import { proofMarkdown } from '../output/proof-markdown.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';
import { version } from '../version.ts';

/** `ralphd proof`: creates the proof of a loop, or checks one. */
export async function proofCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  return invocation.args[0] === 'verify'
    ? await verify(invocation, surroundings)
    : await make(invocation, surroundings);
}

async function make(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, cwd, env } = surroundings;
  refuse(options, ['repo', 'run']);
  if (args[1] !== undefined) throw new LoopError(failures.tooManyArguments('proof', args[1]));
  const { loopId, bundle } = await proveLoop(await placeFor(invocation, surroundings), args[0], { env, version });
  const asJson = options['json'] === true;
  const text = options['markdown'] === true ? proofMarkdown(bundle) : jsonLine(bundle, asJson ? 0 : 2);
  const out = options['out'];
  if (typeof out !== 'string') {
    stdout.write(text);
    return exitCodes.completed;
  }
  const file = path.resolve(cwd, out);
  writeDocument(file, text);
  if (asJson) stdout.write(jsonLine({ loopId, file, digest: bundle.digest, tree: treeOf(bundle) }));
  else stdout.write(`Wrote the proof of ${loopId} to ${out}. Check it: ralphd proof verify ${out} --repo .\n`);
  return exitCodes.completed;
}

function treeOf({ proof }: ProofBundle): string | null {
  return proof.tree?.id ?? null;
}

async function verify(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, cwd, env } = surroundings;
  refuse(options, ['out', 'markdown']);
  const [, name] = args;
  if (name === undefined) throw new LoopError(failures.missingArgument('FILE', 'proof verify'));
  const repo = typeof options['repo'] === 'string' ? path.resolve(cwd, options['repo']) : undefined;
  using interrupt = listenForInterrupt();
  const file = path.resolve(cwd, name);
  const request = { file, repo, run: options['run'] === true, signal: interrupt.signal };
  const place = await placeIn(repo, invocation, surroundings);
  const result = await verifyProof(await read(file), place, { options: request, context: { env, version } });
  if (options['json'] === true) stdout.write(jsonLine(result));
  else stdout.write(`${resultLines(result, paintFor(stdout)).join('\n')}\n`);
  if (interrupt.signal.aborted) return exitCodes.interrupted;
  return result.holds ? exitCodes.completed : exitCodes.failed;
}

/** The state folder of the checkout that the proof is compared with. */
async function placeIn(
  repo: string | undefined,
  invocation: Invocation,
  surroundings: Surroundings,
): Promise<LoopPlace> {
  if (repo === undefined || typeof invocation.options['state-dir'] === 'string') {
    return await placeFor(invocation, surroundings);
  }
  return placeOf({ workingDir: '.', stateDir: '.ralph' }, repo);
}

const maxProofBytes = 64 * 1024 * 1024;

async function read(file: string): Promise<string> {
  try {
    return await readBounded(file);
  } catch (error) {
    if (error instanceof LoopError || !(error instanceof Error && 'code' in error)) throw error;
    throw new LoopError(failures.fileUnreadable(file, error.message), { cause: error });
  }
}

// A device such as /dev/zero never ends.
async function readBounded(file: string): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxProofBytes) {
      throw new LoopError(failures.proofUnreadable(file, `it is larger than ${maxProofBytes / 1024 / 1024} MiB`));
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function refuse(options: Invocation['options'], names: readonly string[]): void {
  const given = names.find((name) => options[name] !== undefined);
  const [first] = names;
  if (given === undefined) return;
  const expected = first === 'repo' ? 'used with "ralphd proof verify FILE"' : 'used with "ralphd proof ID"';
  throw new LoopError(failures.badValue(`--${given}`, expected, 'given here'));
}

function resultLines({ loopId, holds, lines }: ProofVerification, paint: Paint): string[] {
  const marks = { holds: paint.good('✓'), broken: paint.bad('✗'), unknown: paint.dim('·') };
  const broken = lines.filter(({ result }) => result === 'broken').map(({ name }) => name);
  return [
    ...lines.map(({ name, result, detail }) => `${marks[result]} ${name.padEnd(9)} ${oneLine(detail, 300)}`),
    holds
      ? paint.good(`The proof of ${loopId} is valid.`)
      : paint.bad(`The proof of ${loopId} is not valid: ${broken.join(', ')}.`),
  ];
}
