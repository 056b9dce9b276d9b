import { agentOutcomes } from '../../../src/protocol/index.ts';
import { recordedAgents } from '../../../test/recordings/agents.ts';
import { loadRecording, readRecording, recordedCases } from '../../../test/recordings/recording.ts';
import { code, page, table } from '../markdown.ts';

interface Row {
  readonly agent: string;
  readonly version: string;
  readonly name: string;
  readonly outcome: string;
}

/** The outcome that ralphd reads from every recording of a real agent. */
export function recordingsPage(): string {
  const rows = recordedAgents.flatMap(({ name: agent, createDialect }) =>
    recordedCases(agent).map(([version, name]): Row => {
      const { outcome } = readRecording(createDialect(), loadRecording(agent, version, name));
      return { agent, version, name, outcome };
    }),
  );
  const groups = [...new Set(rows.map(({ agent, version }) => `${agent} ${version}`))].sort();
  const of = (group: string) => rows.filter(({ agent, version }) => `${agent} ${version}` === group);
  return page(
    '# Recordings',
    `The outcome that ralphd reads from each of ${rows.length} recordings of real agents, made against a scripted provider. Each is a test: \`npx vitest run test/recordings\`.`,
    table(
      ['Outcome', ...groups],
      agentOutcomes.map((outcome) => [
        code(outcome),
        ...groups.map((group) => of(group).filter((row) => row.outcome === outcome).length || '').map(String),
      ]),
    ),
    groups.flatMap((group) => [
      `## ${group}`,
      table(
        ['Outcome', 'Recordings'],
        agentOutcomes.flatMap((outcome) => {
          const names = of(group).flatMap((row) => (row.outcome === outcome ? [row.name] : []));
          return names.length === 0 ? [] : [[code(outcome), names.sort().join(', ')]];
        }),
      ),
    ]),
  );
}
