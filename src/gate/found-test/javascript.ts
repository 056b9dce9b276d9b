import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ProjectFolder } from './project-folder.ts';
import { type Finder, objectAt, parseObject, testCommand, textAt } from './test-command.ts';

/** The script that `npm init` writes where there is no test. */
const placeholder = /no test specified/;

/** A script that waits for changes and never ends. */
const neverEnds =
  /(?:^|\s)--watch(?:All)?(?:=true)?(?=\s|$)|(?:^|\s)nodemon\s|\bvitest\s+(?:watch|dev)\b|\b(?:vitest|mocha)\b.*\s-w(?=\s|$)/;
/** Runners that wait for changes unless `CI` is set. */
const endsOnlyInCi = /\breact-scripts\s+test\b(?!.*--watch(?:All)?=false)/;
/** Runners that wait for changes unless a flag says otherwise. */
const endsOnlyWithFlag = /\bng\s+test\b(?!.*--(?:watch=false|no-watch|single-run))/;

/** Scripts to run instead of a `test` script that proves nothing; the first that ends is taken. */
const otherScripts = ['test:ci', 'test:run', 'test:once', 'test:unit'];

const managers = ['npm', 'pnpm', 'yarn', 'bun'] as const;
type Manager = (typeof managers)[number];

const lockFiles: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** The test script of package.json, run by the package manager of the project. */
export const findPackageScript: Finder = (project) => {
  const manifest = parseObject(project.text('package.json'));
  const name = ['test', ...otherScripts].find((each) => scriptProblem(manifest, each) === undefined);
  if (name === undefined) return undefined;
  const script = textAt(manifest, 'scripts', name) ?? '';
  const manager = managerNamed(textAt(manifest, 'packageManager')) ?? managerOfLockFile(project.folder) ?? 'npm';
  const stems = managers.flatMap((each) => [`${each} test`, `${each} run test`, `${each} t`, `${each} run ${name}`]);
  const install = installFor(project, manifest, manager);
  return testCommand(scriptCommand(manager, name, script), 'package.json', {
    stems,
    program: manager,
    ...(install === undefined ? {} : { install }),
  });
};

/** Why package.json has no test script that can prove something; undefined without a package.json. */
export function whyNoScript(project: ProjectFolder): string | undefined {
  if (!project.has('package.json')) return undefined;
  const manifest = parseObject(project.text('package.json'));
  if (manifest === undefined) return 'package.json is not valid JSON';
  return scriptProblem(manifest, 'test');
}

function scriptProblem(manifest: unknown, name: string): string | undefined {
  const script = textAt(manifest, 'scripts', name)?.trim() ?? '';
  if (script === '') return `package.json has no "${name}" script`;
  if (placeholder.test(script)) return `the "${name}" script in package.json is only a placeholder`;
  if (neverEnds.test(script)) return `the "${name}" script in package.json waits for changes and never ends`;
  return undefined;
}

function scriptCommand(manager: Manager, name: string, script: string): string {
  // "bun test" is bun's own runner, not the script.
  const command = manager === 'bun' || name !== 'test' ? `${manager} run ${name}` : `${manager} test`;
  if (endsOnlyInCi.test(script)) return `CI=true ${command}`;
  if (!endsOnlyWithFlag.test(script)) return command;
  return manager === 'npm' ? `${command} -- --watch=false` : `${command} --watch=false`;
}

/** What installs the packages that the manifest asks for, where no installed ones are in reach. */
function installFor(project: ProjectFolder, manifest: unknown, manager: Manager): string | undefined {
  const isEmpty = ['dependencies', 'devDependencies'].every(
    (section) => Object.keys(objectAt(manifest, section) ?? {}).length === 0,
  );
  const places = ['node_modules', '.pnp.cjs', '.pnp.js'];
  const folders = foldersInRepository(project.folder);
  if (isEmpty || folders.some((folder) => places.some((name) => existsSync(path.join(folder, name))))) return undefined;
  if (manager !== 'npm') return `${manager} install`;
  return project.has('package-lock.json') || project.has('npm-shrinkwrap.json') ? 'npm ci' : 'npm install';
}

/** Deno's `test` task, or its test runner. */
export const findDeno: Finder = (project) => {
  const from = ['deno.json', 'deno.jsonc'].find(project.has);
  if (from === undefined) return undefined;
  const hasTask = textAt(parseObject(project.text(from)), 'tasks', 'test') !== undefined;
  const hasTests = hasTask || project.anyFile((file) => /(^|[_.])test\.(m?[jt]s|[jt]sx)$/.test(path.basename(file)));
  const stems = ['deno test', 'deno task test'];
  return testCommand(hasTask ? 'deno task test' : 'deno test', from, { stems, hasTests });
};

function managerNamed(field: string | undefined): Manager | undefined {
  return managers.find((manager) => field?.startsWith(`${manager}@`));
}

/** Searches next to the manifest and above it in the same repository: a workspace has its lock file at the root. */
function managerOfLockFile(folder: string): Manager | undefined {
  for (const place of foldersInRepository(folder)) {
    const lock = lockFiles.find(([name]) => existsSync(path.join(place, name)));
    if (lock !== undefined) return lock[1];
  }
  return undefined;
}

function foldersInRepository(folder: string): readonly string[] {
  const places: string[] = [];
  for (let place = folder; ; place = path.dirname(place)) {
    places.push(place);
    if (existsSync(path.join(place, '.git'))) return places;
    if (place === path.dirname(place)) return [folder];
  }
}
