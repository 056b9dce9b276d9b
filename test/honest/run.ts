import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { kinds } from './kinds/all.ts';
import { missing } from './kinds/others.ts';
import { cache, type Mode, playHonest, skipReason } from './play.ts';

/*
 * Honest work in every kind of project, against the built program: `npm run honest`.
 *   npm run honest -- --fetch                    first downloads jest, mocha, pnpm and yarn, once
 *   npm run honest -- --only cargo --mode tree   one kind, one kind of gate (both repeatable)
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    mode: { type: 'string', multiple: true, default: ['tree', 'sealed'] },
    fetch: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
  },
});
if (values.fetch) fetchAll();

const chosen = kinds.filter(({ id }) => values.only === undefined || values.only.includes(id));
const table: string[] = [];
let bad = 0;
for (const mode of ['tree', 'clean', 'sealed'] as const) if (values.mode.includes(mode)) await tryAll(mode);
console.log(`\n| kind | besides the work, the agent | gate | outcome |\n|---|---|---|---|\n${table.join('\n')}`);
for (const { id, reason } of missing) console.log(`SKIPPED ${id}: ${reason}`);
console.log(`${table.length} rows, ${bad} not as they should be`);
process.exitCode = bad === 0 ? 0 : 1;

async function tryAll(mode: Mode): Promise<void> {
  const left = [...chosen];
  const worker = async () => {
    for (let kind = left.shift(); kind !== undefined; kind = left.shift()) {
      const skipped = skipReason(kind);
      const result = skipped === undefined ? await tryOne(kind, mode) : `SKIPPED: ${skipped}`;
      console.log(`${mode} ${kind.id}: ${result}`);
      table.push(`| ${kind.id} | ${kind.what} | ${mode} | ${result.split('\n')[0]} |`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
}

async function tryOne(kind: (typeof kinds)[number], mode: Mode): Promise<string> {
  try {
    const { completed, findings, wrong, verdict, message } = await playHonest(kind, mode);
    if (completed && wrong.length === 0) {
      return `completes${findings.length === 0 ? '' : `, named: ${findings.join('; ')}`}`;
    }
    bad += 1;
    return `BAD ${completed ? 'completes' : `refused (${verdict})`}; ${wrong.join('; ')}\n${message}`;
  } catch (error) {
    bad += 1;
    return `BAD ${String(error)}`;
  }
}

/** Downloads what Debian lacks, with a cache that lets npm reinstall it offline. */
function fetchAll(): void {
  const scripts = (test: string) => ({ name: 'calc', version: '1.0.0', scripts: { test } });
  const templates = {
    jest: [scripts('jest'), ['jest@29.7.0']],
    mocha: [scripts('mocha'), ['mocha@10.8.2']],
    tools: [{ name: 'tools', version: '1.0.0' }, ['pnpm@9.9.0', 'yarn@1.22.22']],
    berry: [{ name: 'berry', version: '1.0.0' }, ['@yarnpkg/cli-dist@4.5.0']],
  } as const;
  for (const [name, [manifest, packages]] of Object.entries(templates)) {
    const folder = path.join(cache, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--cache', path.join(cache, 'npm')];
    execFileSync('npm', [...args, '--save-dev', '--save-exact', ...packages], { cwd: folder, stdio: 'inherit' });
  }
}
