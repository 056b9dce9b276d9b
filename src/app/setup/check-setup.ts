import path from 'node:path';
import { LoopError, roughSize, shellWord } from '../../base/index.ts';
import type { Given } from '../../config/index.ts';
import { lineOfCommand } from '../../core/index.ts';
import { canWriteIn, lookInProject, nodeCareFiles, nodeFiles } from '../../files/index.ts';
import { findTestCommand, planGate, type TestCommand } from '../../gate/index.ts';
import type { LoopConfig } from '../../protocol/index.ts';
import { type AppContext, adapterFor } from '../agent-programs.ts';
import type { CheckRow } from '../finding.ts';
import { encryptionOf } from '../keys.ts';
import { listAgents } from '../list-agents.ts';
import { assertSandboxWorks } from '../loop-sandbox.ts';
import { type LoopPlace, placeOf } from '../stores.ts';
import { agentRows } from './agent-rows.ts';
import { gitRow } from './git-row.ts';

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
    sandboxRow(config, place, context),
  ]);
  return [
    { name: 'node', level: 'ok', what: process.versions.node },
    ...agentRows(agents, config, isGiven('agent')),
    repository,
    checksRow(config, place, context.env),
    stateRow(place),
    diskRow(place.root),
    ...keyRow(config, place),
    sandbox,
  ];
}

function checksRow(config: LoopConfig, { workingDirectory }: LoopPlace, env: NodeJS.ProcessEnv): CheckRow {
  try {
    const { checks } = planGate(config, { workingDirectory, env }).data;
    if (checks.length > 0) return runnableRow(checks.map(lineOfCommand), findTestCommand(workingDirectory));
    const fix = 'Set "verify" to a command that passes only when the task is done.';
    return { name: 'checks', level: 'warning', what: "none: the agent's claim is accepted as it is", fix };
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    const { code, message, hint } = error.failure;
    // A command line may still name a check.
    return { name: 'checks', level: code === 'NOTHING_TO_VERIFY' ? 'warning' : 'problem', what: message, fix: hint };
  }
}

/** One line per check, and a warning where the packages that the tests need are not installed. */
function runnableRow(lines: readonly string[], tests: TestCommand | undefined): CheckRow {
  const what = lines.join('\n');
  if (tests?.install === undefined || !lines.includes(tests.command)) return { name: 'checks', level: 'ok', what };
  return {
    name: 'checks',
    level: 'warning',
    what: `${what}\nthe packages that "${tests.command}" needs are not installed`,
    fix: tests.install,
  };
}

function stateRow({ root, workingDirectory }: LoopPlace): CheckRow {
  const shown = path.relative(workingDirectory, root) || root;
  if (lookInProject(nodeFiles, root)?.kind === 'file') {
    const fix = 'Choose another place with "stateDir: .ralphd" in ralphd.yml, or with --state-dir.';
    return { name: 'state', level: 'problem', what: `${shown} is a file, not a folder`, fix };
  }
  if (!canWriteIn(root)) {
    return { name: 'state', level: 'problem', what: `${shown} is not writable`, fix: writableFix(root) };
  }
  return { name: 'state', level: 'ok', what: isThere(root) ? `${shown} is writable` : `${shown} does not exist yet` };
}

/** The folder to change is the nearest one that exists; one of another user needs more than a mode. */
function writableFix(root: string): string {
  const folder = existingFolder(root);
  const found = lookInProject(nodeFiles, folder);
  if (found?.kind !== 'folder') return `Choose a place that is not below a file, with --state-dir: ${folder} is one.`;
  return found.userId === process.getuid?.()
    ? `chmod u+rwx ${shellWord(folder)}`
    : 'Choose a folder of your own with --state-dir.';
}

/** Whether a new loop finds the key that its settings require. */
function keyRow(config: LoopConfig, { workingDirectory }: LoopPlace): readonly CheckRow[] {
  try {
    const wanted = encryptionOf(config, workingDirectory);
    if (wanted === undefined) return [];
    return [{ name: 'key', level: 'ok', what: `${wanted.master.id}, from ${wanted.master.source}` }];
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    return [{ name: 'key', level: 'problem', what: error.failure.message, fix: error.failure.hint }];
  }
}

const littleBytes = 100 * 1024 ** 2;
const scarceBytes = 1024 ** 3;

function diskRow(root: string): CheckRow {
  const free = nodeCareFiles.freeBytes(existingFolder(root));
  const what = `${roughSize(free)} free`;
  if (free >= scarceBytes) return { name: 'disk', level: 'ok', what };
  const level = free < littleBytes ? 'problem' : 'warning';
  return {
    name: 'disk',
    level,
    what: `${what}; a full disk pauses every loop`,
    fix: 'ralphd gc --loops',
  };
}

function existingFolder(folder: string): string {
  return isThere(folder) ? folder : existingFolder(path.dirname(folder));
}

function isThere(place: string): boolean {
  return lookInProject(nodeFiles, place) !== undefined;
}

/** Whether a sandbox works here: the one that the settings want, or else the recommended one. */
async function sandboxRow(config: LoopConfig, place: LoopPlace, context: AppContext): Promise<CheckRow> {
  const { sandbox, verifyIn } = config;
  const wanted: LoopConfig = { ...config, sandbox: sandbox === 'off' ? 'on' : sandbox };
  try {
    await assertSandboxWorks({ config: wanted, adapter: adapterFor(config, context), place, env: context.env });
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    return withoutSandbox(config, error);
  }
  if (sandbox !== 'off') return { name: 'sandbox', level: 'ok', what: `"sandbox: ${sandbox}" works` };
  const sealed = verifyIn === 'sealed' ? 'sealed checks have namespaces of their own; ' : '';
  return { name: 'sandbox', level: 'ok', what: `${sealed}"sandbox: on" works and is recommended; it is off` };
}

function withoutSandbox({ sandbox, verifyIn }: LoopConfig, { failure }: LoopError): CheckRow {
  const { message, hint: fix } = failure;
  if (sandbox !== 'off') return { name: 'sandbox', level: 'problem', what: message, fix };
  if (verifyIn !== 'sealed') return { name: 'sandbox', level: 'ok', what: message };
  const what = `sealed checks may have no namespaces of their own: ${message}`;
  return { name: 'sandbox', level: 'warning', what, fix };
}
