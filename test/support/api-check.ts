import { validate } from '@hyperjump/json-schema/openapi-3-1';
import type { AnySchemaObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Readonly<Record<string, unknown>>;

interface Described {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

interface Content {
  readonly schema?: AnySchemaObject;
  readonly 'x-events'?: readonly (AnySchemaObject & { readonly title: string })[];
}

/** Checks what a server sends against its own description. */
export interface ApiCheck {
  /** What is wrong with an answer; empty if nothing is. */
  problemsOf(method: string, path: string, status: number, body: unknown): readonly string[];
  /** What is wrong with a message of an event stream. */
  problemsOfEvent(path: string, event: string, data: unknown): readonly string[];
}

/** Reads a description in the OpenAPI format; every schema in it has to compile. */
export function createApiCheck(description: Json): ApiCheck {
  const ajv = new Ajv2020({ strict: true, strictTuples: false, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addVocabulary(['x-events']);
  const compiled = new Map<AnySchemaObject, ValidateFunction>();
  const check = (schema: AnySchemaObject | undefined, value: unknown): readonly string[] => {
    if (schema === undefined) return ['it is not described'];
    const validate = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, validate);
    return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
  const paths = description['paths'] as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  const find = (method: string, path: string) => {
    const template = Object.keys(paths).find((each) =>
      new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? ''),
    );
    return template === undefined ? undefined : paths[template]?.[method.toLowerCase()];
  };
  const refused = (description as { components: { responses: { refused: Described['responses'][string] } } }).components
    .responses.refused;
  return {
    problemsOf(method, path, status, body) {
      const response = find(method, path)?.responses[String(status)] ?? (status >= 400 ? refused : undefined);
      if (response === undefined) return [`status ${status} is not described`];
      if (response.content === undefined) return body === undefined ? [] : ['it has a body'];
      return check(response.content['application/json']?.schema, body);
    },
    problemsOfEvent(path, event, data) {
      const events = find('get', path)?.responses['200']?.content?.['text/event-stream']?.['x-events'];
      return check(
        events?.find(({ title }) => title === event),
        data,
      );
    },
  };
}

/**
 * Whether a text is a description in the OpenAPI 3.1 format, by the schema of that format and with every schema in it by
 * the dialect of that format.
 */
export async function isOpenApi(text: string): Promise<boolean> {
  const check = await validate('https://spec.openapis.org/oas/3.1/schema-base');
  return check(JSON.parse(text) as Parameters<typeof check>[0]).valid;
}
