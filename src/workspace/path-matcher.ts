import { parseGlobs } from './ignore-glob.ts';
import { isIgnored, parseIgnoreRules } from './ignore-rules.ts';
import { toRaw } from './raw-path.ts';

/** Tests paths, relative to the work folder, against patterns in the syntax of `.gitignore`. */
export function createPathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const rules = parseIgnoreRules(toRaw(patterns.join('\n')), '');
  return (path) => {
    const names = toRaw(path).split('/');
    return names.some((_name, index) => {
      const isFolder = index < names.length - 1;
      return isIgnored(names.slice(0, index + 1).join('/'), isFolder, rules);
    });
  };
}

/** The first pattern that is malformed and so matches nothing. */
export function malformedPattern(patterns: readonly string[]): string | undefined {
  return patterns.find((pattern) => parseGlobs(toRaw(pattern)) === undefined);
}
