import type { Expected } from './expected.ts';

// A name as odd as names come.
const odd = 'ünï | côde, "x" › y > z: 1 (3 ms)';
const avaFails = ['divides', 'multiplies', odd];
const batsFails = ['multiplies # not a comment', 'ünï | x, (y)'];
const bunFails = ['calc > divides', 'calc > hard > multiplies', `calc > ${odd}`];
const cargoFails = ['Running tests/crash.rs', 'tests::divides', 'tests::multiplies'];
// go itself takes what TestPrints prints for a test.
const gotestsumFails = [
  'TestFake',
  'TestMultiplies',
  'TestTable',
  'TestTable/a/b',
  'TestTable/one',
  'TestTable/two_words',
  'TestTable/ünï|x,y',
];
const jasmineFails = ['Suite error: hooks', 'calc divides', 'calc hard multiplies', `calc ${odd}`];
const jasmineFails2 = ['Suite error: hooks', 'calc divides', 'calc hard multiplies', `calc ${odd}`, 'hooks never runs'];
const jestFails = ['calc › divides', 'calc › hard › multiplies', `calc › ${odd}`];
const minitestFails = ['CalcTest#test_divides', 'CalcTest#test_multiplies', 'spec style#test_0001_does, it: 5 runs'];
const mochaFails = ['calc divides', 'calc hard multiplies', `calc ${odd}`, 'hooks "before all" hook for "never runs"'];
const mochaFails2 = [
  'calc > divides',
  'calc > hard > multiplies',
  `calc > ${odd}`,
  'hooks > "before all" hook for "never runs"',
];
const nodeFails = [
  'calc > divides',
  'calc > hard > multiplies',
  'calc > ünï | côde, "x" # y > z: 1 (3 ms)',
  'hooks > cancelled',
  'parent > child b',
];
const nodeFails2 = [
  'test > cancelled',
  'test > child b',
  'test > divides',
  'test > multiplies',
  'test > ünï | côde, &quot;x&quot; # y > z: 1 (3 ms)',
];
const playwrightFails = [
  `pwish.spec.js:11:3 › calc › ${odd}`,
  'pwish.spec.js:6:3 › calc › multiplies',
  'pwish.spec.js:7:3 › calc › divides',
];
const playwrightFails2 = [
  'pwish.spec.js › calc › divides',
  'pwish.spec.js › calc › multiplies',
  `pwish.spec.js › calc › ${odd}`,
];
const proveFails = ['inner > in b', "it's | odd", 'multiplies'];
const pytestFails = [
  'test_calc.py::TestHard::test_multiplies',
  'test_calc.py::test_divides',
  'test_calc.py::test_each[FAILED PASSED]',
  'test_calc.py::test_each[\\xfcn\\xef|c\\xf6,de]',
  'test_calc.py::test_each[x - y]',
  'test_calc.py::test_each[z::w [q] ]',
  'test_calc.py::test_fixture',
  'test_calc.py::test_teardown',
];
const pytestFails2 = [
  'test_calc.py::TestHard::test_multiplies',
  'test_calc.py::TestUnit::test_sub',
  'test_calc.py::test_divides',
  'test_calc.py::test_each[FAILED PASSED]',
  'test_calc.py::test_each[\\xfcn\\xef|c\\xf6,de]',
  'test_calc.py::test_each[x - y]',
  'test_calc.py::test_each[z::w [q] ]',
  'test_calc.py::test_fixture',
  'test_calc.py::test_teardown',
];
const rspecFails = ['calc divides', 'calc hard multiplies # x', 'calc ünï | côde, "x"', 'hooks never runs'];
const tapeFails = ['divides', 'multiplies', 'ünï | côde'];
const unittestFails = [
  'utest_calc.Broken.setUpClass',
  'utest_calc.Calc.test_divides',
  'utest_calc.Calc.test_multiplies',
  'utest_calc.Calc.test_subs (i=0)',
  'utest_calc.Calc.test_subs (i=2)',
];
const vitestFails = [
  'calc.test.js > calc > divides',
  'calc.test.js > calc > hard > multiplies',
  `calc.test.js > calc > ${odd}`,
];

