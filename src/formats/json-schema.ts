/** The part of JSON Schema 2020-12 in which the documents of other systems are described. */
export interface DataSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: DataType;
  /** Not a word of 2020-12: validators that know it accept null as well, others ignore it. */
  readonly nullable?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, DataSchema>>;
  readonly items?: DataSchema;
  readonly maxItems?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: 'date-time';
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

/** The type of a value. */
export type DataType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/** How `nullable` is read: as permission for null, or not at all, as a plain 2020-12 validator does. */
export type SchemaReading = 'nullable' | 'pure';

/** One thing that is wrong with a document. */
export interface DocumentProblem {
  /** Where, as a JSON pointer; empty for the document as a whole. */
  readonly pointer: string;
  /** What is wrong, as the end of a sentence about that place. */
  readonly message: string;
}

/** Everything that is wrong with a value; empty if it is valid. */
export function problemsIn(value: unknown, schema: DataSchema, reading: SchemaReading): readonly DocumentProblem[] {
  return problemsAt({ value, schema, pointer: '' }, reading);
}

/** The part of a value that its schema defines; fields that are null are left out as well. */
export function definedPart(value: unknown, schema: DataSchema): unknown {
  const { properties, items } = schema;
  if (Array.isArray(value)) return items === undefined ? value : value.map((each) => definedPart(each, items));
  if (!isRecord(value) || properties === undefined) return value;
  const entries = Object.entries(properties).flatMap(([name, part]) =>
    value[name] === undefined || value[name] === null ? [] : [[name, definedPart(value[name], part)]],
  );
  return Object.fromEntries(entries);
}

interface Subject {
  readonly value: unknown;
  readonly schema: DataSchema;
  readonly pointer: string;
}

function problemsAt({ value, schema, pointer }: Subject, reading: SchemaReading): readonly DocumentProblem[] {
  if (value === null && schema.nullable === true && reading === 'nullable') return [];
  const { type } = schema;
  if (type !== undefined && !isOfType(value, type)) {
    return [{ pointer, message: `must be ${withArticle(type)}, but is ${kindOf(value)}` }];
  }
  const own = ownProblems(value, schema).map((message) => ({ pointer, message }));
  return [...own, ...partsOf({ value, schema, pointer }).flatMap((part) => problemsAt(part, reading))];
}

/** The members and elements of a value that have a schema. */
function partsOf({ value, schema, pointer }: Subject): readonly Subject[] {
  const { properties = {}, items } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return [];
    return value.map((each: unknown, index) => ({ value: each, schema: items, pointer: `${pointer}/${index}` }));
  }
  if (!isRecord(value)) return [];
  return Object.entries(properties).flatMap(([name, part]) =>
    Object.hasOwn(value, name) ? [{ value: value[name], schema: part, pointer: `${pointer}/${escaped(name)}` }] : [],
  );
}

function ownProblems(value: unknown, schema: DataSchema): readonly string[] {
  if (typeof value === 'string') return textProblems(value, schema);
  if (typeof value === 'number') return numberProblems(value, schema);
  if (Array.isArray(value)) {
    const { maxItems = Infinity } = schema;
    return value.length > maxItems ? [`must have at most ${maxItems} elements, but has ${value.length}`] : [];
  }
  if (!isRecord(value)) return [];
  return (schema.required ?? []).filter((name) => !Object.hasOwn(value, name)).map((name) => `lacks "${name}"`);
}

function textProblems(value: string, { enum: words, pattern, format, maxLength = Infinity }: DataSchema): string[] {
  return [
    ...(words === undefined || words.includes(value) ? [] : [`must be one of ${words.join(', ')}`]),
    ...(pattern === undefined || new RegExp(pattern, 'u').test(value) ? [] : [`must match ${pattern}`]),
    ...(format === undefined || isDateTime(value) ? [] : ['must be a date and time such as 2026-02-02T21:00:00Z']),
    ...(Array.from(value).length <= maxLength ? [] : [`must have at most ${maxLength} characters`]),
  ];
}

function numberProblems(value: number, { minimum = -Infinity, maximum = Infinity }: DataSchema): readonly string[] {
  return [
    ...(value < minimum ? [`must be at least ${minimum}, but is ${value}`] : []),
    ...(value > maximum ? [`must be at most ${maximum}, but is ${value}`] : []),
  ];
}

function isOfType(value: unknown, type: DataType): boolean {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'string':
    case 'boolean':
      return typeof value === type;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number with a fraction';
  return withArticle(typeof value);
}

function withArticle(type: string): string {
  return `${/^[aio]/u.test(type) ? 'an' : 'a'} ${type}`;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

const dateTime = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):?(\d\d))$/u;

/** RFC 3339; a day that the month does not have is refused. */
function isDateTime(text: string): boolean {
  const [, day = '', hour, minute, second, offsetHour = 0, offsetMinute = 0] = dateTime.exec(text) ?? [];
  if (hour === undefined || !isDay(day)) return false;
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
  return isTime && Number(offsetHour) < 24 && Number(offsetMinute) < 60;
}

function isDay(day: string): boolean {
  const instant = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(day);
}
