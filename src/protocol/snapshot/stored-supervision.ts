import * as z from 'zod';
import { count, instant, sender } from '../facts/shapes.ts';
import { askReasons, breakpointWords, modes, noteKinds, questionPoints, switchMoments } from '../modes.ts';

const about = { point: z.enum(questionPoints), iteration: count };

/** What people decided and asked for, and the loop has yet to do. */
export const decisionRequests = {
  decision: z
    .object({
      decision: z.enum(['continue', 'skip']),
      prompt: z.string().exactOptional(),
      at: instant.exactOptional(),
      sender: sender.exactOptional(),
    })
    .exactOptional(),
  mode: z
    .object({
      mode: z.enum(modes),
      when: z.enum(switchMoments),
      at: instant.exactOptional(),
      sender: sender.exactOptional(),
    })
    .exactOptional(),
};

/** The part that a person has in the loop; snapshots of the first releases do not have it. */
export const storedSupervision = z
  .object({
    mode: z.enum(modes).exactOptional(),
    modeSince: instant.exactOptional(),
    question: z
      .object({
        ...about,
        why: z.array(z.enum(askReasons)),
        askedAt: instant,
        approveAt: instant.exactOptional(),
        epoch: count,
      })
      .exactOptional(),
    approved: z.object(about).exactOptional(),
    skips: count.exactOptional(),
    prompt: z.string().exactOptional(),
    decidedAt: z.object({ iteration: count, files: count }).prefault({ iteration: 0, files: 0 }),
    regressed: z.literal(true).exactOptional(),
    marks: z.array(z.string()).exactOptional(),
    breakpoints: z.array(z.union([count, z.enum(breakpointWords)])).exactOptional(),
    notes: z
      .array(
        z.object({
          kind: z.enum(noteKinds),
          text: z.string(),
          at: instant,
          iteration: count,
          sender: sender.exactOptional(),
        }),
      )
      .exactOptional(),
    work: z.object({ iteration: count, trees: z.object({ before: z.string(), after: z.string() }) }).exactOptional(),
  })
  .prefault({});