/** What other versions, reporters and plug-ins printed of tests that print, throw and compare other runners' reports. */
export const ofVersions: Readonly<Record<string, Expected>> = {
  'ava/version-3': ['ava', 3, 3, 3, avaFails],
  'ava/version-4-tap': ['tap', 4, 3, 2, avaFails],
  'ava/version-4': ['ava', 3, 3, 3, avaFails],
  'ava/version-5': ['ava', 3, 3, 3, avaFails],
  'ava/version-6': ['ava', 3, 3, 3, avaFails],
  'bats/red-junit': ['junit', 2, 2, 1, ['t.bats > multiplies # not a comment', 't.bats > ünï | x, (y)']],
  'bats/red-tap13': ['tap', 2, 2, 1, batsFails],
  'bats/timed': ['bats', 2, 2, 1, batsFails],
  'bun/version-1.1': ['bun', 3, 3, 2, bunFails],
  'busted/red-junit': ['junit', 1, 1, 1, ['busted_spec.lua:1 > calc multiplies']],
  'busted/red-tap': ['tap', 1, 1, 1, ['calc multiplies']],
  'cargo/crashed': ['cargo', 0, 1, 0, ['Running tests/crash.rs']],
  'cargo/documented': ['cargo', 2, 0, 0],
  'cargo/printed': ['cargo', 3, 2, 1, ['tests::divides', 'tests::multiplies']],
  'cargo/workspace': ['cargo', 6, 3, 1, cargoFails],
  'gotestsum/dots': ['gotestsum', 4, 8, 1, gotestsumFails],
  'gotestsum/names': ['gotestsum', 4, 8, 1, gotestsumFails],
  'jasmine/version-3': ['jasmine', 4, 4, 2, jasmineFails],
  'jasmine/version-4': ['jasmine', 3, 5, 2, jasmineFails2],
  'jasmine/version-5': ['jasmine', 3, 5, 2, jasmineFails2],
  'jest/version-27': ['jest', 4, 3, 2, jestFails],
  'jest/version-28-json': ['jest', 4, 3, 2, jestFails],
  'jest/version-28': ['jest', 4, 3, 2, jestFails],
  'jest/version-29-verbose': ['jest', 4, 3, 2, jestFails],
  'jest/version-29': ['jest', 4, 3, 2, jestFails],
  'lab/red-junit': ['junit', 3, 2, 1, ['calc > multiplies', 'calc > divides']],
  'minitest/spec-style': ['minitest', 2, 3, 1, minitestFails],
  'mocha/version-10-json-stream': ['mocha', 3, 4, 2, mochaFails],
  'mocha/version-10-landing': ['mocha', 3, 4, 2, mochaFails2],
  'mocha/version-10-list': ['mocha', 3, 4, 2, mochaFails2],
  'mocha/version-10-min': ['mocha', 3, 4, 2, mochaFails2],
  'mocha/version-10-nyan': ['mocha', 3, 4, 2, mochaFails2],
  'mocha/version-10-progress': ['mocha', 3, 4, 2, mochaFails2],
  'mocha/version-10-tap': ['tap', 3, 4, 2, mochaFails],
  'mocha/version-8': ['mocha', 3, 4, 2, mochaFails2],
  'node/version-18-spec': ['node:test', 4, 6, 4, nodeFails],
  'node/version-20-spec': ['node:test', 4, 6, 4, nodeFails],
  'node/version-20-tap': ['node:test', 4, 6, 4, nodeFails],
  'node/version-22-junit': ['junit', 4, 5, 4, nodeFails2],
  'node/version-22-spec': ['node:test', 4, 6, 4, nodeFails],
  'node/version-26-dot': null,
  'node/version-26-spec': ['node:test', 4, 6, 4, nodeFails],
  'playwright/red-dot': ['playwright', 4, 3, 2, playwrightFails],
  'playwright/red-json': ['playwright', 4, 3, 2, playwrightFails2],
  'playwright/red-line': ['playwright', 4, 3, 2, playwrightFails],
  'playwright/red-list': ['playwright', 4, 3, 2, playwrightFails],
  'playwright/version-1.40-list': ['playwright', 4, 3, 2, playwrightFails],
  'prove/points-broken-off': null,
  'prove/points': ['tap', 2, 3, 3, proveFails],
  'pytest/collected': null,
  'pytest/doctest': ['pytest', 0, 1, 0, ['doc_mod.py::doc_mod.add']],
  'pytest/red-9-verbose': ['pytest', 6, 9, 2, pytestFails],
  'pytest/red-all': ['pytest', 5, 9, 2, pytestFails2],
  'pytest/red-first': ['pytest', 2, 1, 0, ['test_calc.py::TestHard::test_multiplies']],
  'pytest/red-quiet-all': ['pytest', 5, 9, 2, pytestFails2],
  'pytest/red-quiet-printed': ['pytest', 5, 9, 2, pytestFails2],
  'pytest/red-quietest': null,
  'pytest/red-xdist-verbose': ['pytest', 6, 9, 2, pytestFails],
  'pytest/rerun-verbose': ['pytest', 8, 9, 2, pytestFails],
  'pytest/subtests': ['pytest', 6, 9, 2, pytestFails],
  'pytest/sugar': ['pytest', 6, 9, 2, pytestFails],
  'qunit/red': ['tap', 3, 2, 2, ['calc > hard > multiplies', 'calc > divides']],
  'rspec/first-failure': ['rspec', 2, 1, 0, ['calc divides']],
  'rspec/two-formatters': ['rspec', 2, 4, 3, rspecFails],
  'tap/version-15-tap': ['tap', 3, 3, 2],
  'tap/version-16-spec': [
    'mocha',
    3,
    3,
    2,
    ['test/calc.js hard multiplies should be equal', 'test/calc.js ünï | côde, "x" - y > z: 1 (3 ms) should be equal'],
  ],
  'tap/version-18-tap': ['tap', 3, 3, 2],
  'tape/version-4': ['tap', 3, 3, 1, tapeFails],
  'unittest/red-buffered': ['unittest', 3, 6, 2, unittestFails],
  'vitest/version-1-json': ['vitest', 3, 3, 2, bunFails],
  'vitest/version-1': ['vitest', 3, 3, 2, vitestFails],
  'vitest/version-2': ['vitest', 3, 3, 2, vitestFails],
  'vitest/version-3-tap': ['tap', 3, 3, 2, vitestFails],
  'vitest/version-3': ['vitest', 3, 3, 2, vitestFails],
  'vitest/version-5-retry': ['vitest', 3, 3, 2, vitestFails],
  'vitest/version-5': ['vitest', 3, 3, 2, vitestFails],
};
