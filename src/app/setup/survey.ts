import path from 'node:path';
import { streamingAgents } from '../../agents/index.ts';
import { LoopError, shellWord } from '../../base/index.ts';
import { lookInProject, nodeFiles } from '../../files/index.ts';
import { findTestCommand, findTestsBelow, type TestCommand, whyNoTestCommand } from '../../gate/index.ts';
import { findExecutable, findUnusable } from '../../process/index.ts';
import { defaultPlaces, type LoopConfig } from '../../protocol/index.ts';
import { foreignLoops } from '../../store/index.ts';
import { type AppContext, programOf } from '../agent-programs.ts';
import { assertNotForeign } from '../registry.ts';
import { type FoundTask, findTask } from './find-task.ts';
import { findToolTraces, type ToolTrace } from './other-tools.ts';
import { existingFile } from './write-starter-file.ts';

/** A command that runs tests of the project. */
export interface FoundTests {
  readonly command: string;
  readonly from: string;
  readonly program: string;
  readonly hasTests: boolean;
  readonly isInstalled: boolean;
  /** What installs the packages that it needs, if they are not installed. */
  readonly install?: string;
}

/** What a project and this machine offer for a loop. */
export interface ProjectSurvey {
  readonly folder: string;
  /** The installed agents, in order of preference. */
  readonly agents: readonly string[];
  /** Programs of agents that are there but cannot be executed. */
  readonly unusableAgents: readonly string[];
  /** The project's own tests; if it has none, those of the projects inside it. */
  readonly tests: readonly FoundTests[];
  /** How many projects inside have tests that are not listed. */
  readonly moreTests: number;
  /** Why there are no tests, where a file shows it. */
  readonly whyNoTests?: string;
  readonly task?: FoundTask;
  readonly git: 'repository' | 'no repository' | 'not installed';
  /** The configuration of a project above this folder, relative to it; it does not apply here. */
  readonly configAbove?: string;
  /** What other tools for loops left here. */
  readonly otherTools: readonly ToolTrace[];
  /** Whether another program keeps its files in the default state folder. */
  readonly isStateTaken: boolean;
}

/** Surveys a project. Starts nothing and changes nothing. */
export function surveyProject(config: LoopConfig, { cwd: folder, env }: AppContext): ProjectSurvey {
  const isInstalled = (program: string, cwd: string) =>
    findExecutable(program, { PATH: env['PATH'], cwd }) !== undefined;
  const agents = streamingAgents.filter((adapter) => isInstalled(programOf(adapter, config, env) ?? '', folder));
  const task = findTask(folder);
  const configAbove = findConfigAbove(folder);
  return {
    folder,
    agents: agents.map(({ name }) => name),
    unusableAgents: streamingAgents
      .filter((adapter) => !agents.includes(adapter))
      .flatMap((adapter) => {
        const found = findUnusable(programOf(adapter, config, env) ?? '', { PATH: env['PATH'], cwd: folder });
        return found === undefined ? [] : [found.path];
      }),
    ...testsIn(folder, isInstalled),
    ...(task === undefined ? {} : { task }),
    git: isInRepository(folder) ? (isInstalled('git', '/') ? 'repository' : 'not installed') : 'no repository',
    ...(configAbove === undefined ? {} : { configAbove }),
    otherTools: findToolTraces(folder),
    isStateTaken: isStateTaken(folder),
  };
}

type IsInstalled = (program: string, cwd: string) => boolean;

function testsIn(folder: string, isInstalled: IsInstalled): Pick<ProjectSurvey, 'tests' | 'moreTests' | 'whyNoTests'> {
  const own = findTestCommand(folder);
  if (own !== undefined) return { tests: [asFound(own, isInstalled(own.program, folder))], moreTests: 0 };
  const { tests, count } = findTestsBelow(folder);
  if (count === 0) {
    const whyNoTests = whyNoTestCommand(folder);
    return { tests: [], moreTests: 0, ...(whyNoTests === undefined ? {} : { whyNoTests }) };
  }
  return {
    tests: tests.map(({ folder: inner, test }) =>
      inside(inner, test, isInstalled(test.program, path.join(folder, inner))),
    ),
    moreTests: count - tests.length,
  };
}

function inside(folder: string, test: TestCommand, isInstalled: boolean): FoundTests {
  const word = /^[\w./-]+$/u.test(folder) ? folder : shellWord(folder);
  const { install, ...found } = asFound(test, isInstalled);
  return {
    ...found,
    command: `cd ${word} && ${test.command}`,
    from: `${folder}/${test.from}`,
    ...(install === undefined ? {} : { install: `(cd ${word} && ${install})` }),
  };
}

function asFound({ command, from, program, hasTests, install }: TestCommand, isInstalled: boolean): FoundTests {
  return { command, from, program, hasTests, isInstalled, ...(install === undefined ? {} : { install }) };
}

/** Searched up to the top of the repository. */
function findConfigAbove(folder: string): string | undefined {
  for (let place = folder; place !== path.dirname(place); place = path.dirname(place)) {
    if (lookInProject(nodeFiles, path.join(place, '.git')) !== undefined) return undefined;
    const above = path.dirname(place);
    const name = existingFile(above);
    if (name !== undefined) return path.relative(folder, path.join(above, name));
  }
  return undefined;
}

function isInRepository(folder: string): boolean {
  for (let place = folder; ; place = path.dirname(place)) {
    if (lookInProject(nodeFiles, path.join(place, '.git')) !== undefined) return true;
    if (place === path.dirname(place)) return false;
  }
}

/** Names that ralphd itself puts into a state folder, and what its lock leaves beside the registry. */
const ownNames = /^(?:\.gitignore|loops|registry\.json.*|registry\.lock.*)$/u;

function isStateTaken(folder: string): boolean {
  const root = path.join(folder, defaultPlaces.stateDir);
  const found = lookInProject(nodeFiles, root);
  if (found?.kind !== 'folder') return found !== undefined;
  try {
    assertNotForeign({ root, workingDirectory: folder });
    const { ours } = foreignLoops({ files: nodeFiles, root });
    return ours === 0 && nodeFiles.list(root).some((name) => !ownNames.test(name));
  } catch (error) {
    if (error instanceof LoopError) return true;
    throw error;
  }
}
