import { agentFailures } from './agent-failures.ts';
import { backupFailures } from './backup-failures.ts';
import { configFailures } from './config-failures.ts';
import { documentFailures } from './document-failures.ts';
import { fleetFailures } from './fleet-failures.ts';
import { loopFailures } from './loop-failures.ts';
import { promptFailures } from './prompt-failures.ts';
import { scheduleFailures } from './schedule-failures.ts';
import { serverFailures } from './server-failures.ts';
import { sessionFailures } from './session-failures.ts';
import { storeFailures } from './store-failures.ts';
import { travelFailures } from './travel-failures.ts';
import { ultraplanFailures } from './ultraplan-failures.ts';
import { usageFailures } from './usage-failures.ts';
import { vaultFailures } from './vault-failures.ts';
import { worktreeFailures } from './worktree-failures.ts';

/** Every failure ralphd can report, by family; the reference page is generated from this. */
export const failures = {
  ...usageFailures,
  ...configFailures,
  ...promptFailures,
  ...loopFailures,
  ...agentFailures,
  ...storeFailures,
  ...sessionFailures,
  ...serverFailures,
  ...documentFailures,
  ...fleetFailures,
  ...ultraplanFailures,
  ...worktreeFailures,
  ...backupFailures,
  ...vaultFailures,
  ...travelFailures,
  ...scheduleFailures,
} as const;
