import * as z from 'zod';
import { defineFact } from './define.ts';
import { count } from './shapes.ts';

/** Facts about backups outside the state folder. */
export const backupFacts = {
  'loop.restored': defineFact({
    summary:
      'The loop was restored from a backup, perhaps on another machine; what was recorded after that backup is missing.',
    saves: true,
    operative: ['workingDirectory', 'backup'],
    data: () =>
      z.object({
        from: z.string().describe('Where the backup was.'),
        backup: z.string().describe('Name of the backup, or when the archive was made.'),
        workingDirectory: z.string().describe('The folder in which the agent works from now on.'),
      }),
  }),
  'backup.finished': defineFact({
    summary: 'The loop was backed up to a target outside its state folder.',
    saves: false,
    operative: ['target', 'backup'],
    data: () =>
      z.object({
        target: z.string(),
        backup: z.string().describe('Name of the backup.'),
        upTo: count.describe('Number of the newest fact in the backup.'),
        bytes: count.describe('How many bytes were sent.'),
      }),
  }),
} as const;
