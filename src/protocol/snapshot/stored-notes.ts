import * as z from 'zod';
import { count, instant, notedIssue } from '../facts/shapes.ts';

const nothing = { decisions: [], issues: [], done: [], pending: [], values: [], issueCount: 0 };

/** What agents noted for later iterations. */
export const storedNotes = z
  .object({
    decisions: z.array(z.object({ iteration: count, at: instant, text: z.string(), why: z.string().optional() })),
    issues: z.array(notedIssue.extend({ number: count, iteration: count, isAddressed: z.boolean() })),
    done: z.array(z.object({ iteration: count, text: z.string() })),
    pending: z.array(z.string()),
    values: z.array(z.object({ key: z.string(), value: z.string() })),
    issueCount: count,
  })
  .default(nothing);
