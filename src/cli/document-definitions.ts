import { foreignSystems } from '../protocol/index.ts';
import type { CommandDefinition } from './definition.ts';
import { dryRun, everywhere, json } from './options.ts';

/** The commands for the documents of other systems. */
export const documentDefinitions: readonly CommandDefinition[] = [
  {
    name: 'import',
    example: 'ralphd import .aiwg/ralph/current-loop.json --dry-run',
    summary: 'Continue loops of another system: AIWG, Tachikoma, ultraplan, or a plugin of Claude Code.',
    args: ['PATH'],
    options: [
      {
        name: 'from',
        value: 'SYSTEM',
        summary: `${['auto', ...foreignSystems].join(', ')} (default: auto, by content).`,
      },
      dryRun,
      ...everywhere,
    ],
  },
  {
    name: 'validate',
    example: 'ralphd validate .aiwg/ralph/registry.json --pure',
    summary: 'Check an AIWG document (state, registry, checkpoint, analytics) against its schema.',
    args: ['FILE'],
    options: [
      { name: 'as', value: 'KIND', summary: 'state, registry, checkpoint or analytics (default: by its content).' },
      { name: 'pure', summary: 'Refuse null in nullable fields, as a plain JSON Schema 2020-12 validator does.' },
      json,
    ],
  },
];
