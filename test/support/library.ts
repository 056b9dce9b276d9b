import path from 'node:path';
import type { LoopConfigInput, LoopRunner } from '../../src/index.ts';
import type { Project } from './project.ts';

/** The published library; its types come from the sources, so that type checking needs no build. */
export const library = (await import(
  path.resolve(import.meta.dirname, '../../dist/index.js')
)) as typeof import('../../src/index.ts');

/** The configuration of a loop whose project has an agent and a check. */
export function configWith(more: LoopConfigInput = {}): LoopConfigInput {
  return {
    prompt: 'Fix the tests',
    agent: 'command',
    agentCommand: './agent.sh',
    verify: ['./check.sh'],
    baseline: false,
    iterationDelay: '0',
    maxIterations: 5,
    ...more,
  };
}

/** A runner for a project with an agent and a check. */
export function runnerIn(project: Project, more: LoopConfigInput = {}, resumeId?: string): LoopRunner {
  const config = configWith(more);
  const context = { cwd: project.folder, env: project.env, demoProgram: [] };
  return new library.LoopRunner(config, context, resumeId);
}
