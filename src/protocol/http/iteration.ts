import * as z from 'zod';
import { iterationFacts } from '../facts/iteration-facts.ts';
import { worktree } from '../facts/shapes.ts';
import { statuses } from '../words.ts';
import { iterationAccount, iterationRow } from './loop.ts';
import { count, loopKey } from './shapes.ts';

const names = z.array(z.string());

/** A changed file; null lines for one that is no text. */
export const changedFile = z.object({ path: z.string(), added: count.nullable(), removed: count.nullable() });

/** A patch as git writes it. */
const patch = z.object({ text: z.string(), isWhole: z.boolean() });

const activitySummary = z.object({
  lastWords: z.string(),
  reportsTools: z.boolean(),
  toolCalls: count,
  failedCalls: count,
  deniedCalls: count,
  tools: z.array(z.object({ name: z.string(), calls: count })),
  newestCalls: z.array(z.object({ name: z.string(), detail: z.string().exactOptional(), ok: z.boolean().nullable() })),
  troubles: names,
});

/** `GET /api/loops/{key}/iterations/{iteration}` */
export const iterationDetails = z.object({
  key: loopKey,
  loopId: z.string(),
  status: z.enum([...statuses, 'idle']),
  agent: z.string(),
  worktree: worktree.exactOptional(),
  row: iterationRow,
  account: iterationAccount,
  tests: z.object({ fixed: names, broken: names }),
  prompt: z
    .object({ file: z.string(), text: z.string(), bytes: count })
    .nullable()
    .describe('The prompt of its newest attempt; null if it was removed.'),
  activity: activitySummary.nullable(),
  changes: z
    .object({
      changes: iterationFacts['agent.finished'].data.shape.changes,
      files: z.array(changedFile).nullable().exactOptional(),
    })
    .exactOptional(),
  previous: count.exactOptional(),
  next: count.exactOptional(),
});

/** `GET /api/loops/{key}/iterations/{iteration}/diff`, and of a whole loop */
export const diff = z.object({
  files: z.array(changedFile).nullable().describe('Null if they are not known.'),
  patch: patch.nullable().describe('Null if the stored lines were removed, and outside git.'),
});

/** One thing that an agent wrote or did. */
const transcriptEntry = z.discriminatedUnion('type', [
  z.object({
    number: count,
    type: z.literal('text'),
    text: z.string(),
    startsMessage: z.boolean().describe('False for the rest of a long message.'),
  }),
  z.object({
    number: count,
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    detail: z.string().exactOptional(),
  }),
  z.object({
    number: count,
    type: z.literal('tool_result'),
    id: z.string(),
    name: z.string(),
    detail: z.string().exactOptional(),
    ok: z.boolean(),
  }),
  z.object({ number: count, type: z.literal('permission_denied'), tool: z.string() }),
  z.object({ number: count, type: z.literal('retry'), why: z.string() }),
  z.object({ number: count, type: z.literal('error'), message: z.string() }),
]);

/** `GET /api/loops/{key}/iterations/{iteration}/transcript` */
export const transcript = z.object({
  iteration: count,
  attempt: count,
  attempts: z.array(count).describe('The attempts whose output is stored.'),
  stream: z.enum(['stdout', 'stderr']),
  hasTools: z.boolean().describe('Whether the agent reports its tool calls.'),
  entries: z.array(transcriptEntry).describe('Oldest first. An entry keeps its number.'),
  total: count.exactOptional().describe('The number of entries so far; missing if it was not read to the end.'),
  isOpen: z.boolean().describe('The last entry may grow: the agent is still writing.'),
});

/** A place in what agents wrote and did. */
const searchMatch = z.object({
  iteration: count,
  attempt: count,
  number: count.describe('The entry of the transcript.'),
  type: z.enum(['text', 'tool_use', 'tool_result', 'permission_denied', 'retry', 'error']),
  before: z.string(),
  match: z.string(),
  after: z.string(),
});

/** `GET /api/loops/{key}/search` */
export const searchResult = z.object({
  matches: z.array(searchMatch).describe('Newest iteration first.'),
  searched: z.object({ iterations: count, bytes: count }),
  next: z.string().exactOptional().describe('Pass it as `cursor` to search on; missing when everything was searched.'),
});
