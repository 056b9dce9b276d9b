import { isSecretName } from '../base/index.ts';
import { markerVariable } from './marker.ts';

/** The part of the caller's environment that an agent gets. */
export interface ChildEnvironment {
  readonly env: NodeJS.ProcessEnv;
  /** Names of the variables it did not get, sorted; never their values. */
  readonly removed: readonly string[];
}

/** What the agent needs beyond the rule. */
export interface ChildEnvironmentOptions {
  /** Secrets the agent declares as its own; a name may end in `*`. */
  readonly agentSecrets: readonly string[];
  /** With it, only usual variables, the agent's own and these are passed on; a name may end in `*`. */
  readonly only?: readonly string[] | undefined;
  /** Set last, as given: the user named these for the agent. */
  readonly extra?: Readonly<Record<string, string>> | undefined;
}

// Set by agents for what they start; an agent that finds them refuses to run, or acts as part of another.
const nestingVariables = [
  'CLAUDECODE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_CODE_SESSION_ID',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_THREAD_ID',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'OPENCODE',
  'QWEN_CODE',
];

/** What programs need to find themselves, their user, their folders and the network; none of it gives access to anything. */
const usualVariables = [
  ...'PATH HOME USER LOGNAME SHELL PWD TMPDIR LANG LANGUAGE LC_* TZ'.split(' '),
  ...'XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME'.split(' '),
  ...'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS'.split(' '),
  ...'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy'.split(' '),
  ...'RALPHD_LOOP_ID RALPHD_LOOP_STATE_DIR RALPHD_LOOP_AGENT'.split(' '),
  // Without it, a loop around this one would not find what the agent leaves running.
  markerVariable,
];

const colourVariables = ['FORCE_COLOR', 'CLICOLOR_FORCE'];

/** The environment for an agent: the caller's, less nesting variables and secrets that are not the agent's own. */
export function childEnvironment(caller: NodeJS.ProcessEnv, options: ChildEnvironmentOptions): ChildEnvironment {
  const isWithheld = options.only === undefined ? withoutAccess(options) : allBut(options.only, options);
  const removed = Object.keys(caller)
    .filter((name) => isNesting(name) || isWithheld(name))
    .sort();
  const withheld = new Set([...removed, ...colourVariables]);
  const kept = Object.entries(caller).filter(([name, value]) => value !== undefined && !withheld.has(name));
  return { env: { ...Object.fromEntries(kept), TERM: 'dumb', NO_COLOR: '1', ...options.extra }, removed };
}

function withoutAccess({ agentSecrets }: ChildEnvironmentOptions): (name: string) => boolean {
  const isDeclared = matcher(agentSecrets);
  return (name) => givesAccess(name) && !isDeclared(name);
}

/** An agent that declares everything as its own gets only what is allowed. */
function allBut(only: readonly string[], { agentSecrets }: ChildEnvironmentOptions): (name: string) => boolean {
  const isAllowed = matcher([...usualVariables, ...only, ...agentSecrets.filter((name) => name !== '*')]);
  return (name) => !isAllowed(name);
}

function isNesting(name: string): boolean {
  return nestingVariables.includes(name);
}

/** A variable that only points to secrets, such as a profile, gives access to everything they unlock. */
function givesAccess(name: string): boolean {
  return isSecretName(name) || name.toUpperCase().startsWith('AWS_');
}

function matcher(names: readonly string[]): (name: string) => boolean {
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
