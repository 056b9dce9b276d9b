/**
 * Replaces `{{NAME}}` with its value in one pass. Inserted values are not scanned again, so a value may contain
 * braces, dollar signs or another placeholder; a name without a value is left unchanged.
 */
export function substitute(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{([A-Z_]+)\}\}/gu, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  );
}
