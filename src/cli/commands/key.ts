import path from 'node:path';
import {
  checkKeys,
  createKeyFile,
  createKeyInKeyring,
  encryptLoop,
  type KeyCheck,
  keyFilesOf,
  placeOf,
  rotateKey,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { projectFolder } from '../project-folder.ts';
import type { Surroundings } from '../surroundings.ts';
import { trustedSettings } from '../trust/settings.ts';

/** `ralphd key`: creates keys, checks them, and encrypts loops with them. */
export async function keyCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const [action = ''] = invocation.args;
  const { words = [] } = invocation.command;
  if (!words.includes(action)) throw new LoopError(failures.unknownSubcommand('key', action, words));
  if (action === 'new') return create(invocation, surroundings);
  if (action === 'check') return await check(invocation, surroundings);
  return action === 'encrypt' ? await encrypt(invocation, surroundings) : await rotate(invocation, surroundings);
}

function create({ options }: Invocation, surroundings: Surroundings): number {
  const { file } = options;
  if (typeof file !== 'string' && options['keyring'] !== true)
    throw new LoopError(failures.missingArgument('--file or --keyring', 'key'));
  const made = typeof file === 'string' ? createKeyFile(path.resolve(surroundings.cwd, file)) : createKeyInKeyring();
  const lines = [
    `Key ${made.id} is in ${made.where}.`,
    'Keep a copy in a safe place: without the key, nobody can read the loops that are encrypted with it.',
    typeof file === 'string'
      ? `To use it: export RALPHD_KEY_FILE=${made.where}, or set "persistence.keyFile"; "persistence.encrypt: true" encrypts new loops.`
      : 'ralphd finds it there; "persistence.encrypt: true" encrypts new loops.',
  ];
  print(options, surroundings, { ...made }, lines);
  return exitCodes.completed;
}

async function check(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { place, keyFiles } = await placeWithKeys(invocation, surroundings);
  const found = checkKeys(place, keyFiles);
  print(invocation.options, surroundings, { ...found }, checkLines(found, paintFor(surroundings.stdout)));
  const isFine = found.loops.every(({ state }) => state !== 'locked') && found.keys.every(({ problem }) => !problem);
  return isFine ? exitCodes.completed : exitCodes.configuration;
}

function checkLines({ keys, loops }: KeyCheck, paint: Paint): readonly string[] {
  const found = keys.map(({ where, id, problem }) =>
    id === undefined
      ? `${paint.bad('✗')} ${oneLine(problem ?? '', 300)}`
      : `${paint.good('✓')} key ${id}, from ${where}`,
  );
  return [
    ...(found.length === 0 ? [paint.dim('no key found')] : found),
    ...loops.map(({ loopId, state, problem }) => {
      const mark = state === 'locked' ? paint.bad('✗') : state === 'unlocked' ? paint.good('✓') : ' ';
      return `${mark} ${loopId}  ${state}${problem === undefined ? '' : `: ${oneLine(problem, 300)}`}`;
    }),
  ];
}

async function encrypt(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { place, keyFiles } = await placeWithKeys(invocation, surroundings);
  const [, query] = invocation.args;
  if (query === undefined) throw new LoopError(failures.missingArgument('ID', 'key'));
  const done = encryptLoop(place, query, { env: surroundings.env, keyFiles });
  const lines = [
    `${done.loopId} is encrypted with key ${done.keyId}: ${done.files} files.`,
    'Its kept diffs were removed. What was in clear text may still be in free space of the disk, in its name, and in archives, backup targets and backups of your own that were made before.',
  ];
  print(invocation.options, surroundings, { ...done }, lines);
  return exitCodes.completed;
}

async function rotate(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { to } = options;
  if (typeof to !== 'string') throw new LoopError(failures.missingArgument('--to FILE', 'key'));
  const { place } = await placeWithKeys(invocation, surroundings);
  const done = rotateKey(place, path.resolve(surroundings.cwd, to), {
    query: args[1],
    env: surroundings.env,
  });
  const lines = [
    ...done.rotated.map((loopId) => `${loopId} has key ${done.keyId} now.`),
    ...done.failed.map(({ loopId, why }) => `${loopId} keeps its key: ${why}`),
    ...(done.rotated.length === 0
      ? []
      : [
          'Backups and archives that were made before need the old key as long as they exist. "ralphd backup push ID" makes one for the new key.',
        ]),
    ...(done.rotated.length + done.failed.length === 0 ? ['No loop here is encrypted.'] : []),
  ];
  print(options, surroundings, { ...done }, lines);
  return done.failed.length === 0 ? exitCodes.completed : exitCodes.failed;
}

async function placeWithKeys(invocation: Invocation, surroundings: Surroundings) {
  const { config } = await trustedSettings(invocation, surroundings);
  const place = placeOf(config, projectFolder(invocation, surroundings));
  return { place, keyFiles: keyFilesOf(config, place.workingDirectory) };
}

function print(
  options: Invocation['options'],
  { stdout }: Surroundings,
  result: Readonly<Record<string, unknown>>,
  lines: readonly string[],
): void {
  if (options['json'] === true) stdout.write(jsonLine(result));
  else printLines(stdout, lines);
}
