import { findCargo, findCtest, findDotnet, findGo, findGradle, findMaven, findMix, findSwift } from './compiled.ts';
import { findDeno, findPackageScript } from './javascript.ts';
import { openProject } from './project-folder.ts';
import { findPytest } from './python.ts';
import { findJust, findMake, findTask } from './runners.ts';
import { findPhp, findRake, findRspec } from './scripting.ts';
import type { Finder, TestCommand } from './test-command.ts';

/** The first that finds something decides; docs/gate.md lists this order. */
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

/** The test command of the project in a folder. Runs nothing, and ignores projects above the folder. */
export function findTestCommand(folder: string): TestCommand | undefined {
  const project = openProject(folder);
  for (const find of finders) {
    const found = find(project);
    if (found !== undefined) return found;
  }
  return undefined;
}
