import { execFile } from 'node:child_process';
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** The parts of dependency-cruiser's report that the check reads. */
export interface ImportReport {
  readonly modules: readonly {
    readonly source: string;
    readonly couldNotResolve?: boolean;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

/** What dependency-cruiser says about the imports of a product under the rules in its root. */
export async function readImports(root: string): Promise<ImportReport> {
  const args = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'src', 'web'];
  const bin = path.join(root, 'node_modules/.bin');
  const searchPath = [path.dirname(process.execPath), bin, process.env['PATH']].join(path.delimiter);
  const options = { cwd: root, env: { ...process.env, PATH: searchPath }, maxBuffer: 1 << 28 };
  const { stdout } = await promisify(execFile)('depcruise', args, options);
  return JSON.parse(stdout) as ImportReport;
}

/** The source files of a product, relative to its root. */
export async function sourcesOf(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const file of glob(['src/**/*.ts', 'web/**/*.{ts,tsx}'], { cwd: root })) files.push(file);
  return files;
}

/** What is wrong with the imports of these files, in a line each: broken rules, and all that the rules cannot see. */
export function findingsIn({ modules, summary }: ImportReport, files: readonly string[]): readonly string[] {
  const read = new Set(modules.filter((module) => !module.couldNotResolve).map(({ source }) => source));
  // Imports with a .ts ending have to lead somewhere: otherwise no rule could ever fire.
  const followed = modules
    .flatMap(({ dependencies }) => dependencies)
    .filter(({ resolved }) => resolved.startsWith('src/'));
  return [
    ...summary.violations.map(({ from, to, rule }) => `${from} → ${to}: ${rule.name}`),
    ...files.filter((file) => !read.has(file)).map((file) => `${file}: not read`),
    ...(followed.length > files.length / 2 ? [] : [`${files.length} files, and only ${followed.length} imports`]),
  ];
}
