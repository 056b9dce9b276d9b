import { expectTypeOf, test } from 'vitest';
import type * as z from 'zod';
import type { leafSchema } from './config/conditions.ts';
import type { LeafCondition, LoopConfig } from './config/loop-config.ts';
import type { LeafConditionInput, LoopConfigInput } from './config/loop-config-input.ts';
import type { configSchema } from './config/schema.ts';
import type { factCatalogue } from './facts/catalogue.ts';
import type { FactDataByType } from './facts/fact-data.ts';

// The compiler decides here: a type that differs from the schema's own fails the type check.

test('the types of a configuration are exactly what its schema gives and takes', () => {
  expectTypeOf<LoopConfig>().toEqualTypeOf<z.output<typeof configSchema>>();
  expectTypeOf<LoopConfigInput>().toEqualTypeOf<z.input<typeof configSchema>>();
  expectTypeOf<LeafCondition>().toEqualTypeOf<z.output<typeof leafSchema>>();
  expectTypeOf<LeafConditionInput>().toEqualTypeOf<z.input<typeof leafSchema>>();
});

test('the types of all facts are exactly what their schemas give', () => {
  type Catalogue = typeof factCatalogue;
  expectTypeOf<FactDataByType>().toEqualTypeOf<{
    -readonly [Type in keyof Catalogue]: z.output<Catalogue[Type]['data']>;
  }>();
});
