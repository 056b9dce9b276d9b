import * as z from 'zod';
import { count } from '../facts/shapes.ts';
import { modes } from '../modes.ts';
import { rebootCauses, stopReasons } from '../words.ts';

/** What the hooks outside of attempts did, and which of them are due; snapshots of the first releases do not have it. */
export const storedHooks = z
  .object({
    steps: count.default(0),
    data: z.record(z.string(), z.string()).default({}),
    hasStarted: z.literal(true).exactOptional(),
    modeSwitch: z
      .object({
        from: z.enum(modes),
        to: z.enum(modes),
        cause: z.enum(['command', 'trigger', 'schedule']),
        told: z.enum(modes).exactOptional(),
      })
      .exactOptional(),
    reboot: z.object({ cancelled: z.string().exactOptional() }).exactOptional(),
    rebooted: z.object({ cause: z.enum(rebootCauses), endsSession: z.literal(true).exactOptional() }).exactOptional(),
    ending: z
      .object({ status: z.enum(['failed', 'aborted']), reason: z.enum(stopReasons), message: z.string() })
      .exactOptional(),
    hasEnded: z.literal(true).exactOptional(),
  })
  .prefault({});
