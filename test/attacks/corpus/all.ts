import type { Attack } from '../attack.ts';
import { builds } from './builds.ts';
import { files } from './files.ts';
import { git } from './git.ts';
import { programs } from './programs.ts';
import { runners } from './runners.ts';
import { running } from './running.ts';
import { settings } from './settings.ts';

/** All attacks. */
export const corpus: readonly Attack[] = [
  ...programs,
  ...settings,
  ...git,
  ...files,
  ...runners,
  ...builds,
  ...running,
];
