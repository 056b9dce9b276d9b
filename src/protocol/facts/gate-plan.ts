import * as z from 'zod';
import { guard } from './guard.ts';
import { checkCommand } from './shapes.ts';

/** What the gate runs, and what guards it. */
export const gatePlan = {
  checks: z.array(checkCommand).describe('The commands of the gate, in their order.'),
  foundTest: z.string().optional().describe("The one of them that was detected as the project's test command."),
  readings: z
    .array(z.object({ said: z.string(), commands: z.array(z.string()) }))
    .optional()
    .describe('Criteria written as sentences, and the commands they were interpreted as.'),
  guards: z
    .array(guard)
    .optional()
    .describe('Files and scripts that determine the results of the checks, in their original state.'),
  masked: z
    .array(z.string())
    .optional()
    .describe('Scripts and targets run by the checks that hide the exit code of their test.'),
};
