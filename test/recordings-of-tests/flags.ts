import type { Expected } from './expected.ts';

const jestFails = ['calc › fails', 'calc › deep › 2 + 2 = 5', 'calc › deep › async fails'];
const vitestFails = ['calc > fails', 'calc > deep > 2 + 2 = 5', 'calc > deep > async fails'];
const mochaFails = ['calc > fails', 'calc > deep > throws', 'calc > deep > times out', 'calc > deep > non-error'];
const bunFails = ['b.test.js', 'calc > fails', 'calc > deep > 2 + 2 = 5', 'calc > deep > throws'];
const cargoFails = ['tests::fails', 'tests::panics_badly', 'tests::result'];
const gtestFails = ['Calc.Fails', 'Calc.Throws', 'N/P.Odd/1'];
const pytestFails = [
  'test_a.py::test_fails',
  'test_a.py::test_eq[2-3]',
  'test_a.py::test_eq[x y-z]',
  'test_a.py::test_err',
  'test_a.py::test_td',
  'test_a.py::TestK::test_n',
];

/** What other flags, reporters and terminals make of tests that print what their own runner prints. */
export const ofFlags: Readonly<Record<string, Expected>> = {
  'ava/version-2': [
    'ava',
    2,
    3,
    3,
    ['fails', 'throws Error thrown in test', 'no assertion Test finished without running any assertions'],
  ],
  'ava/version-3-terminal': ['ava', 2, 3, 3],
  'bun/version-1.2-bail': ['bun', 2, 1, 0, ['b.test.js']],
  'bun/version-1.2-none': ['bun', 0, 0, 0],
  'bun/version-1.2-snapshots': ['bun', 5, 4, 2, bunFails],
  'bun/version-1.3-github': ['bun', 5, 4, 2, bunFails],
  'bun/version-1.3-snapshots': ['bun', 5, 4, 2, bunFails],
  'deno/version-2-parallel': ['deno', 3, 2, 1, ['fails', 'steps ... s2']],
  'deno/version-2-steps': ['deno', 3, 2, 1, ['fails', 'steps ... s2']],
  'jasmine/parallel': ['jasmine', 3, 2, 3, ['calc fails', 'calc deep throws']],
  'jest/version-24-none': ['jest', 0, 0, 0],
  'jest/version-24-verbose': ['jest', 7, 5, 4, [...jestFails, 'p2/d.test.js', 'p1/b.test.js']],
  'jest/version-26-projects': ['jest', 7, 5, 4, [...jestFails, 'two p2/d.test.js', 'one p1/b.test.js']],
  'jest/version-29-terminal': ['jest', 7, 5, 4, [...jestFails, 'p2/d.test.js', 'p1/b.test.js']],
  'jest/version-30-projects': ['jest', 7, 5, 4, [...jestFails, 'two p2/d.test.js', 'one p1/b.test.js']],
  'mocha/version-6-tap': ['tap', 8, 5, 2, [...mochaFails, 'diff > shows'].map((name) => name.replaceAll(' > ', ' '))],
  'mocha/version-9-doc': null,
  'mocha/version-9-min': ['mocha', 8, 5, 2, [...mochaFails, 'diff > shows']],
  'node/version-23-todo-fails': [
    'node:test',
    6,
    6,
    4,
    ['calc > fails', 'calc > deep > throws', 'parent > child bad', 'times out', 'd.test.mjs'],
  ],
  'pytest/red-9-no-summary': ['pytest', 8, 6, 3, pytestFails],
  'pytest/sugar-terminal': ['pytest', 8, 6, 3, pytestFails],
  'tap/version-15-base': ['tap', 4, 2, 2],
  'tap/version-16-terse': ['tap', 4, 2, 2],
  'vitest/version-0-json': ['vitest', 6, 5, 5, [...vitestFails, '/project/a/b.test.js', '/project/b/d.test.js']],
  'vitest/version-0-watch': ['vitest', 2, 2, 2, ['a/b.test.js', 'b/d.test.js', 'b/d.test.js > empty']],
  'vitest/version-1-before-all': ['vitest', 0, 1, 2, ['b/c.test.js']],
  'vitest/version-3-bail': ['vitest', 1, 1, 8, ['a/a.test.js > calc > fails']],
  'vitest/version-3-projects': [
    'vitest',
    6,
    5,
    5,
    [...vitestFails.map((name) => `|one| a/a.test.js > ${name}`), '|one| a/b.test.js', '|two| b/d.test.js'].concat(
      '|two| b/d.test.js > empty',
    ),
  ],

  'bats/pretty-timed': ['bats', 2, 1, 2, ['fails']],
  'cargo/red-all-targets': ['cargo', 6, 4, 3, [...cargoFails, 'Running tests/zcrash.rs']],
  'cargo/red-json': ['cargo', 2, 3, 2, cargoFails],
  'cargo/red-shuffled': ['cargo', 2, 3, 2, cargoFails],
  'catch2/green': ['catch2', 1, 0, 0],
  // One of the three that are shown may fail.
  'catch2/red': ['catch2', 1, 2, 1],
  'doctest/red': ['doctest', 1, 1, 1, ['fails']],
  'exunit/printed': ['exunit', 2, 2, 3, ['test fails (CalcTest)', 'test deep raises (CalcTest)']],
  'exunit/slowest': ['exunit', 2, 2, 3, ['test fails (CalcTest)', 'test deep raises (CalcTest)']],
  'gotestsum/rerun': ['gotestsum', 9, 3, 2, ['a.TestFails', 'a.TestTable', 'a.TestTable/two_words']],
  // It died; that one had passed before is hidden by what that one printed.
  'gtest/red-crash': ['gtest', 0, 2, 1, ['Calc.Fails', 'Calc.Throws']],
  'gtest/red-json': ['gtest', 4, 3, 2, gtestFails],
  'gtest/red-untimed': ['gtest', 4, 3, 1, gtestFails],
  'minitest/red-printed': ['minitest', 2, 3, 1],
  'phpunit/red-teamcity': ['phpunit', 5, 4, 2],
  'rspec/red-html': null,
  'rspec/red-printed': [
    'rspec',
    6,
    5,
    2,
    ['calc fails', 'calc raises', 'calc fixed pending', 'calc deep n 2', 'calc agg all'],
  ],
};
