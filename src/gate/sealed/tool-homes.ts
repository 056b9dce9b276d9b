import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { CheckCommand } from '../../protocol/index.ts';

/** A folder or file outside the work tree that the checks may read. */
export interface SharedPlace {
  readonly source: string;
  /** Where the checks see it, if elsewhere. */
  readonly target?: string | undefined;
  /** New files may appear: downloads are stored by name and version, and never change. */
  readonly grows: boolean;
}

/** The files that one tool keeps in the user's home. */
interface ToolHome {
  /** Names of files or programs that indicate the tool. */
  readonly signs: RegExp;
  /** The variable that overrides the folder. */
  readonly variable?: string;
  readonly folder: string;
  readonly parts: readonly {
    readonly path: string;
    readonly grows?: true;
    /** Where the checks see it, relative to their home, and the variable that points the tool to it. */
    readonly as?: { readonly folder: string; readonly variable: string; readonly value: string };
  }[];
}

const whole = [{ path: '' }];
const python = /\.py$|^(?:python|pytest|pip|tox|uv|poetry)/;
const javascript = /^package\.json$|^(?:npm|npx|node|pnpm|yarn)$/;

/** Tools that keep code in the user's home: the checks see nothing else of it. */
const toolHomes: readonly ToolHome[] = [
  {
    signs: /^(?:Cargo\.toml|cargo)$/,
    variable: 'CARGO_HOME',
    folder: '.cargo',
    parts: [{ path: 'bin' }, { path: 'registry', grows: true }, { path: 'git', grows: true }],
  },
  {
    signs: /^(?:Cargo\.toml|cargo)$/,
    variable: 'RUSTUP_HOME',
    folder: '.rustup',
    parts: [{ path: 'toolchains' }, { path: 'settings.toml' }],
  },
  { signs: /^go(?:\.mod|\.work)?$/, variable: 'GOMODCACHE', folder: 'go/pkg/mod', parts: [{ path: '', grows: true }] },
  {
    signs: /^(?:pom\.xml|mvnw?)$/,
    folder: '.m2',
    parts: [
      { path: 'repository', grows: true },
      { path: 'wrapper', grows: true },
    ],
  },
  {
    signs: /^(?:(?:build|settings)\.gradle(?:\.kts)?|gradlew?)$/,
    variable: 'GRADLE_USER_HOME',
    folder: '.gradle',
    parts: [
      { path: 'wrapper', grows: true },
      {
        path: 'caches/modules-2',
        grows: true,
        as: { folder: '.gradle-downloads/modules-2', variable: 'GRADLE_RO_DEP_CACHE', value: '.gradle-downloads' },
      },
    ],
  },
  { signs: python, folder: '.local/lib', parts: whole },
  { signs: python, folder: '.local/share/uv', parts: [{ path: 'python' }, { path: 'tools' }] },
  { signs: python, variable: 'PYENV_ROOT', folder: '.pyenv', parts: whole },
  { signs: javascript, variable: 'COREPACK_HOME', folder: '.cache/node/corepack', parts: [{ path: '', grows: true }] },
  { signs: javascript, folder: '.cache/ms-playwright', parts: [{ path: '', grows: true }] },
  { signs: javascript, folder: '.cache/puppeteer', parts: [{ path: '', grows: true }] },
  { signs: javascript, folder: '.cache/Cypress', parts: [{ path: '', grows: true }] },
  { signs: /^(?:Gemfile|bundle|rspec|rake)$/, variable: 'GEM_HOME', folder: '.gem', parts: whole },
  { signs: /^(?:Gemfile|bundle|rspec|rake)$/, folder: '.local/share/gem', parts: whole },
  {
    signs: /^(?:composer\.json|composer|phpunit)$/,
    variable: 'COMPOSER_HOME',
    folder: '.config/composer',
    parts: whole,
  },
  { signs: /^(?:mix\.exs|mix)$/, variable: 'MIX_HOME', folder: '.mix', parts: whole },
  {
    signs: /\.(?:cs|fs|vb)proj$|^dotnet$/,
    variable: 'NUGET_PACKAGES',
    folder: '.nuget/packages',
    parts: [{ path: '', grows: true }],
  },
];

/** Folders of version managers: shared when the PATH leads into them. */
const versionManagers =
  `.nvm .volta .asdf .fnm .nodenv .rbenv .rvm .sdkman .bun .deno .dotnet .pyenv .local/share/mise .local/share/fnm
  .local/share/pnpm .local/share/pipx .local/pipx .local/share/uv`.split(/\s+/);

/** Settings of tools in the user's home; the checks get copies from the start of the loop. */
export const homeSettings: readonly string[] = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.gitconfig',
  '.config/git/config',
  '.config/pip/pip.conf',
  '.pip/pip.conf',
  '.pypirc',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.cargo/config.toml',
  '.cargo/config',
  '.cargo/credentials.toml',
  '.gradle/gradle.properties',
  '.gradle/init.gradle',
  '.config/go/env',
  '.bundle/config',
  '.gemrc',
  '.netrc',
  '.nuget/NuGet/NuGet.Config',
  '.config/composer/auth.json',
];

