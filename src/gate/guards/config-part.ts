import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';

/**
 * The part of a file that affects what a check runs: `pyproject.toml#pytest`. The rest, such as dependencies,
 * is work. Nothing for a name that is no part, an empty text where the part is missing.
 */
export function configPart(file: string, part: string): string | undefined {
  const take = takerFor(path.basename(file), part);
  if (take === undefined) return undefined;
  return take(readSmallFile(toRaw(file))?.toString('utf8') ?? '');
}

type Taker = (text: string) => string;

function takerFor(name: string, part: string): Taker | undefined {
  if (/\.jsonc?$/.test(name)) return (text) => valueAt(text, part.split('.'));
  const lines = linesOf[part]?.find(([names]) => names.test(name))?.[1];
  if (lines !== undefined) return (text) => linesLike(text, lines);
  if (/\.(?:toml|cfg|ini)$/.test(name)) return (text) => sectionsOf(text, part);
  return undefined;
}

/** Lines that say how scripts and tests are run, by the kind of file. */
const linesOf: Readonly<Record<string, readonly (readonly [RegExp, RegExp])[]>> = {
  scripts: [
    [
      /^(?:\.npmrc|rc)$/,
      /^\s*["']?(?:script-shell|shell|shell-emulator|node-options|ignore-scripts|if-present|workspaces?|include-workspace-root|enable-pre-post-scripts|prefix|use-node-version|userconfig|globalconfig)\b/,
    ],
    [
      /^pnpm-workspace\.yaml$/,
      /scriptShell|shellEmulator|nodeOptions|ignoreScripts|enablePrePostScripts|useNodeVersion/,
    ],
    [
      /^\.yarnrc(?:\.yml)?$/,
      /yarn-?path|plugins|\b(?:path|spec):|injectEnvironmentFiles|enableScripts|script-shell|^--/i,
    ],
  ],
  commands: [
    [
      /^(?:config|\.gitconfig)$/,
      /hooksPath|fsmonitor|sshCommand|pager|textconv|external|\bcommand\b|smudge|clean|process|insteadOf|^\s*\[(?:alias|filter|include)|=\s*["']?!/i,
    ],
  ],
  interpreter: [[/^pyvenv\.cfg$/, /^\s*(?:home|executable|include-system-site-packages|base-\w+)\s*=/]],
  flags: [[/^env$/, /^GO(?:FLAGS|ROOT|TOOLCHAIN)\b/]],
  runner: [[/^config(?:\.toml)?$/, /runner|wrapper/]],
  replace: [[/^go\.mod$/, /=>|^\s*(?:replace|toolchain|godebug|tool)\b/]],
  tests: [
    [
      /^Cargo\.toml$/,
      /^\s*(?:"?(?:autotests|harness|test|doctest|members|exclude|default-members)"?\s*=|\[\[test\]\])/,
    ],
    [
      /^pom\.xml$/,
      /skip|surefire|failsafe|testFailureIgnore|<(?:exclude|include|test|groups|excludedGroups|argLine)\b/i,
    ],
    [
      /^build\.gradle(?:\.kts)?$/,
      /\btests?\b(?!\w*(?:Implementation|RuntimeOnly|CompileOnly))|Test\b|exclude|filter|ignoreFailures|onlyIf|enabled|useJUnit|tasks\./,
    ],
    [/^mix\.exs$/, /test|alias/],
    [/^Package\.swift$/, /testTarget|exclude/],
    [/^CMakeLists\.txt$/, /add_test|enable_testing|set_tests_properties|gtest_discover|WILL_FAIL|DISABLED/i],
  ],
};

function linesLike(text: string, wanted: RegExp): string {
  return text
    .split('\n')
    .filter((line) => wanted.test(line))
    .map((line) => line.trim())
    .join('\n');
}

/** The sections of a TOML or INI file that belong to a tool, and keys that name it: `[tool.pytest.ini_options]`. */
function sectionsOf(text: string, tool: string): string {
  const isOwn = new RegExp(String.raw`^(?:tool[.:])?${tool}(?:[.:-]|$)`);
  const own: string[] = [];
  let inside = false;
  let isTools = false;
  for (const line of text.split('\n')) {
    const bare = line.replaceAll(/["'\s]/g, '');
    const header = /^\[+([^\]]*)\]/.exec(bare)?.[1];
    if (header !== undefined) {
      inside = isOwn.test(header);
      isTools = header === 'tool';
    }
    const isKey = isTools ? bare.startsWith(tool) : bare.startsWith(`tool.${tool}`);
    if ((inside || isKey) && bare !== '') own.push(line.trimEnd());
  }
  return own.join('\n');
}

/** The value at a path of keys of a JSON document, which may have comments. */
function valueAt(text: string, keys: readonly string[]): string {
  try {
    const value = keys.reduce<unknown>(
      (inside, key) => (typeof inside === 'object' && inside !== null ? Reflect.get(inside, key) : undefined),
      JSON.parse(withoutComments(text)),
    );
    return value === undefined ? '' : JSON.stringify(value);
  } catch {
    // What cannot be read now may have been readable before: then it is not what it was.
    return text.trim() === '' ? '' : `unreadable ${text}`;
  }
}

function withoutComments(text: string): string {
  const bare = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_all, literal?: string) => literal ?? '');
  return bare.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_all, literal?: string) => literal ?? '');
}
