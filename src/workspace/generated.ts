import { parseIgnoreRules } from './ignore-rules.ts';
import { join, type RawPath } from './raw-path.ts';
import { readSmallFile } from './small-file.ts';

/** Where version control keeps its own data: never work, whatever the rules say. */
export const VERSION_CONTROL = new Set(['.git', '.hg', '.svn', '.jj', 'CVS']);

/**
 * What only tools write, for trees whose owner never had to say so. They are the weakest rules: a `.gitignore` with
 * `!node_modules/` counts it after all. `dist`, `build`, `out` and `target` are not here, because people write there too.
 */
export const GENERATED = parseIgnoreRules(
  [
    'node_modules/',
    '.venv/',
    '__pycache__/',
    '.tox/',
    '.nox/',
    '.mypy_cache/',
    '.pytest_cache/',
    '.ruff_cache/',
    '.gradle/',
    '.terraform/',
    '.DS_Store',
  ].join('\n'),
  '',
);

const CACHE_TAG = 'CACHEDIR.TAG';
const CACHE_SIGNATURE = Buffer.from('Signature: 8a477f597d28d172789f06886806bc55');
const VIRTUAL_ENVIRONMENT = 'pyvenv.cfg';

/** Whether a folder says of itself that a tool made it: a cache (as Cargo marks its target), a Python environment. */
export function isMadeByTool(folder: RawPath, names: ReadonlySet<string>): boolean {
  if (names.has(VIRTUAL_ENVIRONMENT)) return true;
  if (!names.has(CACHE_TAG)) return false;
  return readSmallFile(join(folder, CACHE_TAG), CACHE_SIGNATURE.length)?.equals(CACHE_SIGNATURE) ?? false;
}
