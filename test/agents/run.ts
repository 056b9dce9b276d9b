import { parseArgs } from 'node:util';
import { installAgents } from './install.ts';
import { tableOf, writeResults } from './page.ts';
import { programs } from './programs/all.ts';
import { runSuite } from './suite.ts';

const usage = `Lets ralphd drive the real agent programs against a scripted model, off the network.

  npm run test:agents -- [AGENT...] [--only PATTERN] [--write]
      AGENT         claude, codex, gemini, opencode, or session for loops inside sessions; all if left out
      --only TEXT   only the cases whose title matches
      --write       refreshes the table in docs/agents.md; needs all agents and all cases`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(usage);
else process.exitCode = await main();

async function main(): Promise<number> {
  const names = [...programs.map(({ adapter }) => adapter.name), 'session'];
  const isPart = positionals.length > 0 || values.only !== undefined;
  if (positionals.some((name) => !names.includes(name)) || (values.write && isPart)) {
    console.error(usage);
    return 64;
  }
  installAgents(programs);
  const only = values.only === undefined ? {} : { only: values.only };
  const report = await runSuite({ agents: positionals, output: 'inherit', ...only });
  console.log(`\n${tableOf(report.results, programs)}\n\nnetwork: ${report.network}`);
  if (values.write) writeResults(report, programs);
  return report.ok ? 0 : 1;
}
