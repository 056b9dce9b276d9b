import { findCargo, findCtest, findDotnet, findGo, findGradle, findMaven, findMix, findSwift } from './compiled.ts';
import { findDeno, findPackageScript } from './javascript.ts';
import { lookInto } from './project-folder.ts';
import { findPytest } from './python.ts';
import { findJust, findMake, findTask } from './runners.ts';
import { findPhp, findRake, findRspec } from './scripting.ts';
import type { Finder, TestCommand } from './test-command.ts';

/** In this order, which docs/gate.md lists: the first that is here is the project's test command. */
const finders: readonly Finder[] = [
  findPackageScript,
  findDeno,
  findCargo,
  findGo,
  findPytest,
  findMaven,
  findGradle,
  findMix,
  findRspec,
  findRake,
  findPhp,
  findDotnet,
  findSwift,
  findCtest,
  findJust,
  findMake,
  findTask,
];

/** The test command of the project in a folder. Nothing is run, and nothing above the folder is a project of its own. */
export function findTestCommand(folder: string): TestCommand | undefined {
  const project = lookInto(folder);
  for (const find of finders) {
    const found = find(project);
    if (found !== undefined) return found;
  }
  return undefined;
}
