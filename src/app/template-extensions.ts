import { setTimeout as pause } from 'node:timers/promises';
import { failures, LoopError } from '../base/index.ts';
import { type TemplateHelper, type TemplateValue, toTemplateValue } from '../core/index.ts';
import { builtInVariables, isVariableName } from '../protocol/index.ts';

/** Functions of a program that the templates of its prompts can use. */
export interface TemplateExtensions {
  /** Helpers by name; those of every template cannot be replaced. */
  readonly helpers?: Readonly<Record<string, TemplateHelper>>;
  /** Values of variables by name, asked for before each prompt: texts, numbers, true, false, lists and mappings. */
  readonly variables?: Readonly<Record<string, () => unknown>>;
}

const maxValueLength = 1024 * 1024;
const maxProviderMs = 10_000;

/** Asks every provider for its value. */
export async function provideValues({ variables = {} }: TemplateExtensions): Promise<Record<string, TemplateValue>> {
  const entries = Object.entries(variables).map(
    async ([name, provide]) => [name, await provided(name, provide)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

async function provided(name: string, provide: () => unknown): Promise<TemplateValue> {
  const isReserved = (builtInVariables as readonly string[]).includes(name);
  if (!isVariableName(name) || isReserved) throw failed(name, 'its name cannot be that of a variable');
  const done = new AbortController();
  const late = pause(maxProviderMs, 'late' as const, { signal: done.signal, ref: false }).catch(() => 'late' as const);
  try {
    const value = await Promise.race([Promise.resolve().then(provide).then(toChecked), late]);
    if (value === 'late') throw new Error('it took longer than 10s');
    return value.value;
  } catch (error) {
    throw failed(name, error instanceof Error ? error.message : String(error));
  } finally {
    done.abort();
  }
}

function toChecked(given: unknown): { readonly value: TemplateValue } {
  const value = toTemplateValue(given);
  const length = typeof value === 'object' ? JSON.stringify(value).length : String(value).length;
  if (length > maxValueLength) throw new Error(`its value has more than ${maxValueLength} characters`);
  return { value };
}

function failed(name: string, why: string): LoopError {
  return new LoopError(failures.promptProviderFailed(name, why));
}
