import type { CommandDefinition, OptionDefinition } from './definition.ts';
import { dryRun, everywhere } from './options.ts';

const identity: OptionDefinition = {
  name: 'identity',
  value: 'FILE',
  summary: 'File with the age identity that opens encrypted backups, as "age-keygen" writes it.',
};

const passphraseFile: OptionDefinition = {
  name: 'passphrase-file',
  value: 'FILE',
  summary: 'File whose first line is the passphrase of an encrypted archive.',
};

const bucket: readonly OptionDefinition[] = [
  { name: 'endpoint', value: 'URL', summary: 'With "--from s3://…": the URL of the server (default: that of AWS).' },
  { name: 'region', value: 'REGION', summary: 'With "--from s3://…": the region of the bucket.' },
];

/** Commands that copy a loop and bring it back. */
export const backupDefinitions: readonly CommandDefinition[] = [
  {
    name: 'backup',
    example: 'ralphd backup fix-tests --to /mnt/usb --recipient age1…',
    summary:
      'Back up the state of a loop, or with "--to" all of it in one file. "push" finishes the backups to its targets, "verify" reads backups again and checks them, "drill" restores the newest one into a temporary folder.',
    args: ['[ID|ACTION]', '[ID]'],
    words: ['push', 'verify', 'drill'],
    options: [
      {
        name: 'to',
        value: 'FILE|DIR',
        summary: 'Write the whole loop into this new file, or into a new one in this folder.',
      },
      {
        name: 'recipient',
        value: 'KEY',
        repeatable: true,
        summary: 'With "--to": encrypt for the holder of this age key (age1…).',
      },
      passphraseFile,
      {
        name: 'from',
        value: 'PLACE',
        summary: 'verify, drill: a folder, s3://BUCKET/PREFIX, or the name of a target (default: the only one).',
      },
      identity,
      ...bucket,
      dryRun,
      ...everywhere,
    ],
  },
  {
    name: 'restore',
    example: 'ralphd restore fix-tests --from latest --dry-run',
    summary:
      'Restore an inactive loop from a checkpoint or backup, or a whole loop from an archive, folder or bucket; newer state is kept.',
    args: ['[ID]'],
    options: [
      {
        name: 'from',
        value: 'FILE|PLACE|latest',
        summary:
          'A checkpoint or backup of the loop by name, any file by path, or the newest usable one; or where whole loops are: an archive, a folder, s3://BUCKET/PREFIX, or the name of a target.',
      },
      { name: 'backup', value: 'NAME', summary: 'Which backup of the place (default: the newest).' },
      identity,
      passphraseFile,
      ...bucket,
      { name: 'force', summary: 'Set a loop of the same name aside.' },
      dryRun,
      ...everywhere,
    ],
  },
];
