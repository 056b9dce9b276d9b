import path from 'node:path';
import { activeLegacyFile, importLoops, placeOf, rebuildRegistry } from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import { settingAsYaml } from '../../config/index.ts';
import { lookAtForeign } from '../../files/index.ts';
import { aiwgPresets, analyticsExports } from '../aiwg-definitions.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { projectFolder } from '../project-folder.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { call } from './aiwg-call.ts';
import { runCommand } from './run.ts';

const home = '.aiwg/ralph';

/** `ralphd ralph`: `run` with the defaults of AIWG. Its options name the settings, so that errors name its flags. */
export async function startLoop(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  if (args[0] === 'list') return await call('ls', { ...invocation, args: [] }, surroundings);
  await migrateIfAsked(invocation, surroundings);
  const { timeout = '60', 'max-iterations': maximum = '10' } = options;
  const isVerbose = options['quiet'] !== true && surroundings.env['RALPH_VERBOSE'] === 'true';
  const limits = { timeout: `${minutesIn(timeout) / 60_000}m`, 'max-iterations': maximum };
  const run = { ...invocation, options: { ...options, ...limits, ...(isVerbose ? { verbose: true as const } : {}) } };
  return await runCommand(run, surroundings);
}

/** A number of minutes in milliseconds. */
export function minutesIn(given: Invocation['options'][string]): number {
  const minutes = Number(given);
  if (Number.isSafeInteger(minutes) && minutes > 0) return minutes * 60_000;
  throw new LoopError(failures.badValue('--timeout', 'a whole number of minutes', `"${String(given)}"`));
}

/** `ralphd ralph-analytics`: `stats`. */
export async function analytics(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { export: wanted, loop, 'loop-id': id } = options;
  const format = analyticsExports.find((each) => each === wanted);
  if (wanted !== undefined && format === undefined) {
    throw new LoopError(failures.badValue('--export', `one of ${analyticsExports.join(', ')}`, `"${String(wanted)}"`));
  }
  const usual = options['since'] === undefined ? surroundings.env['RALPH_LOOP_ID'] : undefined;
  const given = loop ?? id ?? args[0] ?? usual;
  const asked = {
    ...invocation,
    args: typeof given === 'string' && given !== '' ? [given] : [],
    options: { ...options, ...(format === undefined ? {} : { [format]: true as const }) },
  };
  return await call('stats', asked, surroundings);
}

/** `ralphd ralph-migrate`: `import` from AIWG's folder. */
export async function migrate(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { args, options } = invocation;
  const from = args[0] ?? path.join(projectFolder(invocation, surroundings), home);
  if (options['status'] !== true) return await call('import', { ...invocation, args: [from] }, surroundings);
  if (lookAtForeign(from) === undefined) return reportNothing(from, invocation, surroundings);
  try {
    const shown = { ...invocation, args: [from], options: { ...options, 'dry-run': true as const } };
    return await call('import', shown, surroundings);
  } catch (error) {
    if (error instanceof LoopError && error.code === 'NOTHING_TO_IMPORT')
      return reportNothing(from, invocation, surroundings);
    throw error;
  }
}

function reportNothing(from: string, { options }: Invocation, { stdout }: Surroundings): number {
  if (options['json'] === true) stdout.write(jsonLine({ loops: [] }));
  else printLines(stdout, [`There is no loop of AIWG in ${from}.`]);
  return exitCodes.completed;
}

/** With RALPH_AUTO_MIGRATE=true, an active loop in the single file of AIWG's first version is imported first. */
export async function migrateIfAsked(invocation: Invocation, surroundings: Surroundings): Promise<void> {
  if (surroundings.env['RALPH_AUTO_MIGRATE'] !== 'true') return;
  const project = projectFolder(invocation, surroundings);
  const file = activeLegacyFile(path.join(project, home));
  if (file === undefined) return;
  const { config: settings } = await settingsFor({ ...invocation, options: placesIn(invocation) }, surroundings);
  const context = appContext(surroundings);
  const request = { path: file, dryRun: false, config: settings, context };
  for (const { result, loopId } of await importLoops(placeOf(settings, project), request)) {
    if (result !== 'imported') continue;
    printLines(surroundings.stderr, [`Imported ${path.relative(project, file)} as the loop ${loopId}; it is paused.`]);
  }
}

function placesIn({ options }: Invocation): Invocation['options'] {
  return Object.fromEntries(Object.entries(options).filter(([name]) => name === 'state-dir' || name === 'config'));
}

/** `ralphd ralph-rebuild-registry`. */
export async function rebuild(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { file, active } = rebuildRegistry(await placeFor(invocation, surroundings));
  const { stdout } = surroundings;
  if (invocation.options['json'] === true) stdout.write(jsonLine({ file, active }));
  else printLines(stdout, [`Wrote ${file}: ${active} active ${active === 1 ? 'loop' : 'loops'}.`]);
  return exitCodes.completed;
}

/** `ralphd ralph-config`: shows settings; ralphd never edits the file of a user. */
export async function config(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { args, command } = invocation;
  const [action = 'show', key] = args;
  const { words = [] } = command;
  if (!words.includes(action)) throw new LoopError(failures.unknownSubcommand('ralph-config', action, words));
  if (action === 'set' || action === 'reset') throw new LoopError(failures.settingsNotEdited(key));
  if (action === 'preset') return await preset(key, invocation, surroundings);
  const asked = key === undefined ? ['show'] : ['explain', key];
  return await call('config', { ...invocation, args: asked }, surroundings);
}

async function preset(name: string | undefined, { options }: Invocation, { stdout }: Surroundings): Promise<number> {
  const names = Object.keys(aiwgPresets);
  const settings = Object.entries(aiwgPresets).find(([each]) => each === name)?.[1];
  if (settings === undefined) throw new LoopError(failures.unknownSubcommand('ralph-config preset', name ?? '', names));
  const lines = await Promise.all(Object.entries(settings).map(([each, value]) => settingAsYaml(each, value)));
  if (options['json'] === true) stdout.write(jsonLine(settings));
  else printLines(stdout, lines);
  return exitCodes.completed;
}

/** `ralphd ralph-memory` and `ralph-reflect`: there is nothing in ralphd that they could stand for. */
export async function refuse({ command }: Invocation): Promise<number> {
  throw new LoopError(failures.noCounterpart(command.name));
}
