/** A kind of project that people start with. */
export interface ProjectKind {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Whether the folder is a git repository. */
  readonly git: boolean;
  /** Stand-ins for programs; each passes once the file `done` is in the project. */
  readonly programs: readonly string[];
  /** The checks that the written file names. */
  readonly verify: readonly string[];
  /** Other settings that the written file names. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The task to give to `run`; none where the project has one. */
  readonly task?: string;
}

const manifest = (test: string) => JSON.stringify({ name: 'x', scripts: { test } });
const task = 'Make the tests pass';

/** Projects with tests: what `init` writes for them runs without an edit. */
export const projectKinds: readonly ProjectKind[] = [
  {
    name: 'npm',
    files: { 'package.json': manifest('node --test'), 'package-lock.json': '{}' },
    git: true,
    programs: ['npm'],
    verify: ['npm test'],
    task,
  },
  {
    name: 'a pnpm workspace',
    files: {
      'package.json': manifest('pnpm -r test'),
      'pnpm-lock.yaml': '',
      'pnpm-workspace.yaml': 'packages: [packages/*]',
      'packages/a/package.json': manifest('vitest run'),
    },
    git: true,
    programs: ['pnpm'],
    verify: ['pnpm test'],
    task,
  },
  {
    name: 'Python with a virtual environment',
    files: {
      'pyproject.toml': '[tool.pytest.ini_options]\n',
      'tests/test_a.py': '',
      '.venv/bin/pytest': '#!/bin/sh\nexec test -f done\n',
    },
    git: true,
    programs: [],
    verify: ['.venv/bin/pytest'],
    task,
  },
  {
    name: 'cargo',
    files: { 'Cargo.toml': '[package]\nname = "x"\n', 'src/lib.rs': '#[test] fn works() {}\n' },
    git: true,
    programs: ['cargo'],
    verify: ['cargo test'],
    task,
  },
  {
    name: 'go',
    files: { 'go.mod': 'module x\n', 'x_test.go': 'package x\n' },
    git: true,
    programs: ['go'],
    verify: ['go test ./...'],
    task,
  },
  {
    name: 'make',
    files: { Makefile: 'test:\n\ttest -f done\n' },
    git: true,
    programs: ['make'],
    verify: ['make test'],
    task,
  },
  {
    name: 'a monorepo whose packages have the tests',
    files: {
      'README.md': '# x',
      'packages/web/package.json': manifest('vitest run'),
      'services/api/go.mod': 'module x\n',
      'services/api/x_test.go': 'package x\n',
    },
    git: true,
    programs: ['npm', 'go'],
    verify: ['cd packages/web && npm test', 'cd services/api && go test ./...'],
    task,
  },
  {
    name: 'a project without git',
    files: { 'package.json': manifest('node --test') },
    git: false,
    programs: ['npm'],
    verify: ['npm test'],
    task,
  },
  {
    name: 'a project with PROMPT.md',
    files: { 'package.json': manifest('node --test'), 'PROMPT.md': 'Fix it. End with <promise>COMPLETE</promise>.\n' },
    git: true,
    programs: ['npm'],
    verify: ['npm test'],
    settings: { completionPromise: 'COMPLETE' },
  },
  {
    name: 'a project with files of other tools',
    files: {
      'package.json': manifest('node --test'),
      '.ralphrc': 'MAX_CALLS_PER_HOUR=100\n',
      '.ralph/PROMPT.md': 'Work on the next item of fix_plan.md.\n',
      '.ralph/fix_plan.md': '- [ ] one\n',
      '.ralph/status.json': '{}',
    },
    git: true,
    programs: ['npm'],
    verify: ['npm test'],
    settings: { promptPath: '.ralph/PROMPT.md', stateDir: '.ralphd' },
  },
  {
    name: 'a project with a list of stories',
    files: { 'package.json': manifest('node --test'), 'prd.json': '{"userStories":[]}' },
    git: true,
    programs: ['npm'],
    verify: ['npm test'],
    settings: { prompt: expectedListPrompt('prd.json') },
  },
];

function expectedListPrompt(file: string): string {
  return `Work through the open items in ${file}, one at a time, most important first. Implement each with its tests, and mark it there as done. The task is done when no open item is left and all tests pass.`;
}
