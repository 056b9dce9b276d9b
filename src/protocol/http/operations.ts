import * as z from 'zod';
import {
  commandAnswer,
  commandRequest,
  linkAnswer,
  resumeRequest,
  sessionAnswer,
  sessionRequest,
  startAnswer,
  startRequest,
} from './control.ts';
import { fleetMessages, loopMessages } from './events.ts';
import { diff, iterationDetails, searchResult, transcript } from './iteration.ts';
import { iterationList, loopPage } from './loop.ts';
import { loopList } from './loops.ts';
import { health, loopReport, nightReport, numbers, serverInfo } from './report.ts';
import { cursor, instant, loopKey } from './shapes.ts';

/** One request that the server answers. */
export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** With `{name}` for a parameter. */
  readonly path: string;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The answer as JSON, as text of a media type, as a stream of events, or nothing at all. */
  readonly answer:
    | z.ZodType
    | { readonly text: string }
    | { readonly events: Readonly<Record<string, z.ZodType>> }
    | 'nothing';
  readonly status?: 200 | 201 | 204;
  /** It changes something: refused unless the server allows control. */
  readonly isControl?: true;
  /** It needs no cookie. */
  readonly isOpen?: true;
}

const number = (most: number) => z.coerce.number().int().min(0).max(most);
const iterationNumber = z.coerce.number().int().min(1).max(1_000_000_000);
const aLoop = z.object({ key: loopKey });
const anIteration = z.object({ key: loopKey, iteration: iterationNumber });
const since = z.object({
  since: instant.optional().describe('Default: everything; for the report, 18:00 of the last evening.'),
});

/** Every request of the API, by its name. The description that the server publishes follows from this table. */
export const operations = {
  openSession: {
    method: 'post',
    path: '/api/session',
    summary: 'Exchange the token of a link for a session: a cookie and a key. The token works once.',
    body: sessionRequest,
    answer: sessionAnswer,
    isOpen: true,
  },
  createLink: {
    method: 'post',
    path: '/api/session/links',
    summary: 'A link that opens the page on another device.',
    answer: linkAnswer,
    status: 201,
  },
  closeSession: {
    method: 'delete',
    path: '/api/session',
    summary: 'Sign out.',
    answer: 'nothing',
    status: 204,
  },
  getServer: { method: 'get', path: '/api/server', summary: 'What this server is and may do.', answer: serverInfo },
  listLoops: { method: 'get', path: '/api/loops', summary: 'All loops.', answer: loopList },
  followLoops: {
    method: 'get',
    path: '/api/events',
    summary: 'All loops, and every change of them.',
    answer: { events: fleetMessages },
  },
  getLoop: {
    method: 'get',
    path: '/api/loops/{key}',
    summary: 'Everything for the first look at a loop.',
    params: aLoop,
    answer: loopPage,
  },
  followLoop: {
    method: 'get',
    path: '/api/loops/{key}/events',
    summary: 'Every fact of a loop after one of them, as it is recorded, and what the loop is doing right now.',
    params: aLoop,
    query: z.object({
      after: cursor
        .optional()
        .describe('The last fact that is known; the header Last-Event-ID wins. Default: the newest.'),
    }),
    answer: { events: loopMessages },
  },
  listIterations: {
    method: 'get',
    path: '/api/loops/{key}/iterations',
    summary: 'Finished iterations, newest first.',
    params: aLoop,
    query: z.object({ before: iterationNumber.optional(), limit: number(500).min(1).default(100) }),
    answer: iterationList,
  },
  getIteration: {
    method: 'get',
    path: '/api/loops/{key}/iterations/{iteration}',
    summary: 'Everything about one iteration: attempts, prompt, checks and receipt.',
    params: anIteration,
    answer: iterationDetails,
  },
  getTranscript: {
    method: 'get',
    path: '/api/loops/{key}/iterations/{iteration}/transcript',
    summary: 'What the agent wrote and did, a part at a time.',
    params: anIteration,
    query: z.object({
      attempt: iterationNumber.optional().describe('Default: the newest with output.'),
      stream: z.enum(['stdout', 'stderr']).default('stdout'),
      from: number(1_000_000_000).optional().describe('The first entry; without it, the newest ones.'),
      limit: number(1_000).min(1).default(200),
    }),
    answer: transcript,
  },
  getDiff: {
    method: 'get',
    path: '/api/loops/{key}/iterations/{iteration}/diff',
    summary: 'What an iteration changed.',
    params: anIteration,
    answer: diff,
  },
  getLoopDiff: {
    method: 'get',
    path: '/api/loops/{key}/diff',
    summary: 'What a loop has changed since it started.',
    params: aLoop,
    answer: diff,
  },
  search: {
    method: 'get',
    path: '/api/loops/{key}/search',
    summary: 'Search everything that the agents of a loop wrote and did.',
    params: aLoop,
    query: z.object({
      q: z.string().min(1).max(500).describe('Text, in any case.'),
      iteration: iterationNumber.optional().describe('Only in this iteration.'),
      cursor: z.string().max(100).optional(),
      limit: number(200).min(1).default(50),
    }),
    answer: searchResult,
  },
  getLoopReport: {
    method: 'get',
    path: '/api/loops/{key}/report',
    summary: 'The result of a loop and how well it is proven.',
    params: aLoop,
    answer: loopReport,
  },
  getReport: {
    method: 'get',
    path: '/api/report',
    summary: 'What all loops did since an instant, what needs a person first.',
    query: since,
    answer: nightReport,
  },
  getNumbers: {
    method: 'get',
    path: '/api/numbers',
    summary: 'Totals and averages over all loops, or over those that started since an instant.',
    query: since,
    answer: numbers,
  },
  startLoop: {
    method: 'post',
    path: '/api/loops',
    summary: 'Start a loop in a process of its own.',
    body: startRequest,
    answer: startAnswer,
    status: 201,
    isControl: true,
  },
  sendCommand: {
    method: 'post',
    path: '/api/loops/{key}/commands',
    summary: 'Send a command to a loop.',
    params: aLoop,
    body: commandRequest,
    answer: commandAnswer,
    isControl: true,
  },
  resumeLoop: {
    method: 'post',
    path: '/api/loops/{key}/resume',
    summary: 'Resume a loop in a process of its own, or let the process continue that still runs it.',
    params: aLoop,
    body: resumeRequest,
    answer: startAnswer,
    isControl: true,
  },
  getDescription: {
    method: 'get',
    path: '/api/openapi.json',
    summary: 'This description.',
    answer: { text: 'application/json' },
    isOpen: true,
  },
  getMetrics: {
    method: 'get',
    path: '/metrics',
    summary: 'Metrics of all loops in the OpenMetrics format.',
    answer: { text: 'application/openmetrics-text; version=1.0.0; charset=utf-8' },
  },
  getHealth: { method: 'get', path: '/healthz', summary: 'Whether the server answers.', answer: health, isOpen: true },
} as const satisfies Readonly<Record<string, Operation>>;

/** The name of a request. */
export type OperationName = keyof typeof operations;
