import type { CommandDefinition, OptionDefinition } from './definition.ts';
import { everywhere } from './options.ts';

const loopId: OptionDefinition = { name: 'loop-id', value: 'ID', summary: 'The loop; the same as the argument.' };
const force: OptionDefinition = { name: 'force', summary: 'Accepted; ralphd asks no question that it could skip.' };

function named(
  name: string,
  { aliasOf, summary, options }: Pick<CommandDefinition, 'summary' | 'options'> & { readonly aliasOf: string },
): CommandDefinition {
  return {
    name,
    aliasOf,
    summary,
    args: ['[ID]'],
    options: [loopId, ...options, ...everywhere],
    example: `ralphd ${name} fix-tests`,
  };
}

/** The commands under the names and with the flags that AIWG gives them. */
export const aiwgDefinitions: readonly CommandDefinition[] = [
  named('ralph-status', {
    aliasOf: 'status',
    summary: 'The name that AIWG gives to "status".',
    options: [
      { name: 'all', summary: 'List all loops, as "ls" does.' },
      { name: 'latest', summary: 'Show the loop that started last.' },
      { name: 'verbose', summary: 'Also explain why the loop stopped, paused or is waiting.' },
      { name: 'check-stale', summary: 'List the loops whose process died.' },
      { name: 'mark', summary: 'With --check-stale: end these loops as crashed.' },
    ],
  }),
  named('ralph-pause', { aliasOf: 'pause', summary: 'The name that AIWG gives to "pause".', options: [] }),
  named('ralph-resume', {
    aliasOf: 'resume',
    summary: 'The name that AIWG gives to "resume"; refuses loops that completed or were aborted.',
    options: [
      { name: 'max-iterations', value: 'N', summary: 'The new maximum number of iterations.' },
      { name: 'timeout', value: 'MINUTES', summary: 'How much longer the loop may run, from now on.' },
    ],
  }),
  named('ralph-abort', {
    aliasOf: 'abort',
    summary: 'The name that AIWG gives to "abort".',
    options: [
      { name: 'keep-changes', summary: 'Keep what the loop changed (always the case).' },
      { name: 'revert', summary: 'Refused: ralphd makes no commits of its own that it could take back.' },
      force,
    ],
  }),
];
