import type { ProjectFolder } from './project-folder.ts';
import { type Finder, testCommand } from './test-command.ts';

/** The recipe `test` of a justfile. */
export const findJust: Finder = (project) => {
  const from = withTarget(project, ['justfile', 'Justfile', '.justfile'], /^@?test(?=[ \t:])[^\n]*:(?!=)/m);
  return from === undefined ? undefined : testCommand('just test', from);
};

/** Why the target `test` of a makefile proves nothing; undefined without such a target. */
export function whyNoTarget(project: ProjectFolder): string | undefined {
  const from = makefileOf(project);
  if (from === undefined || !isUpToDate(project, from)) return undefined;
  return `make takes "test" in ${from} for done, because a file or folder has that name: add ".PHONY: test"`;
}

/** The target `test` of a makefile. */
export const findMake: Finder = (project) => {
  const from = makefileOf(project);
  return from === undefined || isUpToDate(project, from) ? undefined : testCommand('make test', from);
};

/** The makefile with a target `test`; make searches the names in this order. */
function makefileOf(project: ProjectFolder): string | undefined {
  return withTarget(
    project,
    ['GNUmakefile', 'makefile', 'Makefile'],
    /^(?:[\w.-]+[ \t]+)*test(?:[ \t]+[\w.-]+)*[ \t]*(?::(?![:=])|::(?!=))/m,
  );
}

/** Next to a file or folder named `test`, make considers the target up to date, unless it is declared phony. */
function isUpToDate(project: ProjectFolder, makefile: string): boolean {
  const phony = /^\.PHONY[ \t]*:(?:.*\\\n)*.*(?:\btest(?![\w.-])|\$)/m;
  return project.has('test') && !phony.test(project.text(makefile) ?? '');
}

/** The task `test` of a Taskfile. */
export const findTask: Finder = (project) => {
  const names = ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'];
  const from = withTarget(project, names, /^tasks:[^]*?^ +["']?test["']?:/m);
  return from === undefined ? undefined : testCommand('task test', from);
};

function withTarget(project: ProjectFolder, names: readonly string[], target: RegExp): string | undefined {
  const from = names.find(project.has);
  return from !== undefined && target.test(project.text(from) ?? '') ? from : undefined;
}
