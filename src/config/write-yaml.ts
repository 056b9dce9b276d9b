/** A setting as lines of YAML for a configuration file. */
export async function settingAsYaml(path: string, value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  const nested = path.split('.').reduceRight((inner, key) => ({ [key]: inner }), value);
  return stringify(nested, { lineWidth: 0 }).trimEnd();
}
