import { isSecretName } from '../base/index.ts';

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

const colourVariables = ['FORCE_COLOR', 'CLICOLOR_FORCE'];

/** The environment for an agent: the caller's, less nesting variables and secrets that are not the agent's own. */
export function childEnvironment(caller: NodeJS.ProcessEnv, options: ChildEnvironmentOptions): ChildEnvironment {
  const isDeclared = matcher(options.agentSecrets);
  const removed = Object.keys(caller)
    .filter((name) => isNesting(name) || (givesAccess(name) && !isDeclared(name)))
    .sort();
  const withheld = new Set([...removed, ...colourVariables]);
  const kept = Object.entries(caller).filter(([name, value]) => value !== undefined && !withheld.has(name));
  return { env: { ...Object.fromEntries(kept), TERM: 'dumb', NO_COLOR: '1', ...options.extra }, removed };
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
