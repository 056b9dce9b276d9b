import path from 'node:path';
import { createTemporaryFolder, putUserFile } from '../files/index.ts';
import { runInForeground } from '../process/index.ts';
import type { AppContext } from './agent-programs.ts';

/*
 * The text is on stdin, as pagers of other programs get it, and PAGER may be any shell line. The pager is a job of its
 * own, so that Ctrl-C in it reaches only it; the trap keeps the shell alive then, which gives the terminal back to this
 * process. What would end at once waits for a key: the text would be gone.
 */
const line = `set -m
trap : INT
: "\${PAGER:=$(command -v less || command -v more || echo cat)}"
page() {
  eval "$PAGER" < "$1" || return
  case $PAGER in cat|*/cat) printf '\\n(enter returns to ralphd) '; read -r _ ;; esac
}
page`;

const notFound: readonly (number | null)[] = [126, 127];

/** Shows a text in a person's pager until they leave it; false if their pager cannot be started. */
export async function openPager(text: string, { cwd, env }: AppContext): Promise<boolean> {
  using folder = createTemporaryFolder();
  const file = path.join(folder.root, 'text');
  putUserFile(file, text);
  // A short text stays on the screen too, whatever the person prefers elsewhere.
  const less = `${env['LESS'] ?? ''} -+F`.trim();
  return !notFound.includes(await runInForeground({ line, args: [file], cwd, env: { ...env, LESS: less } }));
}
