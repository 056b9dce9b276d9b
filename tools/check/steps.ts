/** One line of the check: commands that run one after the other until one fails. */
export interface Step {
  readonly name: string;
  readonly commands: readonly (readonly string[])[];
  /** Steps that must end before this one can start. */
  readonly after?: readonly string[];
}

// Half of the time of the compiler whose API the tools use, which is in "typescript".
const compiler = 'node_modules/typescript-native/bin/tsc';

/** The project's checks. The tests start as soon as they can, and the others run beside them. */
export function checkSteps(testReport: string): readonly Step[] {
  return [
    { name: 'build', commands: [['node', 'tools/build.ts']] },
    { name: 'system', commands: [['sh', 'tools/system-packages.sh']] },
    {
      name: 'tests',
      commands: [['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${testReport}`]],
      after: ['build', 'system'],
    },
    { name: 'lint', commands: [['oxlint', '--type-aware', '--deny-warnings']] },
    {
      name: 'types',
      commands: [
        ['node', compiler, '-p', 'tsconfig.json'],
        ['node', compiler, '-p', 'web'],
      ],
    },
    { name: 'format', commands: [['biome', 'ci', '--colors=off']] },
    { name: 'house', commands: [['node', 'tools/check-imports.ts']] },
    { name: 'dead-code', commands: [['knip', '--no-progress']] },
    { name: 'docs', commands: [['node', 'tools/generate/run.ts', '--check']] },
    {
      name: 'package',
      commands: [
        ['publint', '--strict'],
        ['attw', '--pack', '.', '--profile', 'esm-only', '--no-emoji'],
        ['node', 'tools/api-report.ts', '--check'],
      ],
      after: ['build'],
    },
  ];
}
