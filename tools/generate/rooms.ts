import { existsSync } from 'node:fs';
import path from 'node:path';
import type * as z from 'zod';

/** One fact as the protocol documents it. */
export interface FactEntry {
  readonly summary: string;
  readonly event?: string;
  readonly data: z.ZodType;
}

interface Protocol {
  readonly configJsonSchema?: () => unknown;
  readonly factCatalogue?: Readonly<Record<string, FactEntry>>;
}

/** What the protocol room offers, as far as it exists. */
export async function loadProtocol(): Promise<Protocol> {
  const file = path.resolve(import.meta.dirname, '../../src/protocol/index.ts');
  return existsSync(file) ? ((await import(file)) as Protocol) : {};
}
