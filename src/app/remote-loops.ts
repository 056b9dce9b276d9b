import type { LoopCommand } from '../core/index.ts';
import type { AnsweredLoop } from './adapters/command-answers.ts';
import type { LoopView } from './loop-view.ts';

/** How a command reaches a loop that lives elsewhere. */
export type AskRemote = (
  view: LoopView,
  command: LoopCommand,
  options: { readonly signal?: AbortSignal | undefined; readonly patienceMs?: number | undefined },
) => Promise<AnsweredLoop>;

/** Loops of which a state folder has only a copy. */
export interface RemoteLoops {
  readonly ask: AskRemote;
}

const remotes = new Map<string, RemoteLoops>();

/** From now on, commands to the loops of this state folder go elsewhere. */
export function rememberRemote(root: string, loops: RemoteLoops): Disposable {
  remotes.set(root, loops);
  return { [Symbol.dispose]: () => void remotes.delete(root) };
}

/** Where the loops of a state folder live, if not there. */
export function remoteLoopsAt(root: string): RemoteLoops | undefined {
  return remotes.get(root);
}
