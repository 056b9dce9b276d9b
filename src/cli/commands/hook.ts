import {
  type HookChange,
  type HookScope,
  hookAgents,
  installHook,
  listStatuses,
  readHook,
  removeHook,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import { agentOf, timeoutOf } from '../hook-options.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import { projectFolder } from '../project-folder.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd hook`: loops inside an agent's interactive session. */
export async function hookCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const [action = ''] = invocation.args;
  switch (action) {
    case 'install':
    case 'remove':
      return change(action, invocation, surroundings);
    case 'status':
      return await status(invocation, surroundings);
    case 'start':
      return await (await import('./hook-start.ts')).startHook(invocation, surroundings);
    // Not offered to people: agents run it.
    case 'run':
      return await (await import('./hook-run.ts')).runHook(invocation, surroundings);
    default:
      throw new LoopError(failures.unknownSubcommand('hook', action, invocation.command.words ?? []));
  }
}

function change(action: 'install' | 'remove', invocation: Invocation, surroundings: Surroundings): number {
  const { options } = invocation;
  const place = { agent: agentOf(invocation), scope: scopeOf(options), ...where(invocation, surroundings) };
  const timeoutSeconds = timeoutOf(options['timeout']) / 1000;
  const command = `${surroundings.program.map(shellWord).join(' ')} hook run ${place.agent} --timeout ${timeoutSeconds}s`;
  const changed = action === 'install' ? installHook(place, { command, timeoutSeconds }) : removeHook(place);
  if (options['json'] === true) surroundings.stdout.write(jsonLine({ ...changed }));
  else printLines(surroundings.stdout, changeLines(changed, surroundings));
  return exitCodes.completed;
}

function changeLines({ change: made, agent, file, backup }: HookChange, { stdout }: Surroundings): readonly string[] {
  const good = paintFor(stdout).good('✓');
  switch (made) {
    case 'installed':
    case 'updated':
      return [
        `${good} The hook for ${agent} is ${made} in ${file}.`,
        ...(backup === undefined ? [] : [`  The settings before: ${backup}`]),
        ...(agent === 'codex' ? ['  Codex runs it once you trust it: start codex and use /hooks.'] : []),
        '  Start a loop inside a session: ralphd hook start "TASK" --verify "npm test"',
      ];
    case 'unchanged':
      return [`${good} The hook for ${agent} is already installed in ${file}.`];
    case 'restored':
      return [`${good} The hook for ${agent} is removed; ${file} is as it was before.`];
    case 'removed':
      return [`${good} The hook for ${agent} is removed from ${file}; your later changes are kept.`];
    case 'absent':
      return [`The hook for ${agent} is not installed in ${file}.`];
  }
}

async function status(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { stdout } = surroundings;
  const scopes: readonly HookScope[] = ['project', 'user'];
  const at = where(invocation, surroundings);
  const hooks = hookAgents.flatMap((agent) => scopes.map((scope) => readHook({ agent, scope, ...at })));
  const { loops } = await listStatuses(await placeFor(invocation, surroundings));
  const inSession = loops.filter(({ hostSession }) => hostSession !== undefined);
  if (invocation.options['json'] === true) {
    const rows = inSession.map(({ view, hostSession }) => ({
      loopId: view.id,
      iteration: view.iteration,
      session: hostSession,
    }));
    stdout.write(
      jsonLine({ hooks: hooks.map(({ command, ...hook }) => ({ ...hook, command: command ?? null })), loops: rows }),
    );
    return exitCodes.completed;
  }
  const paint = paintFor(stdout);
  printLines(stdout, [
    ...hooks.map(({ agent, scope, file, command }) =>
      command === undefined
        ? paint.dim(`- ${agent}, ${scope}: not installed (${file})`)
        : `${paint.good('✓')} ${agent}, ${scope}: installed (${file})`,
    ),
    ...inSession.map(({ view, hostSession }) => {
      const session =
        hostSession?.id === undefined ? 'a session that has not stopped yet' : `session ${hostSession.id}`;
      return `  loop ${view.id}, iteration ${view.iteration}: ${session} of ${hostSession?.agent}`;
    }),
  ]);
  return exitCodes.completed;
}

function where(invocation: Invocation, surroundings: Surroundings) {
  return { project: projectFolder(invocation, surroundings), env: surroundings.env };
}

function scopeOf(options: Invocation['options']): HookScope {
  if (options['project'] === true && options['user'] === true) {
    throw new LoopError(failures.conflictingOptions('--project', '--user'));
  }
  return options['user'] === true ? 'user' : 'project';
}

/** A word that a shell takes as it is. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
