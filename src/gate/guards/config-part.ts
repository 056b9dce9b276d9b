import path from 'node:path';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { filesAt } from './tree.ts';

/**
 * The part of a file that affects what a check runs: `pyproject.toml#pytest`. The rest, such as dependencies, is work.
 * Undefined for an unknown part, empty where the file lacks it.
 */
export function configPart(file: string, part: string): string | undefined {
  const extract = extractorFor(path.basename(file), part);
  if (extract === undefined) return undefined;
  return extract(readSmallFile(toRaw(file))?.toString('utf8') ?? '');
}

type Extractor = (text: string) => string;

function extractorFor(name: string, part: string): Extractor | undefined {
  if (/\.jsonc?$/.test(name)) return (text) => valueAt(text, part.split('.'));
  const lines = linePatterns[part]?.find(([names]) => names.test(name))?.[1];
  if (lines !== undefined) return (text) => matchingLines(text, lines);
  if (/\.(?:toml|cfg|ini)$/.test(name)) return (text) => sectionsOf(text, part);
  return undefined;
}

/** Lines that affect how scripts and tests run, by part and by file name. */
const linePatterns: Readonly<Record<string, readonly (readonly [RegExp, RegExp])[]>> = {
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

function matchingLines(text: string, pattern: RegExp): string {
  return text
    .split('\n')
    .filter((line) => pattern.test(line))
    .map((line) => line.trim())
    .join('\n');
}

/** The sections of a TOML or INI file that belong to a tool, and its keys: `[tool.pytest.ini_options]`. */
function sectionsOf(text: string, tool: string): string {
  const isOwn = new RegExp(String.raw`^(?:tool[.:])?${tool}(?:[.:-]|$)`);
  const own: string[] = [];
  let inside = false;
  let isToolTable = false;
  for (const line of text.split('\n')) {
    const bare = line.replaceAll(/["'\s]/g, '');
    const header = /^\[+([^\]]*)\]/.exec(bare)?.[1];
    if (header !== undefined) {
      inside = isOwn.test(header);
      isToolTable = header === 'tool';
    }
    const isKey = isToolTable ? bare.startsWith(tool) : bare.startsWith(`tool.${tool}`);
    if ((inside || isKey) && bare !== '') own.push(line.trimEnd());
  }
  return own.join('\n');
}

/** The value at a path of keys in a JSON document, which may contain comments. */
function valueAt(text: string, keys: readonly string[]): string {
  try {
    const value = keys.reduce<unknown>(
      (inside, key) => (typeof inside === 'object' && inside !== null ? Reflect.get(inside, key) : undefined),
      JSON.parse(withoutComments(text)),
    );
    return value === undefined ? '' : JSON.stringify(value);
  } catch {
    // A document that is malformed now may have been valid before: the result must differ from that.
    return text.trim() === '' ? '' : `unreadable ${text}`;
  }
}

function withoutComments(text: string): string {
  const bare = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_all, literal?: string) => literal ?? '');
  return bare.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_all, literal?: string) => literal ?? '');
}

const isConfig = /config|conf\.|rc(?:\.\w+)?$|\.opts$|phpunit|\.rspec|bunfig|angular\.json|#(?:jest|mocha|ava)$/;
const literals = /["'`>](?:<rootDir>\/)?([\w@./-]+)["'`<]/g;
/** Files that run before or around the tests; other names in a configuration are mostly the work. */
const isTestInfrastructure =
  /setup|teardown|global|environment|reporter|resolver|transform|preset|bootstrap|preload|config|runner/i;
const endings = ['', '.ts', '.js', '.mjs', '.cjs', '.mts', '.cts'];

/** The files that a runner loads before or around the tests because a configuration names them, as in `setupFiles`. */
export function namedInConfig(workFolder: string, config: string): readonly string[] {
  if (!isConfig.test(config)) return [];
  const [file = '', part] = config.split('#');
  const at = path.resolve(workFolder, file);
  const text = part === undefined ? readSmallFile(toRaw(at))?.toString('utf8') : configPart(at, part);
  const names = [...(text ?? '').matchAll(literals)]
    .map(([, name = '']) => name)
    .filter((name) => isTestInfrastructure.test(name));
  const places = names.flatMap((name) => endings.map((ending) => path.resolve(path.dirname(at), name + ending)));
  return places.flatMap((place) => filesAt(workFolder, place)).filter((found) => !found.includes('node_modules/'));
}
