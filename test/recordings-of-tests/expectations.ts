import type { Expected } from './expected.ts';
import { ofFlags } from './flags.ts';
import { ofVersions } from './versions.ts';
import { ofWritten } from './written.ts';

const jestFails = ['calc › hard › multiplies', 'calc › divides'];
const vitestFails = ['calc.test.js > calc > hard > multiplies', 'calc.test.js > calc > divides'];
const spacedFails = ['calc divides', 'calc hard multiplies'];
const mochaFails = ['calc > divides', 'calc > hard > multiplies', 'hooks > "before all" hook for "never runs"'];
const nodeFails = ['calc > hard > multiplies', 'calc > divides'];
const tapFails = ['test/calc.js > multiplies > should be equal', 'test/calc.js > divides > ok 3 - not this'];
const pytestFails = [
  'test_calc.py::TestHard::test_multiplies',
  'test_calc.py::test_divides',
  'test_calc.py::test_each[2]',
  'test_calc.py::test_reads',
];
const unittestFails = ['test_calc.Calc.test_divides', 'test_calc.Calc.test_multiplies'];
const minitestFails = ['CalcTest#test_divides', 'CalcTest#test_multiplies'];
const phpunitFails = [
  'CalcTest::testDivides',
  'CalcTest::testMultiplies',
  'CalcTest::testEach with data set "two" (2)',
];
const goFails = ['TestMultiplies', 'TestDivides', 'TestTable', 'TestTable/two'].map(
  (name) => `example.com/calc.${name}`,
);
const cargoFails = ['tests::divides', 'tests::multiplies'];
const gtestFails = ['Calc.Multiplies', 'Calc.Divides', 'Numbers/Each.IsOne/1'];
const ctestFails = ['multiplies', 'divides', 'sleeps'];
const exunitFails = ['test hard multiplies (CalcTest)', 'test divides (CalcTest)'];

