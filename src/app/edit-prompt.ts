import path from 'node:path';
import { fillPrompt, type Loop } from '../core/index.ts';
import { createTemporaryFolder, putUserFile, readUserFile } from '../files/index.ts';
import { runInForeground } from '../process/index.ts';
import { createPromptSource } from './adapters/prompt-source.ts';
import type { AppContext } from './agent-programs.ts';
import { thisMachine } from './machine.ts';

/** Lets a person edit the task of the next iteration in their editor; undefined if they leave it as it is. */
export async function editPrompt(loop: Loop, context: AppContext): Promise<string | undefined> {
  const { cwd, env } = context;
  const task = await nextTask(loop, context);
  using folder = createTemporaryFolder();
  const file = path.join(folder.root, 'PROMPT.md');
  putUserFile(file, task);
  const line = env['VISUAL'] || env['EDITOR'] || 'vi';
  const code = await runInForeground({ line, args: [file], cwd, env });
  const edited = readUserFile(file)?.trim() ?? '';
  return code !== 0 || edited === '' || edited === task.trim() ? undefined : edited;
}

/** The task as the next iteration would get it. */
async function nextTask(loop: Loop, { env, templates }: AppContext): Promise<string> {
  const { config, origin, position } = loop;
  const place = { workingDirectory: origin.workingDirectory, env, templates };
  const unfilled = await createPromptSource(config, place, () => {}).read();
  return fillPrompt(unfilled, loop, { iteration: position.finished + 1, nowMs: thisMachine.clock.nowMs() });
}
