/**
 * Whether a worker trusts a repository: `all`, its address, or what the address begins with, up to a `/` or `:` of it.
 * Otherwise trust in "team" would be trust in "team-of-somebody-else".
 */
export function trustsRepository(trusted: readonly string[], repository: string): boolean {
  if (trusted.includes('all')) return true;
  // What leads out of a folder again is in none.
  if (repository.split(/[/\\:]/).includes('..')) return trusted.includes(repository);
  return trusted.some((each) => {
    if (each === '' || !repository.startsWith(each)) return false;
    return repository.length === each.length || /[/:]$/.test(each) || /^[/:]/.test(repository.slice(each.length));
  });
}
