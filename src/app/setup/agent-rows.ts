import { shellWord } from '../../base/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import type { CheckRow } from '../finding.ts';
import type { ListedAgent } from '../list-agents.ts';

const name = 'agent';

/** The agents that are here, the configured one first; that one is named even if it is missing. */
export function agentRows(
  agents: readonly ListedAgent[],
  { agent: wanted, agentCommand }: Pick<LoopConfig, 'agent' | 'agentCommand'>,
  isGiven: boolean,
): readonly CheckRow[] {
  if (wanted === 'command') {
    const what = typeof agentCommand === 'string' ? agentCommand : (agentCommand ?? []).join(' ');
    return [{ name, level: 'ok', what: `command: ${what}` }];
  }
  const isNamed = ({ program, unusable }: ListedAgent) => program !== undefined || unusable !== undefined;
  const others = agents.filter((each) => each.agent !== wanted && isNamed(each));
  const usable = others.find(({ program }) => program !== undefined)?.agent;
  const level = isGiven ? 'problem' : 'warning';
  return [
    ...agents.filter(({ agent }) => agent === wanted).map((each) => agentRow(each, level, usable)),
    ...others.map((each) => agentRow(each, 'warning')),
  ];
}

function agentRow(found: ListedAgent, missing: CheckRow['level'], other?: string): CheckRow {
  const { agent, program, version, signIn, setup } = found;
  if (program === undefined) return missingRow(found, missing, other);
  const tested = testedText(found);
  const named = `${agent} ${version ?? 'of an unknown version'}${tested}`;
  if (signIn === undefined) {
    const what = `${named}; no sign-in found in files or variables`;
    return { name, level: 'warning', what, ...(setup && { fix: setup.signIn }) };
  }
  const what = `${named}; ${signIn.pays === 'unknown' ? 'signed in' : signIn.pays} (${signIn.from})`;
  if (tested === '') return { name, level: 'ok', what };
  return { name, level: 'warning', what, fix: 'If ralphd misreads what it prints, please report it.' };
}

function testedText({ tried, triedVersions }: ListedAgent): string {
  return tried ? '' : ` (ralphd was tested with ${triedVersions})`;
}

function missingRow(found: ListedAgent, level: CheckRow['level'], other?: string): CheckRow {
  const { agent, command, unusable, setup } = found;
  const instead = other === undefined ? '' : `; ${other} is here: --agent ${other}`;
  if (unusable?.kind === 'folder') {
    const fix = `Set "agents.${agent}.command" to the program itself.`;
    return { name, level, what: `${unusable.path} is a folder, not a program${instead}`, fix };
  }
  if (unusable !== undefined) {
    const what = `${unusable.path} is there but not executable${instead}`;
    return { name, level, what, fix: `chmod +x ${shellWord(unusable.path)}` };
  }
  if (command.includes('/')) {
    const fix = `Correct "agents.${agent}.command" in ralphd.yml, or RALPHD_${agent.toUpperCase()}_BINARY.`;
    return { name, level, what: `${command} does not exist${instead}`, fix };
  }
  const what = `${command} is not on the PATH${instead}`;
  return { name, level, what, ...(setup && { fix: setup.install }) };
}
