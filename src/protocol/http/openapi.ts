import * as z from 'zod';
import { type Operation, type OperationName, operations } from './operations.ts';
import { errorAnswer } from './shapes.ts';

type Json = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 description of the whole API, from the same schemas that check what is sent. */
export function describeApi(version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const name of Object.keys(operations) as OperationName[]) {
    const operation: Operation = operations[name];
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describeOperation(name, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'ralphd',
      version,
      description:
        'What `ralphd serve` answers. A request needs the cookie and the key of a session, or the token of the file that --token-file names.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ cookie: [], key: [] }, { token: [] }],
    paths,
    components: {
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: 'ralphd', description: 'From `POST /api/session`.' },
        key: { type: 'apiKey', in: 'header', name: 'X-Ralphd-Key', description: 'From the same answer.' },
        token: { type: 'http', scheme: 'bearer' },
      },
      responses: {
        refused: { description: 'Refused.', content: { 'application/json': { schema: outputSchema(errorAnswer) } } },
      },
    },
  };
}

function describeOperation(name: string, operation: Operation): Json {
  const { summary, params, query, body, isOpen, status = 200 } = operation;
  const parameters = [...parametersOf(params, 'path'), ...parametersOf(query, 'query')];
  return {
    operationId: name,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: inputSchema(body) } } } }),
    responses: {
      [status]: { description: 'Done.', ...contentOf(operation) },
      default: { $ref: '#/components/responses/refused' },
    },
    ...(isOpen === true ? { security: [] } : {}),
  };
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): readonly Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = inputSchema(schema) as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function contentOf({ answer }: Operation): Json {
  if (answer === 'nothing') return {};
  if (answer instanceof z.ZodType) return { content: { 'application/json': { schema: outputSchema(answer) } } };
  if ('text' in answer) return { content: { [answer.text.split(';')[0] ?? '']: {} } };
  const messages = Object.entries(answer.events).map(([name, schema]) => ({ title: name, ...outputSchema(schema) }));
  return {
    content: {
      'text/event-stream': {
        schema: { type: 'string', description: 'Server-sent events; `x-events` has the data of each.' },
        'x-events': messages,
      },
    },
  };
}

/** The schema of what the server sends. */
function outputSchema(schema: z.ZodType): Json {
  return withoutDialect(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any', reused: 'inline' }));
}

function inputSchema(schema: z.ZodType): Json {
  return withoutDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }));
}

/** OpenAPI 3.1 has one dialect for all. */
function withoutDialect({ $schema: _dialect, ...schema }: Json): Json {
  return schema;
}
