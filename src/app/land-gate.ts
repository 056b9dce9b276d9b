import { failures, headText, LoopError } from '../base/index.ts';
import { type GateRun, guardId, type Loop } from '../core/index.ts';
import { createTemporaryFolder } from '../files/index.ts';
import { changedGuards, createGate, guardPlace, renewBase, retakeGuards } from '../gate/index.ts';
import { type Check, type CheckProgress, type Guard, loopEnvironment } from '../protocol/index.ts';
import { type AppContext, adapterFor } from './agent-programs.ts';
import { sandboxFor } from './loop-sandbox.ts';
import { gatesRoot, type LoopPlace, ownFolders } from './stores.ts';

/** Where the work of a loop is checked before it lands. */
export interface LandingGateSetting {
  readonly loop: Loop;
  readonly place: LoopPlace;
  /** The counterpart of the loop's working directory in the scratch work tree. */
  readonly workingDirectory: string;
  readonly env: AppContext['env'];
  /** Ends the checks. */
  readonly signal: AbortSignal;
  readonly onCheck?: ((check: CheckProgress) => void) | undefined;
}

/** The checks of a loop for a merged tree. */
export interface LandingGate extends AsyncDisposable {
  /** Runs the checks in the work tree as it is now; undefined if they were interrupted. */
  run(): Promise<GateRun | undefined>;
}

/**
 * Opens the gate of a loop in a work tree that has the branch as it is before the merge: what the checks depend on is
 * recorded there, so that the loop cannot have changed it; a change that its owner accepted is accepted here too.
 */
export async function openLandingGate(setting: LandingGateSetting): Promise<LandingGate> {
  const { loop, place, workingDirectory, env, signal, onCheck } = setting;
  const { config, gate, verification, origin } = loop;
  const at = guardPlace({ workingDirectory, env });
  const before = retakeGuards(gate.guards ?? [], at);
  // Its own name: a loop that is not over may still need what its gate keeps.
  const loopId = `${loop.id}-landing`;
  const renewed = await renewBase(config, { workingDirectory, env, loopId }, undefined);
  const folder = createTemporaryFolder();
  const sandbox = await landingSandbox(setting, folder.root);
  const opened = createGate({
    config,
    workingDirectory,
    sandbox,
    env: loopEnvironment(env, { id: loop.id, stateDir: place.root, agent: config.agent }),
    uuid: `${origin.uuid}-landing`,
    loopId,
    base: renewed?.base,
    own: ownFolders(place, env),
    gates: gatesRoot(env),
  });
  const dispose = async () => {
    await opened.tidy(true);
    folder[Symbol.dispose]();
  };
  try {
    await prepareSeal(opened, loop);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    async run() {
      const guards = before.map((guard) => acceptedGuard(guard, gate.guards, at));
      const writes = { expectedWrites: verification.baseline?.writes, checkWrites: gate.checkWrites };
      const task = { checks: gate.checks, guards, purpose: 'gate', isRepeat: true, ...writes } as const;
      return await opened.run(task, { signal, kill: signal }, onCheck);
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** What the agent wrote runs in a sandbox here too. */
async function landingSandbox({ loop: { config }, place, workingDirectory, env }: LandingGateSetting, folder: string) {
  if (config.sandbox === 'off') return undefined;
  const adapter = adapterFor(config, { cwd: workingDirectory, env });
  return await sandboxFor({ config, adapter, place: { workingDirectory, root: place.root }, folder, env });
}

async function prepareSeal(opened: ReturnType<typeof createGate>, { config, gate }: Loop): Promise<void> {
  if (config.verifyIn !== 'sealed') return;
  const prepared = await opened.prepare(gate.checks);
  if (typeof prepared === 'string') {
    throw new LoopError(failures.landingFailed('The sealed checks cannot be prepared', prepared.replace(/\.$/, '')));
  }
}

/** The loop's own guard where the merged tree is as its owner accepted it. */
function acceptedGuard(guard: Guard, own: readonly Guard[] | undefined, merged: ReturnType<typeof guardPlace>): Guard {
  const accepted = own?.find((each) => guardId(each) === guardId(guard));
  return accepted !== undefined && changedGuards([accepted], merged).length === 0 ? accepted : guard;
}

const maxLineLength = 200;

/** What kept each check from passing, as a part of a sentence. */
export function failedChecks({ checks, tampered = [] }: GateRun): readonly string[] {
  const failed = checks.filter(({ verdict }) => verdict !== 'passed').map(describe);
  const changed = `the branch of the loop changes files that the checks depend on (${tampered.join(', ')})`;
  return tampered.length === 0 ? failed : [...failed, changed];
}

function describe({ command, verdict, output }: Check): string {
  const last = output.trim().split('\n').at(-1) ?? '';
  const words = verdict.replaceAll('_', ' ');
  return `"${command}" ${words}${last === '' ? '' : ` (${headText(last, maxLineLength).replace(/\.$/, '')})`}`;
}
