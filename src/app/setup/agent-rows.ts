import type { LoopConfig } from '../../protocol/index.ts';
import type { CheckRow } from '../finding.ts';
import { type ListedAgent, versionWarning } from '../list-agents.ts';

/** The agents that are here, the configured one first; that one is named even if it is missing. */
export function agentRows(
  agents: readonly ListedAgent[],
  { agent: wanted, agentCommand }: Pick<LoopConfig, 'agent' | 'agentCommand'>,
  isGiven: boolean,
): readonly CheckRow[] {
  const name = 'agent';
  if (wanted === 'command') {
    const what = typeof agentCommand === 'string' ? agentCommand : (agentCommand ?? []).join(' ');
    return [{ name, level: 'ok', what: `command: ${what}` }];
  }
  const here = agents.filter(({ program }) => program !== undefined);
  const first = agents.filter((each) => each.agent === wanted);
  const shown = [...first, ...here.filter(({ agent }) => agent !== wanted)];
  return shown.map((each) => agentRow(each, each.agent === wanted && isGiven, here));
}

function agentRow(found: ListedAgent, isNeeded: boolean, here: readonly ListedAgent[]): CheckRow {
  const { agent, program, notExecutable, version, signIn } = found;
  const level = isNeeded ? 'problem' : 'warning';
  if (program === undefined) {
    const what = notExecutable === undefined ? `${agent} is not on the PATH` : `${notExecutable} is not executable`;
    const [other] = here;
    const fix =
      other === undefined
        ? 'Install Claude Code, Codex, Gemini CLI or OpenCode, or use "--agent command" with a program of your own.'
        : `Install it, or use another agent: --agent ${other.agent}`;
    return { name: 'agent', level, what, fix };
  }
  const named = `${agent} ${version ?? 'of an unknown version'}`;
  if (signIn === undefined) {
    const what = `${named}; no sign-in found in files or variables`;
    return { name: 'agent', level: 'warning', what, fix: `Start ${agent} once and sign in, unless it works already.` };
  }
  const what = `${named}; ${signIn.pays === 'unknown' ? 'signed in' : signIn.pays} (${signIn.from})`;
  const warning = versionWarning(found);
  if (warning === undefined) return { name: 'agent', level: 'ok', what };
  return { name: 'agent', level: 'warning', what, fix: warning };
}
