import path from 'node:path';
import { findTestCommand } from './find.ts';
import { openProject } from './project-folder.ts';
import type { TestCommand } from './test-command.ts';

/** The tests of a project inside another. */
export interface TestsBelow {
  /** Relative to the outer project. */
  readonly folder: string;
  readonly test: TestCommand;
}

const maxProjects = 10;
const maxFolders = 100;
const skipped = /^(?:\..*|node_modules|vendor|target|build|dist|out|venv|deps|docs|examples?|fixtures|tests?)$/u;
/** A folder whose name can stand in a line of a file, and is no flag of `cd`. */
const plainName = /^[^\p{Cc}-][^\p{Cc}]*$/u;

/**
 * The tests of projects one or two levels below a folder, such as the packages of a monorepo, up to a number, and how
 * many there are in all. Runs nothing.
 */
export function findTestsBelow(folder: string): { readonly tests: readonly TestsBelow[]; readonly count: number } {
  const found: TestsBelow[] = [];
  for (const name of foldersIn(folder)) {
    const outer = testsIn(folder, name);
    found.push(...(outer.length > 0 ? outer : foldersIn(path.join(folder, name)).flatMap(testsInside(folder, name))));
  }
  return { tests: found.slice(0, maxProjects), count: found.length };
}

function testsInside(top: string, outer: string): (name: string) => readonly TestsBelow[] {
  return (name) => testsIn(top, `${outer}/${name}`);
}

function testsIn(top: string, folder: string): readonly TestsBelow[] {
  const test = findTestCommand(path.join(top, folder));
  return test?.hasTests === true ? [{ folder, test }] : [];
}

function foldersIn(folder: string): readonly string[] {
  const { names } = openProject(folder);
  return names.filter((name) => plainName.test(name) && !skipped.test(name)).slice(0, maxFolders);
}
