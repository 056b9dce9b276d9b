import {
  hookAgents,
  type PluginLoop,
  readPluginLoop,
  retirePluginLoop,
  type SessionLoop,
  startInSession,
} from '../../app/index.ts';
import { exitCodes, failures, LoopError, scrub } from '../../base/index.ts';
import { type HostSession, isTerminal } from '../../core/index.ts';
import { jsonLine } from '../output/json-line.ts';
import { paintFor } from '../output/paint.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import type { Surroundings } from '../surroundings.ts';
import { contextWithConsent } from '../trust/consent.ts';

/** `ralphd hook start`: creates a loop for a session and prints the first prompt. */
export async function startHook(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const { options, args } = invocation;
  const { stdout, stderr, cwd, env } = surroundings;
  const task = args[1];
  const from = options['from'];
  if (task !== undefined && typeof from === 'string') {
    throw new LoopError(failures.conflictingOptions('the TASK argument', '--from'));
  }
  const plugin = typeof from === 'string' ? readPluginLoop(from, cwd) : undefined;
  const more = plugin === undefined ? (task === undefined ? {} : { prompt: task }) : settingsOf(plugin);
  const { config, isGiven, locate, brought } = await settingsFor(invocation, surroundings, more);
  const session = sessionFor(options['session'], { env, agent: config.agent, plugin });
  const request = { force: options['force'] === true, isGiven, locate, brought };
  const started = await startInSession(config, session, {
    context: contextWithConsent(invocation, surroundings),
    request,
  });
  if (plugin !== undefined) stderr.write(`The loop of the plugin is kept in ${retirePluginLoop(plugin)}.\n`);
  for (const warning of started.warnings) stderr.write(`${paintFor(stderr).warn(`! ${scrub(warning)}`)}\n`);
  if (options['json'] === true) stdout.write(jsonLine(startedObject(started, session)));
  else stdout.write(startedText(started));
  if (started.prompt !== undefined) return exitCodes.completed;
  return isTerminal(started.loop.status) ? exitCodes.failed : exitCodes.needsPerson;
}

function settingsOf({ prompt, maxIterations, completionPromise }: PluginLoop) {
  return { prompt, maxIterations, completionPromise };
}

/** Agents tell the id of their session to the commands that they run. */
const sessionVariables = { claude: 'CLAUDE_CODE_SESSION_ID', codex: 'CODEX_THREAD_ID' } as const;

/** The session: the given one, the one that the plugin names, or the one that this command runs in. */
function sessionFor(
  given: Invocation['options'][string] | undefined,
  { env, agent: configured, plugin }: { env: NodeJS.ProcessEnv; agent: string; plugin: PluginLoop | undefined },
): HostSession {
  const around = hookAgents.find((agent) => Boolean(env[sessionVariables[agent]]));
  const id = typeof given === 'string' ? given : (plugin?.sessionId ?? (around && env[sessionVariables[around]]));
  const agent = plugin === undefined ? (around ?? configured) : 'claude';
  return { agent, ...(id === undefined || id === '' ? {} : { id }) };
}

function startedObject({ loop, prompt }: SessionLoop, session: HostSession) {
  const { id: loopId, origin, status } = loop;
  return { loopId, uuid: origin.uuid, status, session, prompt: prompt ?? null };
}

/** The UUID is how the hook recognises a session that was not named. */
function startedText({ loop, prompt }: SessionLoop): string {
  const { id, origin, outcome, status } = loop;
  if (prompt === undefined) return `Loop ${id} is ${status}: ${outcome.message ?? outcome.reason ?? ''}\n`;
  return `ralphd loop ${id} (${origin.uuid}) starts in this session. This is its prompt:\n\n${prompt}`;
}