/** System folders, which an ordinary user cannot write to. */
const systemFolders = /^\/(?:bin|etc|lib|lib32|lib64|libx32|nix|opt|sbin|snap|sys|usr|var)(?:\/|$)/;

interface ShareRequest {
  readonly env: NodeJS.ProcessEnv;
  readonly top: string;
  readonly checks: readonly CheckCommand[];
  /** The names of the files of the work, without their folders. */
  readonly fileNames: ReadonlySet<string>;
  /** Further places that the user names, absolute. */
  readonly share: readonly string[];
}

/** Places outside the work tree, and the variables that point tools to them. */
export interface SharedPlaces {
  readonly places: readonly SharedPlace[];
  readonly variables: Readonly<Record<string, string>>;
}

/** What the checks may read outside the work tree and the system folders. */
export function sharedPlaces({ env, top, checks, fileNames, share }: ShareRequest): SharedPlaces {
  const home = env['HOME'];
  const words = new Set([...fileNames, ...checks.flatMap(wordsOf)]);
  const used = toolHomes.filter(({ signs }) => [...words].some((word) => signs.test(word)));
  const tools = home === undefined ? [] : used.flatMap((tool) => partsOf(tool, home, env));
  const named = checks.flatMap((check) => lineOf(check).match(/(?<=^|[\s='"(])\/[^\s'";|&<>()]+/g) ?? []);
  const single = [...named, ...share].map((source) => ({ source, grows: false }));
  const targets = checks.flatMap(wordsOf).flatMap((word) => linkedPlace(word, env) ?? []);
  const linked = targets.map((source) => ({ source, grows: false }));
  const places = [...tools, ...programPlaces(env, top, home), ...linked, ...single].filter(({ source }) =>
    isOutside(source, top),
  );
  const unique = [...new Map(places.map((place) => [place.source, place])).values()];
  const variables = Object.fromEntries(
    used.flatMap(({ parts }) =>
      parts.flatMap(({ as }) => (as && home ? [[as.variable, path.join(home, as.value)]] : [])),
    ),
  );
  return { places: withoutInner(unique), variables };
}

function partsOf({ variable, folder, parts }: ToolHome, home: string, env: NodeJS.ProcessEnv): readonly SharedPlace[] {
  const chosen = variable === undefined ? undefined : env[variable];
  const place = chosen && path.isAbsolute(chosen) ? chosen : path.join(home, folder);
  return parts.map(({ path: part, grows = false, as }) => ({
    source: path.join(place, part),
    ...(as === undefined ? {} : { target: path.join(home, as.folder) }),
    grows,
  }));
}

/** The folders of the PATH, with the libraries next to them. */
function programPlaces(
  { PATH = '' }: NodeJS.ProcessEnv,
  top: string,
  home: string | undefined,
): readonly SharedPlace[] {
  return PATH.split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => {
      const manager = versionManagers
        .map((each) => path.join(home ?? '/nonexistent', each))
        .find((each) => folder.startsWith(`${each}/`));
      if (manager !== undefined) return [manager];
      const prefix = path.dirname(folder);
      const isShared = prefix === home || `${top}/`.startsWith(`${prefix}/`);
      const beside = isShared || path.basename(folder) !== 'bin' ? [] : ['lib', 'libexec'];
      const tools = prefix === path.join(home ?? '/nonexistent', '.local') ? ['pipx', 'share/pipx'] : [];
      return [folder, ...[...beside, ...tools].map((name) => path.join(prefix, name))];
    })
    .map((source) => ({ source, grows: false }));
}

/** The real folder of a program that the PATH only links to, with the packages next to it. */
function linkedPlace(word: string, { PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  const found = PATH.split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, word))
    .find((file) => word !== '' && statSync(file, { throwIfNoEntry: false })?.isFile() === true);
  const real = found === undefined ? undefined : realpathSync(found);
  if (real === undefined || real === found) return undefined;
  return /^.*\/node_modules(?=\/)/.exec(real)?.[0] ?? path.dirname(real);
}

function isOutside(source: string, top: string): boolean {
  if (systemFolders.test(source) || source === '/' || !existsSync(source)) return false;
  const real = realpathSync(source);
  return real !== top && !real.startsWith(`${top}/`) && !top.startsWith(`${real}/`);
}

function withoutInner(places: readonly SharedPlace[]): readonly SharedPlace[] {
  return places.filter(
    (place) =>
      place.target !== undefined ||
      !places.some(
        (other) => other !== place && other.target === undefined && place.source.startsWith(`${other.source}/`),
      ),
  );
}

function lineOf(check: CheckCommand): string {
  return typeof check === 'string' ? check : check.join(' ');
}

function wordsOf(check: CheckCommand): readonly string[] {
  return lineOf(check)
    .split(/[\s;&|()'"]+/)
    .map((word) => path.basename(word));
}
