import * as z from 'zod';
import { hookSteps, loopHookSteps, stopReasons } from '../words.ts';
import { defineFact } from './define.ts';
import { attempt, elapsedMs, hookResult, hookStop } from './shapes.ts';

/** Facts about hooks, and the decision that those at the end of a loop cannot change. */
export const hookFacts = {
  'hooks.started': defineFact({
    summary: 'The hooks of one step of an attempt start.',
    saves: true,
    operative: [],
    data: () => z.object({ ...attempt, point: z.enum(hookSteps) }),
  }),
  'hooks.finished': defineFact({
    summary: 'The hooks of one step have finished.',
    saves: false,
    operative: [],
    data: () =>
      z.object({
        ...attempt,
        point: z.enum(hookSteps),
        results: z.array(hookResult),
        data: z.record(z.string(), z.string()).optional().describe('Values for later hooks of this attempt.'),
        prompt: z.string().optional().describe("Text they add to this attempt's prompt."),
        stop: hookStop.optional(),
      }),
  }),
  'loop_hooks.started': defineFact({
    summary: 'The hooks of one step outside of an iteration start.',
    saves: true,
    operative: [],
    data: () => z.object({ point: z.enum(loopHookSteps) }),
  }),
  'loop_hooks.finished': defineFact({
    summary: 'The hooks of one step outside of an iteration have finished.',
    saves: false,
    operative: [],
    data: () =>
      z.object({
        point: z.enum(loopHookSteps),
        results: z.array(hookResult),
        data: z.record(z.string(), z.string()).optional().describe('Values for all later hooks of the loop.'),
        stop: hookStop.optional(),
        interrupted: z
          .literal(true)
          .optional()
          .describe('Only at the end: the rest was not run, because of a command.'),
        elapsedMs,
      }),
  }),
  'end.decided': defineFact({
    summary: 'It is decided how the loop ends; only its last hooks are left to run.',
    saves: true,
    operative: [],
    data: () => z.object({ status: z.enum(['failed', 'aborted']), reason: z.enum(stopReasons), message: z.string() }),
  }),
};
