import { parseIgnoreRules } from './ignore-rules.ts';
import { join, type RawPath } from './raw-path.ts';
import { readSmallFile } from './small-file.ts';

/** Folders in which version control keeps its data: never work, whatever the ignore rules say. */
export const versionControlFolders = new Set(['.git', '.hg', '.svn', '.jj', 'CVS']);

/**
 * Ignore rules for what only tools write, for trees without their own `.gitignore`. They are the weakest rules:
 * `!node_modules/` in a `.gitignore` overrides them. `dist`, `build`, `out` and `target` are missing because people
 * write there too.
 */
export const generatedRules = parseIgnoreRules(
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

const cacheTag = 'CACHEDIR.TAG';
const cacheSignature = Buffer.from('Signature: 8a477f597d28d172789f06886806bc55');
const pythonEnvironment = 'pyvenv.cfg';

/** Whether a folder is marked as made by a tool: a cache (Cargo marks `target` so) or a Python environment. */
export function isMadeByTool(folder: RawPath, names: ReadonlySet<string>): boolean {
  if (names.has(pythonEnvironment)) return true;
  if (!names.has(cacheTag)) return false;
  return readSmallFile(join(folder, cacheTag), cacheSignature.length)?.equals(cacheSignature) ?? false;
}
