import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Contestant, gapsIn, notingAgent } from './contestant.ts';

/*
 * The time between two agents in several loop runners, in turn: `node bench/compare.ts [--rounds 3] [--iterations 60]
 * [--agent-ms 40] [--with my-runner.ts]`. Every file in bench/contestants/ takes part, and those named by `--with`.
 * Compare only figures of one run: they depend on what else the machine does.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    iterations: { type: 'string', default: '60' },
    'agent-ms': { type: 'string', default: '40' },
    with: { type: 'string', multiple: true, default: [] },
  },
});
const scratch = mkdtempSync(path.join(os.tmpdir(), 'ralphd-compare-'));
try {
  const contestants = await findContestants();
  const gaps = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const contestant of contestants) gaps.get(contestant.name)?.push(medianGap(contestant, `${round}`));
  }
  const lines = [...gaps].map(([name, medians]) => `| ${name} | ${medians.map((ms) => ms.toFixed(1)).join(', ')} |`);
  console.log(['| runner | median gap of each round, ms |', '| --- | --- |', ...lines].join('\n'));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function findContestants(): Promise<readonly Contestant[]> {
  const folder = path.join(import.meta.dirname, 'contestants');
  const files = values.with.map((file) => path.resolve(file));
  for await (const file of glob('*.ts', { cwd: folder })) files.push(path.join(folder, file));
  const modules = files.map(async (file) => (await import(file)) as { readonly contestant: Contestant });
  return (await Promise.all(modules)).map(({ contestant }) => contestant);
}

function medianGap({ name, prepare }: Contestant, round: string): number {
  const place = path.join(scratch, `${name}-${round}`);
  const [folder, log] = [path.join(place, 'project'), path.join(place, 'agents')];
  mkdirSync(folder, { recursive: true });
  const agent = notingAgent(log, Number(values['agent-ms']));
  const [file, ...args] = prepare({ folder, agent, iterations: Number(values.iterations) });
  const env = { PATH: process.env['PATH'], HOME: path.join(place, 'home') };
  spawnSync(file, args, { cwd: folder, env, stdio: 'ignore' });
  const gaps = gapsIn(readFileSync(log, 'utf8')).map(({ from, to }) => to - from);
  return gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? Number.NaN;
}
