import { matchingFiles } from './matching-files.ts';
import { isInSources, takenInBy } from './taken-in.ts';
import { filesAt } from './tree.ts';

const maxTests = 200;
const testFolders = ['test', 'tests', 'spec', '__tests__'];
const helps =
  /(?:^|\/)(?:support|helpers?|fixtures?|testing|test[-_]?(?:support|helpers?|utils?)|mocks?|stubs?|fakes?)\//i;

/** Helpers that tests take in from outside of the usual places of tests: whoever edits one decides what the tests say. */
export function helpersOfTests(folder: string, isTest: (file: string) => boolean): readonly string[] {
  const tests = testFolders.flatMap((each) => matchingFiles(folder, `${each}/**/*`)).slice(0, maxTests);
  const taken = new Set(tests.flatMap((test) => takenInBy(folder, test)));
  const files = [...taken].flatMap((each) => filesAt(folder, each));
  return [...new Set(files)].filter((file) => helps.test(file) && !isTest(file) && !isInSources(file));
}
