import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type * as z from 'zod';
import { failures, LoopError } from '../../base/index.ts';
import { type Operation, type OperationName, operations, type Sent } from '../../protocol/index.ts';
import { readJson } from './body.ts';
import type { StreamTarget } from './event-stream.ts';

/** A request while it is answered. */
export type Exchange = Context<{ readonly Bindings: HttpBindings }>;

type Table = typeof operations;
type Part<Name extends OperationName, Key extends 'params' | 'query' | 'body'> = Table[Name] extends {
  readonly [K in Key]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;

/** What a request contains, checked. */
export interface Input<Name extends OperationName> {
  readonly params: Part<Name, 'params'>;
  readonly query: Part<Name, 'query'>;
  readonly body: Part<Name, 'body'>;
}

/** What answers a request: data, a text, a stream that is kept open, or nothing. */
export type Answer<Name extends OperationName> = Table[Name]['answer'] extends infer Kind
  ? Kind extends z.ZodType
    ? Sent<Kind>
    : Kind extends { readonly text: string }
      ? string
      : Kind extends { readonly events: unknown }
        ? (target: StreamTarget) => void
        : undefined
  : never;

/** Carries out one kind of request. */
export type Handler<Name extends OperationName> = (
  input: Input<Name>,
  exchange: Exchange,
) => Answer<Name> | Promise<Answer<Name>>;

/** One for each kind of request. */
export type Handlers = { readonly [Name in OperationName]: Handler<Name> };

/** Reads and checks everything that a request contains. */
export async function readInput(name: OperationName, exchange: Exchange): Promise<Input<OperationName>> {
  const { params, query, body }: Operation = operations[name];
  const { req } = exchange;
  return {
    params: params && parse(params, req.param(), 'the address'),
    query: query && parse(query, req.query(), 'the query'),
    body: body && parse(body, await readJson(req.raw), 'the body'),
  } as Input<OperationName>;
}

function parse(schema: z.ZodType, value: unknown, what: string): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [first] = error.issues;
  const where = first === undefined || first.path.length === 0 ? what : `"${first.path.join('.')}" in ${what}`;
  throw new LoopError(failures.requestInvalid(`${where}: ${first?.message ?? 'not as described'}`));
}
