import type * as z from 'zod';

/** Which side of a schema: what it takes, or what it gives. */
export type Side = 'input' | 'output';

/** Names that stand for whole schemas, so that a type is written once and used by its name. */
export interface Names {
  /** The name of a schema, or nothing when its type is to be written out. */
  readonly nameOf: (schema: z.core.$ZodType, side: Side) => string | undefined;
  /** The name of a list of words. */
  readonly nameOfWords: (words: readonly string[]) => string | undefined;
}

/** What a declaration says of a schema. */
export interface Declared {
  readonly schema: z.core.$ZodType;
  readonly name: string;
  /** Its doc comment. */
  readonly what: string;
}

/** Writes the declaration of a named type: no interface, so that it can be given to whoever takes any record. */
export function declarationText({ schema, name, what }: Declared, side: Side, names: Names): string {
  return `${commentText(what)}export type ${name} = ${bodyText(schema, side, names)};`;
}

/** Writes the TypeScript type of a schema. */
function typeText(schema: z.core.$ZodType, side: Side, names: Names): string {
  return names.nameOf(schema, side) ?? bodyText(schema, side, names);
}

/** Writes the TypeScript type of a schema in full, also when it has a name. */
export function bodyText(schema: z.core.$ZodType, side: Side, names: Names): string {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const write = (inner: z.core.$ZodType) => typeText(inner, side, names);
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
      return def.type;
    case 'literal':
      return def.values.map((value) => JSON.stringify(value)).join(' | ');
    case 'enum': {
      const words = Object.values(def.entries).map(String);
      return names.nameOfWords(words) ?? words.map((word) => JSON.stringify(word)).join(' | ');
    }
    case 'array':
      return listText(write(def.element));
    case 'tuple':
      return `[${[...def.items.map(write), ...(def.rest === null ? [] : [`...${listText(write(def.rest))}`])].join(', ')}]`;
    case 'record':
      return `Record<${write(def.keyType)}, ${write(def.valueType)}>`;
    case 'union':
      return def.options.map(write).join(' | ');
    case 'nullable':
      return `${write(def.innerType)} | null`;
    case 'optional':
      return `${write(def.innerType)} | undefined`;
    case 'default':
    case 'prefault':
      return side === 'output' ? write(def.innerType) : `${write(def.innerType)} | undefined`;
    case 'pipe':
      return write(side === 'input' ? def.in : def.out);
    case 'lazy':
      return write(def.getter());
    case 'object':
      if (Object.keys(def.shape).length === 0) return 'Record<string, never>';
      return `{\n${Object.entries(def.shape)
        .map(([key, value]) => memberText(key, value, { side, names }))
        .join('\n')}\n}`;
    default:
      throw new Error(`No TypeScript type is known for a schema of the type ${def.type}.`);
  }
}

function listText(element: string): string {
  return /^\w+$/.test(element) ? `${element}[]` : `Array<${element}>`;
}

/** Writes one member of an object, with its description. */
function memberText(key: string, schema: z.core.$ZodType, { side, names }: { side: Side; names: Names }): string {
  const { optin, optout } = schema._zod;
  const isOptional = (side === 'input' ? optin : optout) !== undefined;
  const name = /^\w+$/.test(key) ? key : JSON.stringify(key);
  const description = [descriptionOf(schema), side === 'input' ? defaultText(schema) : undefined]
    .filter(Boolean)
    .join(' ');
  return `${commentText(description)}${name}${isOptional ? '?' : ''}: ${typeText(schema, side, names)};`;
}

function defaultText(schema: z.core.$ZodType): string | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (!('defaultValue' in def) || typeof def.defaultValue === 'object') return undefined;
  return `Default: \`${JSON.stringify(def.defaultValue)}\`.`;
}

/** A text as a doc comment. */
export function commentText(text: string): string {
  return text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

/** What a schema says about itself, or what the schema that it wraps says. */
function descriptionOf(schema: z.core.$ZodType): string | undefined {
  const { description } = schema as z.ZodType;
  if (description !== undefined) return description;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return 'innerType' in def ? descriptionOf(def.innerType) : undefined;
}
