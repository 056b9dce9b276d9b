import path from 'node:path';
import { streamingAgents } from '../../agents/index.ts';
import { LoopError } from '../../base/index.ts';
import { look, nodeFiles } from '../../files/index.ts';
import { findTestCommand, findTestsBelow, type TestCommand } from '../../gate/index.ts';
import { findExecutable } from '../../process/index.ts';
import { defaultPlaces, type LoopConfig } from '../../protocol/index.ts';
import { foreignLoops } from '../../store/index.ts';
import { type AppContext, programOf } from '../agent-programs.ts';
import { assertNotForeign } from '../registry.ts';
import { type FoundTask, findTask } from './find-task.ts';
import { findToolTraces, type ToolTrace } from './other-tools.ts';

/** A command that runs tests of the project. */
export interface FoundTests {
  readonly command: string;
  readonly from: string;
  readonly program: string;
  readonly hasTests: boolean;
  readonly isInstalled: boolean;
}

/** What a project and this machine offer for a loop. */
export interface ProjectSurvey {
  readonly folder: string;
  /** The installed agents, in order of preference. */
  readonly agents: readonly string[];
  /** The project's own tests; if it has none, those of the projects inside it. */
  readonly tests: readonly FoundTests[];
  readonly task?: FoundTask;
  readonly git: 'repository' | 'no repository' | 'not installed';
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
  return {
    folder,
    agents: agents.map(({ name }) => name),
    tests: testsIn(folder, isInstalled),
    ...(task === undefined ? {} : { task }),
    git: isInRepository(folder) ? (isInstalled('git', '/') ? 'repository' : 'not installed') : 'no repository',
    otherTools: findToolTraces(folder),
    isStateTaken: isStateTaken(folder),
  };
}

type IsInstalled = (program: string, cwd: string) => boolean;

function testsIn(folder: string, isInstalled: IsInstalled): readonly FoundTests[] {
  const own = findTestCommand(folder);
  if (own !== undefined) return [asFound(own, own.command, isInstalled(own.program, folder))];
  return findTestsBelow(folder).map(({ folder: inner, test }) => ({
    ...asFound(test, `cd ${inner} && ${test.command}`, isInstalled(test.program, path.join(folder, inner))),
    from: `${inner}/${test.from}`,
  }));
}

function asFound({ from, program, hasTests }: TestCommand, command: string, isInstalled: boolean): FoundTests {
  return { command, from, program, hasTests, isInstalled };
}

function isInRepository(folder: string): boolean {
  for (let place = folder; ; place = path.dirname(place)) {
    if (look(nodeFiles, path.join(place, '.git')) !== undefined) return true;
    if (place === path.dirname(place)) return false;
  }
}

/** Names that ralphd itself puts into a state folder, and what its lock leaves beside the registry. */
const ownNames = /^(?:\.gitignore|loops|registry\.json.*|registry\.lock.*)$/u;

function isStateTaken(folder: string): boolean {
  const root = path.join(folder, defaultPlaces.stateDir);
  if (look(nodeFiles, root)?.kind !== 'folder') return false;
  try {
    assertNotForeign({ root, workingDirectory: folder });
    const { ours } = foreignLoops({ files: nodeFiles, root });
    return ours === 0 && nodeFiles.list(root).some((name) => !ownNames.test(name));
  } catch (error) {
    if (error instanceof LoopError) return true;
    throw error;
  }
}
