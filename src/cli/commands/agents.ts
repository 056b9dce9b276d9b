import { type ListedAgent, listAgents, versionWarning } from '../../app/index.ts';
import { printLines } from '../output/fit-lines.ts';
import { jsonLine } from '../output/json-line.ts';
import { type Paint, paintFor } from '../output/paint.ts';
import { oneLine } from '../output/plain.ts';
import type { Invocation } from '../parse.ts';
import { settingsFor } from '../settings.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { withTrustedAgents } from '../trust/settings.ts';

/** `ralphd agents`: which agents are installed, and what each can report. */
export async function agentsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const loaded = await settingsFor(invocation, surroundings);
  const agents = await listAgents(withTrustedAgents(loaded, surroundings), appContext(surroundings));
  const { stdout } = surroundings;
  if (invocation.options['json'] === true) stdout.write(jsonLine({ agents: agents.map(asObject) }));
  else
    printLines(
      stdout,
      agents.flatMap((agent) => lines(agent, paintFor(stdout))),
    );
  return 0;
}

function asObject(agent: ListedAgent): Record<string, unknown> {
  const { unusable, program, version, ...rest } = agent;
  return {
    ...rest,
    ...(unusable && { notExecutable: unusable.path }),
    found: program !== undefined,
    program: program ?? null,
    version: version ?? null,
  };
}

function lines(agent: ListedAgent, paint: Paint): string[] {
  const name = agent.agent.padEnd(9);
  if (agent.unusable !== undefined) {
    return [paint.warn(`${name} not executable: ${oneLine(agent.unusable.path, 100)}`)];
  }
  if (agent.program === undefined) return [paint.dim(`${name} not found`)];
  const { tokens, cost, tools, context, reset } = agent.reports;
  const reported = Object.entries({ tokens, cost, 'tool calls': tools, context, 'limit reset': reset }).flatMap(
    ([name, isReported]) => (isReported ? [name] : []),
  );
  const warning = versionWarning(agent);
  return [
    `${paint.bold(name)} ${(agent.version ?? 'unknown version').padEnd(10)} ${oneLine(agent.program, 100)}`,
    `${' '.repeat(10)}${paint.dim(`reports ${reported.join(', ')}`)}`,
    ...(warning === undefined ? [] : [`${' '.repeat(10)}${paint.warn(warning)}`]),
  ];
}
