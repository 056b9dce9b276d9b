import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { putFiles, standInPath } from '../../src/cli/testing/stand-ins.ts';
import { createProject } from '../support/project.ts';
import { Stage } from '../support/stage.ts';
import { hasTerminal } from '../support/terminal.ts';

const manifest = '{"scripts":{"test":"node --test"}}';

/** Projects that people start with, each with a name for its screens. */
const kinds = [
  { name: 'empty', files: {}, git: false, agents: ['codex'], args: ['Say hello'] },
  {
    name: 'npm',
    files: { 'package.json': manifest },
    git: true,
    agents: ['claude'],
    args: ['Fix the tests', '--no-baseline'],
  },
  {
    name: 'other-tools',
    files: {
      'package.json': manifest,
      '.ralphrc': '',
      '.ralph/PROMPT.md': 'Fix the tests.\n',
      '.ralph/status.json': '{}',
    },
    git: true,
    agents: ['claude', 'opencode'],
    args: ['--no-baseline'],
  },
] as const;

test.for(kinds)(
  'init, doctor and run read well in a terminal: $name',
  async ({ name, files, git, agents, args }, context) => {
    if (!hasTerminal) context.skip('no terminal can be opened here');
    const project = createProject();
    if (git) execFileSync('git', ['init', '-q', project.folder]);
    putFiles(project.folder, files);
    const stage = new Stage(
      project,
      { columns: 80, rows: 24 },
      {
        PATH: standInPath(['npm'], agents),
        PROJECT: project.folder,
        ANTHROPIC_API_KEY: 'not-to-be-shown',
      },
    );
    await stage.play(`setup-${name}-init`, 'init');
    expect(project.has('ralphd.yml')).toBe(true);
    await stage.play(`setup-${name}-doctor`, 'doctor');
    const id = ['--loop-id', 'ralph-setup-a1b2c3d4'];
    await stage.play(`setup-${name}-run`, 'run', ...args, '--delay', '0', ...id);
  },
);
