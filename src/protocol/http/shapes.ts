import * as z from 'zod';
import { count, instant } from '../facts/shapes.ts';

/** Names one loop on this server: its id, and with loops of several projects also its project. */
export const loopKey = z
  .string()
  .regex(/^ralph-[a-z0-9-]{1,180}-[0-9a-f]{8}(~[0-9a-f]{8})?$/)
  .describe('Names a loop on this server. Opaque: take it from an answer.');

/** Where a reader stands in the history of a loop. */
export const cursor = z
  .string()
  .regex(/^\d{1,15}(-[0-9a-f]{8})?$/)
  .describe(
    'Names the last fact that is known: its number and, after a hyphen, its checksum, by which the server notices that the history is another one now. The number alone will do, without that.',
  );

/** An instant as a number. */
export const nowMs = z.number().describe("The server's clock, in milliseconds since 1970.");

/** What every refused request gets. */
export const errorAnswer = z.object({
  error: z.object({
    code: z.string().describe('Permanent; scripts may depend on it.'),
    message: z.string().describe('What happened and why.'),
    hint: z.string().describe('What to do next.'),
  }),
});

/** A project with loops. */
export const project = z.object({
  key: z.string().describe('Names the project on this server.'),
  folder: z.string().describe('Its folder.'),
  name: z.string().describe('The last part of its folder.'),
});

/** A command line that a person can run, and the same as a request, if this API has one. */
export const advice = z.object({
  command: z.string(),
  does: z.string(),
  request: z
    .object({
      path: z.string().describe('Relative to the loop: `commands`, `resume`.'),
      body: z.record(z.string(), z.unknown()),
    })
    .exactOptional()
    .describe('What to send for the same effect; refused unless the server allows control.'),
});

/** A count of each word. */
export const counts = z.record(z.string(), count);

export { count, instant };
