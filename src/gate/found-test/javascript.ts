import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Finder, parseObject, testCommand, textAt } from './test-command.ts';

/** The script that `npm init` writes where there is no test. */
const placeholder = /no test specified/;

/** A script that waits for changes and never ends. */
const neverEnds = /(?:^|\s)--watch(?:All)?(?:=true)?(?=\s|$)|(?:^|\s)nodemon\s/;
/** Runners that wait for changes unless `CI` is set. */
const endsOnlyInCi = /\breact-scripts\s+test\b(?!.*--watch(?:All)?=false)/;

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
  const script = textAt(manifest, 'scripts', 'test');
  if (script === undefined || script.trim() === '' || placeholder.test(script) || neverEnds.test(script)) {
    return undefined;
  }
  const manager = managerNamed(textAt(manifest, 'packageManager')) ?? managerOfLockFile(project.folder) ?? 'npm';
  // "bun test" is bun's own runner, not the script.
  const command = manager === 'bun' ? 'bun run test' : `${manager} test`;
  const stems = managers.flatMap((each) => [`${each} test`, `${each} run test`, `${each} t`]);
  const line = endsOnlyInCi.test(script) ? `CI=true ${command}` : command;
  return testCommand(line, 'package.json', { stems, program: manager });
};

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
