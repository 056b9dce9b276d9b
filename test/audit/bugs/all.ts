import type { PlantedBug } from '../planted-bug.ts';
import { aiwgBugs } from './aiwg.ts';
import { iterationBugs } from './iteration.ts';
import { loopBugs } from './loop.ts';
import { promiseBugs } from './promise.ts';
import { runnerBugs } from './runner.ts';
import { settingsBugs } from './settings.ts';
import { stateBugs } from './state.ts';
import { tachikomaBugs } from './tachikoma.ts';

/** Every planted bug. */
export const bugs: readonly PlantedBug[] = [
  ...aiwgBugs,
  ...iterationBugs,
  ...loopBugs,
  ...promiseBugs,
  ...runnerBugs,
  ...settingsBugs,
  ...stateBugs,
  ...tachikomaBugs,
];
