import type { PlantedBug } from '../planted-bug.ts';

/** Bugs against claims and the prompt of a promise loop. */
export const promiseBugs: readonly PlantedBug[] = [
  {
    requirement: 'A184',
    bug: 'a promise in other letters is no claim',
    file: 'core/settle/claim.ts',
    find: "\\\\s*</promise>`, 'iu')",
    replace: "\\\\s*</promise>`, 'u')",
    test: 'src/core/settle/claim.test.ts',
  },
  {
    requirement: 'A185',
    bug: 'a dot in a promise matches anything',
    file: 'core/settle/claim.ts',
    find: 'return text.replace(/[\\\\^$.*+?()[\\]{}|/]/gu,',
    replace: 'return text.replace(/[\\\\^$*+?()[\\]{}|/]/gu,',
    test: 'src/core/settle/claim.test.ts',
  },
  {
    requirement: 'A186',
    bug: 'the generic pattern finds tags in small letters only',
    file: 'core/settle/claim.ts',
    find: '<\\/promise>/i;',
    replace: '<\\/promise>/;',
    test: 'src/core/settle/claim.test.ts',
  },
  {
    requirement: 'A193',
    bug: 'the continuation prompt does not name the promise',
    file: 'core/prompt/render.ts',
    find: 'with the line <promise>${completionPromise}</promise> on its own',
    replace: 'with the line <promise>DONE</promise> on its own',
    test: 'src/core/prompt/render.test.ts',
  },
  {
    requirement: 'A191',
    bug: 'a loop that wants its folder to itself shares it',
    file: 'app/worktree-share.ts',
    find: 'if (!force && (exclusive || sharing.some(',
    replace: 'if (!force && (false || sharing.some(',
    test: 'test/e2e/persistence.test.ts',
  },
];
