import { describeSettings } from '../../protocol/index.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { completionTable } from './table.ts';
import { zshScript } from './zsh.ts';

/** The script for a shell. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish'): string {
  const table = completionTable(describeSettings().flatMap(({ path }) => (path.includes('[]') ? [] : [path])));
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](table);
}
