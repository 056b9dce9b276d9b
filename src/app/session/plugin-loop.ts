import path from 'node:path';
import { failures, LoopError } from '../../base/index.ts';
import { parseYamlFile } from '../../config/index.ts';
import { splitFrontMatter } from '../../core/index.ts';
import { look, nodeFiles, putUserFile, readUserFile, removeUserFile } from '../../files/index.ts';

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

/** Reads a loop of the plugin. A link in its place is refused; a counter that is no number means that it is damaged. */
export async function readPluginLoop(name: string, cwd: string): Promise<PluginLoop> {
  const file = path.resolve(cwd, name);
  const kind = look(nodeFiles, file)?.kind;
  const refuse = (why: string) => new LoopError(failures.pluginLoopInvalid(name, why));
  if (kind === undefined) throw refuse('there is no such file');
  if (kind !== 'file') throw refuse('it is a symbolic link or not a plain file');
  const { frontMatter, body } = splitFrontMatter(readUserFile(file) ?? '');
  if (frontMatter === undefined) throw refuse('it has no front matter');
  const { values } = await parseYamlFile(name, `\n${frontMatter}`, failures.pluginLoopInvalid);
  if (!isObject(values)) throw refuse('its front matter has no fields');
  const fields = values;
  const { iteration, max_iterations: max = 0, completion_promise: promise = null, session_id: session } = fields;
  if (!isCount(iteration)) throw refuse('"iteration" is not a number');
  if (!isCount(max)) throw refuse('"max_iterations" is not a number');
  if (promise !== null && typeof promise !== 'string') throw refuse('"completion_promise" is not a text');
  if (fields['active'] === false) throw refuse('the loop is not active');
  if (body.trim() === '') throw refuse('it has no task');
  const left = Number(max) - Number(iteration) + 1;
  if (Number(max) > 0 && left < 1) throw refuse('all of its iterations are used up');
  return {
    file,
    prompt: body.trim(),
    maxIterations: Number(max) === 0 ? 0 : left,
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
