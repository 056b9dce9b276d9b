import * as z from 'zod';
import { factCatalogue, factTypes } from '../facts/catalogue.ts';
import { owner, pulse, standing } from './loop.ts';
import { loopList, loopRow, unreadableLoop } from './loops.ts';
import { count, instant, loopKey } from './shapes.ts';

/** A fact as it was recorded, without secrets. */
const recordedFact = z.discriminatedUnion(
  'type',
  factTypes.map((type) =>
    z.object({ type: z.literal(type), data: factCatalogue[type].data, seq: count, at: instant, epoch: count }),
  ) as unknown as [FactObject, ...FactObject[]],
);

type FactObject = z.ZodObject<{ type: z.ZodLiteral<string>; data: z.ZodType }>;

/** The messages of `GET /api/loops/{key}/events`, by their event name. Only facts have an id, their cursor. */
export const loopMessages = {
  hello: z
    .object({ seq: count, after: count })
    .describe('First: the number of the newest fact, and the one after which this stream begins.'),
  fact: recordedFact,
  standing: standing.describe('Replaces the earlier one. A smaller `seq` than a fact before it cannot happen.'),
  pulse: pulse.nullable().describe('Null: the step is over.'),
  owner,
  gone: z
    .object({ why: z.enum(['removed', 'unreadable', 'restored', 'over']), message: z.string() })
    .describe(
      'Last: the loop was removed, cannot be read, was restored to an earlier state (what is known of it may be wrong: load it again), or has ended and everything was sent.',
    ),
} as const;

/** The messages of `GET /api/events`, by their event name. */
export const fleetMessages = {
  loops: loopList.describe('First, and whenever the server shows other projects: replaces everything.'),
  row: loopRow.describe('A new loop, or one that has changed.'),
  unreadable: unreadableLoop,
  removed: z.object({ key: loopKey }),
} as const;
