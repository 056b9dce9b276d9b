import { findCargo, findCtest, findDotnet, findGo, findGradle, findMaven, findMix, findSwift } from './compiled.ts';
import { findDeno, findPackageScript, whyNoScript } from './javascript.ts';
import { openProject } from './project-folder.ts';
import { findPytest, findUnittest } from './python.ts';
import { findJust, findMake, findTask, whyNoTarget } from './runners.ts';
import { findPhp, findRake, findRspec } from './scripting.ts';
import type { Finder, TestCommand } from './test-command.ts';

/** The first that finds something decides; docs/gate.md lists this order. */
const finders: readonly Finder[] = [
  findPackageScript,
  findDeno,
  findCargo,
  findGo,
  findPytest,
  findUnittest,
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

/** Why a project without a test command has none, where a file shows it: a phrase that goes on after a colon. */
export function whyNoTestCommand(folder: string): string | undefined {
  const project = openProject(folder);
  return whyNoTarget(project) ?? whyNoScript(project);
}
