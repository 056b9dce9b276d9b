import type { CommandDefinition, OptionDefinition } from './definition.ts';
import { display, everywhere, runOptions } from './options.ts';

const loopId: OptionDefinition = { name: 'loop-id', value: 'ID', summary: 'The loop; the same as the argument.' };
const minutes = { name: 'timeout', value: 'MINUTES' } as const;

type Named = Pick<CommandDefinition, 'summary' | 'options'> & { readonly aliasOf: string } & Partial<CommandDefinition>;

/** A command for a loop. */
function named(name: string, { options, ...rest }: Named): CommandDefinition {
  return {
    name,
    args: ['[ID]'],
    options: [loopId, ...options, ...everywhere],
    example: `ralphd ${name} fix-tests`,
    ...rest,
  };
}

/** The presets of "ralph-config preset", as settings. */
export const aiwgPresets: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  ci: { maxIterations: 5, maxTime: '30m' },
  thorough: { maxIterations: 20, maxTime: '2h' },
  quick: { maxIterations: 3, maxTime: '15m' },
};

/** Formats of "ralph-analytics --export". */
export const analyticsExports = ['json', 'csv', 'markdown'] as const;

const start: CommandDefinition = {
  name: 'ralph',
  aliasOf: 'run',
  summary: 'The name that AIWG gives to "run"; "ralphd ralph list" lists the loops.',
  args: ['[TASK]'],
  options: [
    {
      name: 'completion',
      value: 'CRITERIA',
      repeatable: true,
      setting: 'verify',
      summary: 'Command that must exit with 0, or a sentence that names it: "npm test passes".',
    },
    {
      name: 'max-iterations',
      value: 'N',
      setting: 'maxIterations',
      summary: 'Maximum number of iterations (default: 10).',
    },
    { ...minutes, setting: 'maxTime', summary: 'Maximum running time in minutes (default: 60).' },
    { name: 'loop-id', value: 'ID', setting: 'loopId', summary: 'Name or id for the loop instead of a generated one.' },
    { name: 'force', short: 'f', summary: 'Start even if four loops already run or the working directory is in use.' },
    {
      name: 'interactive',
      short: 'i',
      setting: 'attended',
      summary: 'Ask before each iteration and before completion.',
    },
    { name: 'no-commit', summary: 'Accepted; ralphd makes no commits of its own.' },
    {
      name: 'branch',
      value: 'NAME',
      setting: 'worktree',
      summary: 'Work in a new git worktree on the branch ralphd/NAME.',
    },
    {
      name: 'mode',
      value: 'MODE',
      setting: 'executionMode',
      summary: 'Execution mode: default, logged, seeded or strict.',
    },
    ...runOptions.filter(({ name }) => ['agent', 'agent-command', 'model', 'permissions', 'seed'].includes(name)),
    ...display,
    ...everywhere,
  ],
  example: 'ralphd ralph "Fix the failing tests" --completion "npm test passes"',
};

/** The commands under the names and with the flags that AIWG gives them. */
export const aiwgDefinitions: readonly CommandDefinition[] = [
  start,
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
      { ...minutes, summary: 'How much longer the loop may run, from now on.' },
    ],
  }),
  named('ralph-abort', {
    aliasOf: 'abort',
    summary: 'The name that AIWG gives to "abort".',
    options: [
      { name: 'keep-changes', summary: 'Keep what the loop changed (always the case).' },
      { name: 'revert', summary: 'Refused: ralphd makes no commits of its own that it could take back.' },
      { name: 'force', summary: 'Accepted; ralphd asks no question that it could skip.' },
    ],
  }),
  named('ralph-attach', { aliasOf: 'watch', summary: 'The name that AIWG gives to "watch".', options: display }),
  named('ralph-rollback', {
    aliasOf: 'rollback',
    summary: 'The name that AIWG gives to "rollback".',
    options: [{ name: 'force', summary: 'Confirm it; without this, nothing is undone.' }],
  }),
  named('ralph-analytics', {
    aliasOf: 'stats',
    summary: 'The name that AIWG gives to "stats".',
    options: [
      { name: 'loop', value: 'ID', summary: 'The loop; without it, all loops of this project.' },
      { name: 'since', value: 'WHEN', summary: 'Only loops that started since a date, or in the last 12h or 7d.' },
      { name: 'export', value: analyticsExports.join('|'), summary: 'Print this format.' },
      { name: 'brief', summary: 'Leave out the iterations of a loop.' },
    ],
    example: 'ralphd ralph-analytics --since 7d --export csv',
  }),
  {
    name: 'ralph-migrate',
    aliasOf: 'import',
    summary: 'The name that AIWG gives to "import": continue its loops in .aiwg/ralph here.',
    args: ['[PATH]'],
    options: [{ name: 'status', summary: 'Only show what would be imported.' }, ...everywhere],
    example: 'ralphd ralph-migrate --status',
  },
  {
    name: 'ralph-rebuild-registry',
    aliasOf: 'recover',
    summary: 'Write registry.json again, from the loops themselves.',
    args: [],
    options: everywhere,
    example: 'ralphd ralph-rebuild-registry',
  },
  {
    name: 'ralph-config',
    aliasOf: 'config',
    summary: `Settings: "show" them, or print the settings of a "preset": ${Object.keys(aiwgPresets).join(', ')}.`,
    args: ['[ACTION]', '[KEY]', '[VALUE]'],
    words: ['show', 'set', 'reset', 'preset'],
    options: everywhere,
    example: 'ralphd ralph-config preset thorough',
  },
  {
    name: 'ralph-memory',
    aliasOf: 'guide',
    summary: 'Refused: ralphd keeps no memory across loops. See "guide" and the prompt file.',
    args: ['[ACTION]', '[TEXT]'],
    words: ['list', 'query', 'clear'],
    options: everywhere,
    example: 'ralphd ralph-memory list',
  },
  {
    name: 'ralph-reflect',
    aliasOf: 'report',
    summary: 'Refused: what a loop learned is in its notes. See "report" and "inspect".',
    args: ['[ID]'],
    options: everywhere,
    example: 'ralphd ralph-reflect fix-tests',
  },
];