/** By the name of the recording. */
export const expectations: Readonly<Record<string, Expected>> = {
  ...ofFlags,
  ...ofVersions,
  ...ofWritten,

  'jest/green': ['jest', 3, 0, 0],
  'jest/green-verbose': ['jest', 3, 0, 0],
  'jest/red': ['jest', 3, 2, 2, jestFails],
  'jest/red-verbose': ['jest', 3, 2, 2, jestFails],
  'jest/red-colour': ['jest', 3, 2, 2, jestFails],
  'jest/red-json': ['jest', 3, 2, 2, jestFails],
  'jest/broken': ['jest', 1, 1, 0, ['./calc.test.js']],
  'jest/broken-verbose': ['jest', 1, 1, 0, ['./calc.test.js']],
  'jest/empty': ['jest', 0, 0, 0],
  'jest/empty-verbose': ['jest', 0, 0, 0],

  'vitest/green': ['vitest', 3, 0, 0],
  'vitest/red': ['vitest', 3, 2, 2, vitestFails],
  'vitest/red-verbose': ['vitest', 3, 2, 2, vitestFails],
  'vitest/red-dot': ['vitest', 3, 2, 2, vitestFails],
  'vitest/red-colour': ['vitest', 3, 2, 2, vitestFails],
  'vitest/red-json': ['vitest', 3, 2, 2, nodeFails],
  'vitest/red-junit': ['junit', 3, 2, 2, vitestFails],
  'vitest/red-tap': ['tap', 3, 2, 2, vitestFails],
  'vitest/broken': ['vitest', 1, 1, 0, ['calc.test.js']],
  'vitest/empty': ['vitest', 0, 0, 0],

  'mocha/green': ['mocha', 3, 0, 0],
  'mocha/red': ['mocha', 2, 3, 2, mochaFails],
  'mocha/red-dot': ['mocha', 2, 3, 2, mochaFails],
  'mocha/red-colour': ['mocha', 2, 3, 2, mochaFails],
  'mocha/red-json': ['mocha', 2, 3, 2, mochaFails.map((name) => name.replaceAll(' > ', ' '))],
  'mocha/red-tap': ['tap', 2, 3, 2, mochaFails.map((name) => name.replaceAll(' > ', ' '))],
  'mocha/red-xunit': ['junit', 2, 3, 2, mochaFails.map((name) => name.replace('calc > hard', 'calc hard'))],
  'mocha/broken': null,
  'mocha/empty': ['mocha', 0, 0, 0],

  'jasmine/green': ['jasmine', 3, 0, 0],
  'jasmine/red': ['jasmine', 2, 2, 2, spacedFails],
  'jasmine/red-colour': ['jasmine', 2, 2, 2, spacedFails],
  'jasmine/broken': null,
  'jasmine/empty': ['jasmine', 0, 0, 0],

  'ava/green': ['ava', 3, 0, 0],
  'ava/red': ['ava', 3, 2, 2, ['calc › multiplies', 'calc › divides']],
  'ava/red-colour': ['ava', 3, 2, 2, ['calc › multiplies', 'calc › divides']],
  'ava/red-tap': ['tap', 3, 2, 2, ['calc › multiplies', 'calc › divides']],
  'ava/broken': ['ava', 0, 1, 0, ['Uncaught exception in test.js']],
  'ava/empty': ['ava', 0, 0, 0],

  'node/green-spec': ['node:test', 3, 0, 0],
  'node/red-spec': ['node:test', 3, 2, 2, nodeFails],
  'node/red-colour': ['node:test', 3, 2, 2, nodeFails],
  'node/broken-spec': ['node:test', 0, 1, 0, ['calc.test.js']],
  'node/empty-spec': ['node:test', 0, 0, 0],
  'node/green-tap': ['node:test', 3, 0, 0],
  'node/red-tap': ['node:test', 3, 2, 2, nodeFails],
  'node/broken-tap': ['node:test', 0, 1, 0, ['calc.test.js']],
  'node/empty-tap': ['node:test', 0, 0, 0],
  // The dots do not tell a test from a suite.
  'node/red-dot': null,
  'node/red-junit': ['junit', 3, 2, 2, ['calc.hard > multiplies', 'calc > divides']],

  'tap/green': ['tap', 3, 0, 0],
  'tap/red': ['tap', 2, 2, 2, tapFails],
  'tap/red-tap': ['tap', 2, 2, 2, tapFails],
  'tap/red-colour': ['tap', 2, 2, 2],
  'tap/broken': ['tap', 0, 1, 0, ['test/calc.js']],
  'tap/empty': null,
  'tape/green': ['tap', 3, 0, 0],
  // An exception ended the run before its last tests.
  'tape/red': ['tap', 2, 1, 0, ['should be strictly equal']],
  'tape/broken': null,

  'bun/green': ['bun', 3, 0, 0],
  'bun/red': ['bun', 3, 2, 2, nodeFails],
  'bun/red-colour': ['bun', 3, 2, 2, nodeFails],
  'bun/red-junit': ['junit', 3, 2, 2, ['hard > calc > multiplies', 'calc > divides']],
  'bun/broken': ['bun', 1, 1, 0, ['calc.test.js']],
  'bun/empty': ['bun', 0, 0, 0],

  'deno/green': ['deno', 3, 0, 0],
  'deno/red': ['deno', 3, 2, 1, ['multiplies', 'divides']],
  'deno/red-dot': ['deno', 3, 2, 1, ['multiplies', 'divides']],
  'deno/red-colour': ['deno', 3, 2, 1, ['multiplies', 'divides']],
  'deno/red-tap': ['tap', 4, 2, 1, ['multiplies', 'divides']],
  'deno/broken': null,
  'deno/empty': ['deno', 0, 0, 0],

  'pytest/green': ['pytest', 3, 0, 0],
  'pytest/green-quiet': ['pytest', 3, 0, 0],
  'pytest/red': ['pytest', 4, 4, 2, pytestFails],
  'pytest/red-9': ['pytest', 4, 4, 2, pytestFails],
  'pytest/red-quiet': ['pytest', 4, 4, 2, pytestFails],
  'pytest/red-verbose': ['pytest', 4, 4, 2, pytestFails],
  'pytest/red-xdist': ['pytest', 4, 4, 2, pytestFails],
  'pytest/red-colour': ['pytest', 4, 4, 2, pytestFails],
  'pytest/red-junit': [
    'junit',
    4,
    4,
    2,
    [
      'test_calc.TestHard > test_multiplies',
      'test_calc > test_divides',
      'test_calc > test_reads',
      'test_calc > test_each[2]',
    ],
  ],
  'pytest/broken': ['pytest', 0, 1, 0, ['test_calc.py']],
  'pytest/broken-quiet': ['pytest', 0, 1, 0, ['test_calc.py']],
  'pytest/empty': ['pytest', 0, 0, 0],
  'pytest/empty-quiet': ['pytest', 0, 0, 0],

  'unittest/green': ['unittest', 3, 0, 0],
  'unittest/green-verbose': ['unittest', 3, 0, 0],
  'unittest/red': ['unittest', 2, 2, 2, unittestFails],
  'unittest/red-verbose': ['unittest', 2, 2, 2, unittestFails],
  'unittest/broken': ['unittest', 0, 1, 0, ['unittest.loader._FailedTest.test_calc']],
  'unittest/broken-verbose': ['unittest', 0, 1, 0, ['unittest.loader._FailedTest.test_calc']],
  'unittest/empty': ['unittest', 0, 0, 0],
  'unittest/empty-verbose': ['unittest', 0, 0, 0],

  'rspec/green': ['rspec', 3, 0, 0],
  'rspec/red': ['rspec', 2, 2, 2, spacedFails],
  'rspec/red-doc': ['rspec', 2, 2, 2, spacedFails],
  'rspec/red-colour': ['rspec', 2, 2, 2, spacedFails],
  'rspec/red-json': ['rspec', 2, 2, 2, spacedFails],
  'rspec/broken': ['rspec', 0, 1, 0, ['./spec/calc_spec.rb']],
  'rspec/empty': ['rspec', 0, 0, 0],

  'minitest/green': ['minitest', 3, 0, 0],
  'minitest/red': ['minitest', 2, 2, 1, minitestFails],
  'minitest/red-verbose': ['minitest', 2, 2, 1, minitestFails],
  'minitest/red-colour': ['minitest', 2, 2, 1, minitestFails],
  'minitest/broken': null,
  'minitest/empty': ['minitest', 0, 0, 0],
  'testunit/green': ['test-unit', 3, 0, 0],
  'testunit/red': ['test-unit', 2, 2, 1, ['test_divides(CalcTest)', 'test_multiplies(CalcTest)']],

  'phpunit/green': ['phpunit', 3, 0, 0],
  'phpunit/red': ['phpunit', 3, 3, 2, phpunitFails],
  'phpunit/red-colour': ['phpunit', 3, 3, 2, phpunitFails],
  'phpunit/red-testdox': ['phpunit', 3, 3, 2, ['Multiplies', 'Divides', 'Each with data set "two"']],
  'phpunit/red-junit': [
    'junit',
    3,
    3,
    2,
    ['CalcTest > testMultiplies', 'CalcTest > testDivides', 'CalcTest > testEach with data set "two"'],
  ],
  'phpunit/broken': null,
  'phpunit/empty': ['phpunit', 0, 0, 0],

  'bats/green': ['bats', 3, 0, 0],
  'bats/red': ['bats', 2, 2, 1, ['multiplies', 'divides']],
  'bats/red-pretty': ['bats', 2, 2, 1, ['multiplies', 'divides']],
  'bats/red-colour': ['bats', 2, 2, 1, ['multiplies', 'divides']],
  'bats/broken': ['bats', 0, 1, 0, ['setup_file failed']],
  'bats/empty': ['tap', 0, 0, 0],

  'prove/green': ['prove', 3, 0, 0],
  // A to-do that fails is a success to prove.
  'prove/red': ['prove', 4, 2, 1, ['multiplies', 'divides']],
  'prove/red-verbose': ['prove', 4, 2, 1, ['multiplies', 'divides']],
  'prove/red-colour': ['prove', 4, 2, 1, ['multiplies', 'divides']],
  'prove/broken': ['prove', 0, 1, 0, ['t/calc.t']],
  'prove/empty': ['prove', 0, 0, 0],

  // Without -v, go names the tests that fail; of the others it tells only which packages are well.
  'go/green': ['go', 1, 0, 0],
  'go/red': ['go', 1, 4, 0, goFails],
  'go/red-colour': ['go', 1, 4, 0, goFails],
  'go/broken': ['go', 1, 1, 0, ['example.com/calc']],
  'go/empty': ['go', 0, 0, 0],
  'go/panic': ['go', 0, 1, 0, ['example.com/calc.TestPanics']],
  'go/green-verbose': ['go', 3, 0, 0],
  'go/red-verbose': ['go', 4, 4, 1, goFails],
  'go/broken-verbose': ['go', 1, 1, 0, ['example.com/calc']],
  'go/empty-verbose': ['go', 0, 0, 0],
  'go/green-json': ['go', 3, 0, 0],
  'go/red-json': ['go', 4, 4, 1, goFails],
  'go/broken-json': ['go', 1, 1, 0, ['example.com/calc']],
  'go/empty-json': ['go', 0, 0, 0],
  'go/panic-json': ['go', 1, 1, 0, ['example.com/calc.TestPanics']],

  'cargo/green': ['cargo', 5, 0, 0],
  'cargo/red': ['cargo', 4, 2, 1, cargoFails],
  'cargo/red-colour': ['cargo', 4, 2, 1, cargoFails],
  'cargo/red-quiet': ['cargo', 4, 2, 1, cargoFails],
  'cargo/red-failfast': ['cargo', 3, 2, 1, cargoFails],
  'cargo/broken': null,
  'cargo/empty': ['cargo', 0, 0, 0],

  'gtest/green': ['gtest', 3, 0, 0],
  'gtest/red': ['gtest', 3, 3, 1, gtestFails],
  'gtest/red-colour': ['gtest', 3, 3, 1, gtestFails],
  'gtest/red-brief': ['gtest', 3, 3, 1, gtestFails],
  'gtest/red-xml': ['junit', 3, 3, 2, ['Calc > Multiplies', 'Calc > Divides', 'Numbers/Each > IsOne/1']],
  'gtest/empty': ['gtest', 0, 0, 0],

  'ctest/green': ['ctest', 2, 0, 0],
  'ctest/red': ['ctest', 2, 3, 2, ctestFails],
  'ctest/red-verbose': ['ctest', 2, 3, 2, ctestFails],
  'ctest/red-v': ['ctest', 2, 3, 2, ctestFails],
  'ctest/red-colour': ['ctest', 2, 3, 2, ctestFails],
  'ctest/empty': ['ctest', 0, 0, 0],

  'exunit/green': ['exunit', 3, 0, 0],
  'exunit/red': ['exunit', 2, 2, 1, exunitFails],
  'exunit/red-trace': ['exunit', 2, 2, 1, exunitFails],
  'exunit/red-colour': ['exunit', 2, 2, 1, exunitFails],
  'exunit/broken': null,
  'exunit/empty': ['exunit', 0, 0, 0],

  'maven/green': ['surefire', 3, 0, 0],
  'maven/red': ['surefire', 3, 2, 1, ['CalcTest.multiplies', 'CalcTest.divides']],
  'maven/red-xml': ['junit', 2, 2, 1, ['CalcTest > multiplies', 'CalcTest > divides']],
  'maven/broken': null,
  'maven/empty': ['surefire', 0, 0, 0],
};
