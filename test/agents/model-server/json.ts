/** A JSON object of unknown shape. */
export type Json = Readonly<Record<string, unknown>>;

/** The value as an object; empty if it is not one. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** The value as a list of objects; empty if it is not a list. */
export function objectsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** The value as text; empty if it is not text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text of a message, which is a string or a list of blocks with text. */
export function spokenText(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map((block) => textOf(block['text']))
    .filter((text) => text !== '')
    .join('\n');
}
