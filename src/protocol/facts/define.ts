import type * as z from 'zod';

/** One kind of fact: what it means, and the shape of its data. */
export interface FactDefinition<Data extends z.ZodType = z.ZodType> {
  /** One sentence for the reference page. */
  readonly summary: string;
  /** The name this state change has in the loop runner's event list, where it has one. */
  readonly event?: string;
  /** The snapshot is updated after it: the status changed, or something long began, so that writing costs no time. */
  readonly saves: boolean;
  /** Fields, at any depth, that identify the loop or that it needs to continue: never redacted. */
  readonly operative: readonly string[];
  readonly data: Data;
}

/** A definition as it is written: the shape is made when a fact of this kind is first read, which few programs do for most kinds. */
type Written<Data extends z.ZodType> = Omit<FactDefinition<Data>, 'data'> & { readonly data: () => Data };

/** Preserves the type of the data while checking the rest. */
export function defineFact<Data extends z.ZodType>({ data, ...rest }: Written<Data>): FactDefinition<Data> {
  let made: Data | undefined;
  return {
    ...rest,
    get data() {
      return (made ??= data());
    },
  };
}
