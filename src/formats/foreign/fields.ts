import { failures, LoopError } from '../../base/index.ts';
import type { FieldMapping } from './foreign-loop.ts';

/** A mapping of a document. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Whether a value is a mapping. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the fields of a foreign document and remembers which of them were used, and for what. A field that is missing
 * or null has no value; one of another type makes the document a damaged one.
 */
export class Fields {
  readonly mapped: FieldMapping[];
  readonly #values: Mapping;
  readonly #document: string;
  readonly #prefix: string;
  readonly #used = new Set<string>();
  readonly #groups: Fields[] = [];

  constructor(
    values: Mapping,
    document: string,
    parent?: { readonly prefix: string; readonly mapped: FieldMapping[] },
  ) {
    this.#values = values;
    this.#document = document;
    this.#prefix = parent?.prefix ?? '';
    this.mapped = parent?.mapped ?? [];
  }

  text(name: string, to: string): string | undefined {
    return this.#take(name, to, { wanted: 'a text', is: (value) => typeof value === 'string' });
  }

  flag(name: string, to: string): boolean | undefined {
    return this.#take(name, to, { wanted: 'true or false', is: (value) => typeof value === 'boolean' });
  }

  whole(name: string, to: string): number | undefined {
    return this.#take(name, to, {
      wanted: 'a whole number from 0',
      is: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    });
  }

  amount(name: string, to: string): number | undefined {
    return this.#take(name, to, {
      wanted: 'a number from 0',
      is: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    });
  }

  /** An instant, written as text or as milliseconds, in UTC. */
  instant(name: string, to: string): string | undefined {
    const found = this.#take<string | number>(name, to, {
      wanted: 'an instant such as 2026-02-02T21:00:00Z',
      is: (value) => toInstant(value) !== undefined,
    });
    return toInstant(found);
  }

  /** Texts; a single one is a list of one. */
  texts(name: string, to: string): readonly string[] {
    const found = this.#take<string | readonly string[]>(name, to, {
      wanted: 'a list of texts',
      is: (value) =>
        typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string')),
    });
    if (found === undefined || found === '') return [];
    return typeof found === 'string' ? [found] : found;
  }

  mappings(name: string, to: string): readonly Mapping[] {
    const wanted = {
      wanted: 'a list of mappings',
      is: (value: unknown) => Array.isArray(value) && value.every(isMapping),
    };
    return this.#take<readonly Mapping[]>(name, to, wanted) ?? [];
  }

  /** The fields of a mapping inside; the mapping itself needs no other use. */
  group(name: string): Fields {
    this.#used.add(name);
    const value = this.#values[name] ?? {};
    if (!isMapping(value)) throw this.damage(`"${this.#prefix}${name}" must be a mapping`);
    const group = new Fields(value, this.#document, { prefix: `${this.#prefix}${name}.`, mapped: this.mapped });
    this.#groups.push(group);
    return group;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== null;
  }

  /** The fields that nobody asked for. */
  get kept(): readonly string[] {
    const own = Object.keys(this.#values).filter((name) => !this.#used.has(name) && this.#values[name] !== null);
    return [...own.map((name) => `${this.#prefix}${name}`), ...this.#groups.flatMap((group) => group.kept)];
  }

  damage(why: string): LoopError {
    return new LoopError(failures.documentDamaged(this.#document, why));
  }

  #take<Value>(
    name: string,
    to: string,
    { wanted, is }: { readonly wanted: string; readonly is: (value: unknown) => boolean },
  ): Value | undefined {
    this.#used.add(name);
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    if (value === undefined || value === null) return undefined;
    if (!is(value)) throw this.damage(`"${this.#prefix}${name}" must be ${wanted}`);
    this.mapped.push({ from: `${this.#prefix}${name}`, to });
    return value as Value;
  }
}

function toInstant(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
