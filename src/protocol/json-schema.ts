/** The parts of JSON Schema that ralphd's schemas use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: JsonSchema | boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
}

/** One field of a schema, groups unfolded, in the order it was written. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** Every field below a schema, named with dots and `[]`; a group stands before its members. */
export function fields(schema: JsonSchema, prefix = ''): readonly Field[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    const name = `${prefix}${key}`;
    return [{ name, schema: child, required: required.has(key) }, ...members(child, name)];
  });
}

function members(schema: JsonSchema, name: string): readonly Field[] {
  if (schema.properties !== undefined) return fields(schema, `${name}.`);
  if (typeof schema.items === 'object') return members(schema.items, `${name}[]`);
  const [only, ...others] = (schema.anyOf ?? []).filter((choice) => choice.type !== 'null');
  return only !== undefined && others.length === 0 ? members(only, name) : [];
}

/** What values a schema takes, in a few words. */
export function describeType(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/$defs/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(describeType))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  switch (schema.type) {
    case 'array':
      return describeList(schema);
    case 'object':
      return describeObject(schema);
    case 'integer':
    case 'number':
      return `${schema.type}${describeBounds(schema)}`;
    case undefined:
      return 'anything';
    default:
      return String(schema.type);
  }
}

function describeList(schema: JsonSchema): string {
  if (schema.prefixItems !== undefined) return 'list';
  return typeof schema.items === 'object' ? `list of ${describeType(schema.items)}` : 'list';
}

function describeObject(schema: JsonSchema): string {
  if (schema.properties !== undefined) return 'group';
  return typeof schema.additionalProperties === 'object'
    ? `map of ${describeType(schema.additionalProperties)}`
    : 'map';
}

// Bounds that only reflect the platform's number range are not worth showing.
const meaningful = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < 2_147_483_646;

function describeBounds({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  if (meaningful(minimum) && meaningful(maximum)) return ` ${minimum} to ${maximum}`;
  if (meaningful(minimum)) return ` from ${minimum}`;
  if (meaningful(exclusiveMinimum)) return ` above ${exclusiveMinimum}`;
  return meaningful(maximum) ? ` to ${maximum}` : '';
}
