import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { look, nodeFiles, putUserFile, readUserFile, removeUserFile } from '../../files/index.ts';
import { readForeignLoop } from '../../formats/index.ts';

/** A loop of Claude Code's plugin, as far as another loop can continue it. */
export interface PluginLoop {
  readonly file: string;
  readonly prompt: string;
  /** Iterations that it may still take; 0 for any number. */
  readonly maxIterations: number;
  /** Null if it promises nothing. */
  readonly completionPromise: string | null;
  readonly sessionId?: string;
}

/** Reads a loop of the plugin that is not over. A link in its place is refused, as is a damaged file. */
export function readPluginLoop(name: string, cwd: string): PluginLoop {
  const file = path.resolve(cwd, name);
  const kind = look(nodeFiles, file)?.kind;
  const refuse = (why: string) => new LoopError(failures.pluginLoopInvalid(name, why));
  if (kind === undefined) throw refuse('there is no such file');
  if (kind !== 'file') throw refuse('it is a symbolic link or not a plain file');
  const { task, becomes, finished, settings, document } = readForeignLoop(
    { name, text: readUserFile(file) ?? '' },
    'ralph-wiggum',
  );
  const { maxIterations = 0, promise = null } = settings;
  if (becomes !== 'paused') throw refuse('the loop is not active');
  if (maxIterations > 0 && finished >= maxIterations) throw refuse('all of its iterations are used up');
  const session = document['session_id'];
  return {
    file,
    prompt: task,
    maxIterations: maxIterations === 0 ? 0 : maxIterations - finished,
    completionPromise: promise,
    ...(typeof session === 'string' && session !== '' ? { sessionId: session } : {}),
  };
}

/** Moves the state of the plugin's loop out of the way, so that only one of the two hooks drives it; returns where it is. */
export function retirePluginLoop({ file }: PluginLoop): string {
  const kept = `${file}.taken-over`;
  putUserFile(kept, readUserFile(file) ?? '');
  removeUserFile(file);
  return kept;
}
