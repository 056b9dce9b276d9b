import path from 'node:path';
import { LoopError } from '../../base/index.ts';
import type { Given } from '../../config/index.ts';
import { lineOfCommand } from '../../core/index.ts';
import { canWriteIn, look, nodeCareFiles, nodeFiles, quietly } from '../../files/index.ts';
import { planGate } from '../../gate/index.ts';
import { findEncloser, findExecutable, tryEnclosure } from '../../process/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import { git, isReadError } from '../../workspace/index.ts';
import type { AppContext } from '../agent-programs.ts';
import type { CheckRow } from '../finding.ts';
import { listAgents } from '../list-agents.ts';
import { type LoopPlace, placeOf } from '../stores.ts';
import { agentRows } from './agent-rows.ts';

/** What loops of a configuration need from this machine and this project. Changes nothing and asks no provider. */
export async function checkSetup(
  config: LoopConfig,
  context: AppContext,
  isGiven: Given,
): Promise<readonly CheckRow[]> {
  const place = placeOf(config, context.cwd);
  const [agents, repository, sandbox] = await Promise.all([
    listAgents(config, context),
    gitRow(place.workingDirectory, context.env),
    sandboxRow(config, context.env),
  ]);
  return [
    { name: 'node', level: 'ok', what: process.versions.node },
    ...agentRows(agents, config, isGiven('agent')),
    repository,
    checksRow(config, place, context.env),
    stateRow(place),
    diskRow(place.root),
    sandbox,
  ];
}

async function gitRow(folder: string, env: NodeJS.ProcessEnv): Promise<CheckRow> {
  if (findExecutable('git', { PATH: env['PATH'], cwd: '/' }) === undefined) {
    const what = 'not installed: changes are found by reading the files';
    return { name: 'git', level: 'warning', what, fix: 'Install git.' };
  }
  const version = (await printed(folder, ['--version'], env)).replace(/^git version /u, '');
  const changes = await printed(folder, ['status', '--porcelain', '-z', '--no-renames'], env).catch(noRepository);
  if (changes === undefined) {
    const what = `${version}; this folder is not in a repository`;
    return { name: 'git', level: 'warning', what, fix: 'Run "git init", so that diffs and clean checkouts work.' };
  }
  const count = changes.split('\0').filter((entry) => entry !== '').length;
  const state = count === 0 ? 'no uncommitted changes' : `${count} uncommitted ${count === 1 ? 'change' : 'changes'}`;
  return { name: 'git', level: 'ok', what: `${version}; ${state}` };
}

async function printed(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return (await git(folder, { args, env })).toString('utf8').trim();
}

function noRepository(error: unknown): undefined {
  if (!isReadError(error)) throw error;
}

function checksRow(config: LoopConfig, { workingDirectory }: LoopPlace, env: NodeJS.ProcessEnv): CheckRow {
  try {
    const { checks } = planGate(config, { workingDirectory, env }).data;
    if (checks.length > 0) return { name: 'checks', level: 'ok', what: checks.map(lineOfCommand).join(', ') };
    const fix = 'Set "verify" to a command that passes only when the task is done.';
    return { name: 'checks', level: 'warning', what: "none: the agent's claim is accepted as it is", fix };
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    const { code, message, hint } = error.failure;
    // A command line may still name a check.
    return { name: 'checks', level: code === 'NOTHING_TO_VERIFY' ? 'warning' : 'problem', what: message, fix: hint };
  }
}

function stateRow({ root, workingDirectory }: LoopPlace): CheckRow {
  const shown = path.relative(workingDirectory, root) || root;
  if (!canWriteIn(root)) {
    const fix = 'Make the folder writable, or choose another one with --state-dir.';
    return { name: 'state', level: 'problem', what: `${shown} is not writable`, fix };
  }
  return { name: 'state', level: 'ok', what: isThere(root) ? `${shown} is writable` : `${shown} does not exist yet` };
}

const littleBytes = 100 * 1024 ** 2;
const scarceBytes = 1024 ** 3;

function diskRow(root: string): CheckRow {
  const free = nodeCareFiles.freeBytes(existingFolder(root));
  const what = `${free < scarceBytes ? `${Math.floor(free / 1024 ** 2)} MiB` : `${(free / 1024 ** 3).toFixed(1)} GiB`} free`;
  if (free >= scarceBytes) return { name: 'disk', level: 'ok', what };
  const level = free < littleBytes ? 'problem' : 'warning';
  return {
    name: 'disk',
    level,
    what: `${what}; a full disk pauses every loop`,
    fix: 'Free some space, for example with: ralphd gc --loops',
  };
}

function existingFolder(folder: string): string {
  return isThere(folder) ? folder : existingFolder(path.dirname(folder));
}

/** A path below something that is no folder is not there either. */
function isThere(place: string): boolean {
  let found = false;
  quietly(() => {
    found = look(nodeFiles, place) !== undefined;
  });
  return found;
}

async function sandboxRow({ verifyIn }: LoopConfig, env: NodeJS.ProcessEnv): Promise<CheckRow> {
  const encloser = findEncloser();
  const why =
    encloser === undefined ? 'bubblewrap is not installed' : await tryEnclosure(encloser, { binds: [], cwd: '/' }, env);
  if (why === undefined) return { name: 'sandbox', level: 'ok', what: 'bubblewrap isolates sealed checks' };
  const what = `${why}: sealed checks run without namespaces of their own`;
  if (verifyIn !== 'sealed') return { name: 'sandbox', level: 'ok', what };
  return {
    name: 'sandbox',
    level: 'warning',
    what,
    fix: 'Install bubblewrap (Linux), or rely on the clean checkout alone.',
  };
}
