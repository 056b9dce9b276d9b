import { hash } from 'node:crypto';
import path from 'node:path';
import type { RawPath } from '../../workspace/index.ts';

/** How one kind of project declares and installs its dependencies. */
interface Ecosystem {
  /** Folders with installed dependencies. */
  readonly folders: readonly string[];
  /** Files that decide what is installed; for a manifest, only a part of it. */
  readonly files: readonly { readonly name: RegExp; readonly part?: (text: string) => string }[];
  /** Install commands by the file that they need; the first match wins. */
  readonly setups: readonly { readonly file: RegExp; readonly besides?: RegExp; readonly command: string }[];
  /** Whether the folders are emptied before an installation. */
  readonly startsEmpty: boolean;
}

const sectionsOf = (names: RegExp) => (text: string) => {
  try {
    const manifest: unknown = JSON.parse(text);
    const entries = Object.entries(manifest as Record<string, unknown>).filter(([name]) => names.test(name));
    return JSON.stringify(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  } catch {
    return text;
  }
};

/** The tables of a TOML file that declare dependencies, and their list in `[project]`. */
function tomlDependencies(text: string): string {
  const tables = text.split(/^(?=\[)/m);
  const named = tables.filter((table) => /^\[+[^\]]*(?:dependenc|build-system|tool\.uv)/.test(table));
  const listed = tables
    .filter((table) => table.startsWith('[project]'))
    .flatMap((table) => table.match(/^(?:dependencies|requires-python)\s*=\s*(?:\[$[^]*?^\s*\]|.*)$/gm) ?? []);
  return [...named, ...listed].map((part) => part.trim()).join('\n');
}

const npmParts =
  /^(?:(?:dev|peer|optional|bundled?)?[dD]ependencies|overrides|resolutions|workspaces|packageManager|pnpm)$/;

/** Installs into the virtual environment of the snapshot, or into a new one. */
const pipInstall = `install='-m pip install --disable-pip-version-check -r requirements.txt'
for python in .venv/bin/python venv/bin/python; do [ -x "$python" ] && exec "$python" $install; done
python3 -m venv .venv && exec .venv/bin/python $install`;

const ecosystems: readonly Ecosystem[] = [
  {
    folders: ['node_modules', '.yarn/cache'],
    files: [
      { name: /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/ },
      { name: /^package\.json$/, part: sectionsOf(npmParts) },
    ],
    setups: [
      { file: /^pnpm-lock\.yaml$/, command: 'pnpm install --frozen-lockfile' },
      { file: /^yarn\.lock$/, besides: /^\.yarnrc\.yml$/, command: 'yarn install --immutable' },
      { file: /^yarn\.lock$/, command: 'yarn install --frozen-lockfile' },
      { file: /^bun\.lockb?$/, command: 'bun install --frozen-lockfile' },
      { file: /^(?:package-lock|npm-shrinkwrap)\.json$/, command: 'npm ci --no-audit --no-fund' },
      { file: /^package\.json$/, command: 'npm install --no-audit --no-fund --no-package-lock' },
    ],
    startsEmpty: true,
  },
  {
    folders: ['.venv', 'venv'],
    files: [
      { name: /^(?:requirements[^/]*\.txt|uv\.lock|poetry\.lock|Pipfile\.lock|pdm\.lock)$/ },
      { name: /^pyproject\.toml$/, part: tomlDependencies },
    ],
    setups: [
      { file: /^uv\.lock$/, command: 'uv sync --frozen' },
      { file: /^poetry\.lock$/, command: 'poetry install --no-interaction' },
      { file: /^Pipfile\.lock$/, command: 'pipenv sync --dev' },
      { file: /^requirements\.txt$/, command: pipInstall },
    ],
    startsEmpty: false,
  },
  {
    folders: ['vendor', '.bundle'],
    files: [{ name: /^(?:Gemfile|Gemfile\.lock)$/ }],
    setups: [{ file: /^Gemfile$/, command: 'bundle install' }],
    startsEmpty: false,
  },
  {
    folders: ['vendor'],
    files: [
      { name: /^composer\.lock$/ },
      { name: /^composer\.json$/, part: sectionsOf(/^(?:require|require-dev|repositories|conflict|replace)$/) },
    ],
    setups: [{ file: /^composer\.json$/, command: 'composer install --no-interaction' }],
    startsEmpty: true,
  },
  {
    folders: ['deps'],
    files: [{ name: /^mix\.lock$/ }],
    setups: [{ file: /^mix\.exs$/, command: 'mix deps.get' }],
    startsEmpty: false,
  },
];

/** The digests of the files that decide which packages are installed, by path. */
export type DependencyDigests = Readonly<Record<RawPath, string>>;

/** The digest of the dependencies that a file declares; undefined where it declares none. */
export function dependencyDigest(file: RawPath, bytes: Buffer): string | undefined {
  const name = path.posix.basename(file);
  const known = ecosystems.flatMap(({ files }) => files).find((each) => each.name.test(name));
  if (known === undefined) return undefined;
  return hash('sha256', known.part === undefined ? bytes : known.part(bytes.toString()));
}

interface DependencyState {
  readonly digests: DependencyDigests;
  /** Folders with installed dependencies, relative to the top. */
  readonly folders: readonly RawPath[];
}

/** Dependencies that must be installed again before the checks can run. */
export interface Reinstall {
  /** Relative to the top. */
  readonly folder: RawPath;
  /** Undefined where no command is known. */
  readonly command: string | undefined;
  /** The files that changed, or the folders that are new. */
  readonly causes: readonly RawPath[];
  /** Folders to empty first. */
  readonly emptied: readonly RawPath[];
}

/** The dependencies that changed since the loop began. `files` are all paths of the work. */
export function changedDependencies(
  before: DependencyState,
  now: DependencyState,
  files: readonly RawPath[],
): readonly Reinstall[] {
  return ecosystems.flatMap((ecosystem) => {
    const isOwn = (folder: RawPath) => ecosystem.folders.some((name) => `/${folder}`.endsWith(`/${name}`));
    const installed = before.folders.filter(isOwn);
    const fresh = now.folders.filter((folder) => isOwn(folder) && !before.folders.includes(folder));
    const changed = changedFiles(before.digests, now.digests).filter((file) =>
      ecosystem.files.some(({ name }) => name.test(path.posix.basename(file))),
    );
    const causes = installed.length === 0 && fresh.length === 0 ? [] : [...changed, ...fresh];
    const places = Map.groupBy(causes, (cause) => setupFolder(ecosystem, cause, files)?.folder ?? folderOf(cause));
    return [...places].map(([folder, because]) => ({
      folder,
      command: setupFolder(ecosystem, because[0] ?? '', files)?.command,
      causes: because,
      emptied: ecosystem.startsEmpty ? [...installed, ...fresh].filter((each) => isBelow(each, folder)) : [],
    }));
  });
}

function changedFiles(before: DependencyDigests, now: DependencyDigests): readonly RawPath[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((file) => before[file] !== now[file]);
}

/** The nearest folder at or above a file where an install command applies, and that command. */
function setupFolder({ setups }: Ecosystem, cause: RawPath, files: readonly RawPath[]) {
  const byFolder = Map.groupBy(files, folderOf);
  for (const { file, besides, command } of setups) {
    for (let folder = folderOf(cause); ; folder = folderOf(folder)) {
      const names = (byFolder.get(folder) ?? []).map((each) => path.posix.basename(each));
      const matches =
        names.some((name) => file.test(name)) && (besides === undefined || names.some((name) => besides.test(name)));
      if (matches) return { folder, command };
      if (folder === '') break;
    }
  }
  return undefined;
}

function folderOf(file: RawPath): RawPath {
  return file.includes('/') ? path.posix.dirname(file) : '';
}

function isBelow(file: RawPath, folder: RawPath): boolean {
  return folder === '' || file.startsWith(`${folder}/`);
}
