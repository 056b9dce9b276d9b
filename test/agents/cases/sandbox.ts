import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { factsOf } from '../../support/project.ts';
import { hasNamespaces } from '../../support/system.ts';
import { expectEnd, runLoop, runsOf } from '../judgement.ts';
import type { Case, Stage } from './case.ts';

const exempt = () => (hasNamespaces ? undefined : 'needs bubblewrap');

/** Loops in which the agent and the checks run in a sandbox. */
export const sandboxCases: readonly Case[] = [
  { row: 'in a sandbox', shows: 'A083 A086', exempt, play: async (stage) => await enclosed(stage, 'on') },
  { row: 'in a strict sandbox', shows: 'A083 A086', exempt, play: async (stage) => await enclosed(stage, 'strict') },
];

/** What the model has the agent run in the third iteration: its ways in and out, and what it may not do. */
const work = (registry: string) => `
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
echo 'It is done.' > done
git add done && git commit -q -m 'Do it' && echo committed > report
npm install --no-audit --no-fund --registry ${registry} small-package > npm.log 2>&1 && echo installed >> report
curl -sf -m 5 -o /dev/null http://denied.example/ && echo reached >> report
cat ~/.ssh/key >> report 2> /dev/null
touch ~/planted .git/hooks/planted .ralph/planted 2> /dev/null && echo planted >> report
exit 0
`;

async function enclosed({ program, prepare }: Stage, sandbox: 'on' | 'strict'): Promise<string> {
  const registry = await startRegistry();
  const settings = { maxIterations: 4, sandbox } as const;
  const trial = prepare({ scenario: 'third-time-by-script', settings });
  trial.script('work.sh', work(`http://127.0.0.1:${registry}`));
  const config = JSON.parse(trial.read('ralphd.yml')) as Record<string, unknown>;
  const network = [`127.0.0.1:${registry}`, `127.0.0.1:${trial.modelPort}`];
  trial.write('ralphd.yml', JSON.stringify(sandbox === 'strict' ? { ...config, network } : config));
  trial.writeAtHome('.ssh/key', 'secret\n');
  expectEnd(await runLoop(trial), { status: 'completed', verified: true, iterations: 3 });
  expect(runsOf(trial).map(({ claimed }) => claimed)).toEqual([false, true, true]);
  expect(factsOf(trial, 'agent.started')).toMatchObject([{ sandbox }, { sandbox }, { sandbox }]);
  expect(trial.read('report'), trial.read('npm.log')).toBe('committed\ninstalled\n');
  const denied = factsOf(trial, 'agent.finished').flatMap(({ deniedHosts = [] }) => deniedHosts as string[]);
  expect(denied.includes('denied.example:80')).toBe(sandbox === 'strict');
  const aside = ['-regex', '.*\\.from-sandbox.*', '-not', '-path', '*/node_modules/*'];
  expect(execFileSync('find', [trial.env['HOME'] ?? '', ...aside], { encoding: 'utf8' }), program.title).toBe('');
  return 'file, commit, package; verified in the third';
}

/** A registry with one package. */
async function startRegistry(): Promise<number> {
  const manifest = { name: 'small-package', version: '1.0.0' };
  const archive = gzipSync(tarOf('package/package.json', JSON.stringify(manifest)));
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const server = createServer(({ url = '', headers }, response) => {
    if (url.endsWith('.tgz')) return void response.end(archive);
    const dist = { tarball: `http://${headers.host}/small-package.tgz`, integrity };
    const versions = { '1.0.0': { ...manifest, dist } };
    response.end(JSON.stringify({ name: manifest.name, 'dist-tags': { latest: '1.0.0' }, versions }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** An archive with one file. */
function tarOf(name: string, text: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${Buffer.byteLength(text).toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
  body.write(text);
  return Buffer.concat([header, body, Buffer.alloc(1024)]);
}
