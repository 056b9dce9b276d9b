// Without schemas, so that commands that only read loops need not load them.

/** The usual locations of tests, in `.gitignore` syntax. */
export const usualTests: readonly string[] = [
  'test/',
  'tests/',
  '__tests__/',
  'spec/',
  '*.test.*',
  '*.spec.*',
  '*_test.*',
  'test.*js',
  'test.*ts',
  'test.py',
  'tests.py',
  'test_*.py',
  'conftest.py',
  '__snapshots__/',
  '*.snap',
  'testdata/',
  'golden/',
  'goldens/',
  '*.golden',
  '__fixtures__/',
];

/** Whether changes are reported, end the loop, or the checks run with the original files. */
export const protectionModes = ['report', 'stop', 'strict'] as const;

/** The setting `protect` in any of its forms. */
export type ProtectSetting = string | string[] | { paths: string[]; mode: (typeof protectionModes)[number] };

/** What is protected, and how. */
export interface Protection {
  readonly paths: readonly string[];
  readonly mode: (typeof protectionModes)[number];
}

/** The setting in its long form. */
export function protectionOf(setting: ProtectSetting): Protection {
  if (setting === 'strict') return { paths: usualTests, mode: 'strict' };
  if (typeof setting === 'string') return { paths: [setting], mode: 'report' };
  return Array.isArray(setting) ? { paths: setting, mode: 'report' } : setting;
}
