/**
 * Replaces `{{NAME}}` by its value in one pass. What is put in is never looked at again, so a value may hold
 * braces, dollar signs or another placeholder; a name without a value stays as it is.
 */
export function substitute(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{([A-Z_]+)\}\}/gu, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  );
}
