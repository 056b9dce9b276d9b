/** The settings of a bare repository of ours: `core` and `sections` are further lines of its file. */
export function bareSettings(
  algorithm: string,
  { core, sections = [] }: { readonly core: readonly string[]; readonly sections?: readonly string[] },
): string {
  const isOld = algorithm === 'sha1';
  return [
    '[core]',
    `repositoryFormatVersion = ${isOld ? 0 : 1}`,
    'bare = true',
    // No other user may read the work.
    'sharedRepository = 0600',
    'quotePath = false',
    ...core,
    ...sections,
    ...(isOld ? [] : ['[extensions]', `objectFormat = ${algorithm}`]),
    '',
  ].join('\n');
}
