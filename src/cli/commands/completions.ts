import { listLoopNames } from '../../app/index.ts';
import { exitCodes, failures, LoopError } from '../../base/index.ts';
import type { Invocation } from '../parse.ts';
import { placeFor } from '../place.ts';
import type { Surroundings } from '../surroundings.ts';

/** `ralphd completions`: a script for a shell, or what such a script asks for. */
export async function completionsCommand(invocation: Invocation, surroundings: Surroundings): Promise<number> {
  const [wanted = ''] = invocation.args;
  const { stdout } = surroundings;
  switch (wanted) {
    case 'bash':
    case 'zsh':
    case 'fish':
      stdout.write((await import('../completions/script.ts')).completionScript(wanted));
      return exitCodes.completed;
    case 'ids': {
      // Asked each time that somebody presses Tab: only the names of folders are read.
      const names = listLoopNames(await placeFor(invocation, surroundings));
      stdout.write(names.map((name) => `${name}\n`).join(''));
      return exitCodes.completed;
    }
    default:
      throw new LoopError(failures.unknownSubcommand('completions', wanted, invocation.command.words ?? []));
  }
}
