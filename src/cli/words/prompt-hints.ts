import { failures } from '../../base/index.ts';

/** The next step for a prompt that cannot be used when an iteration starts, by the code of its failure. */
export const promptHints: Readonly<Record<string, string>> = Object.fromEntries(
  [
    failures.promptMissing(''),
    failures.promptUnreadable('', ''),
    failures.promptEmpty(''),
    failures.promptNotYaml('', ''),
    failures.promptBadValue('', '', ''),
    failures.promptIncludeUnreadable('', '', ''),
    failures.promptIncludeOutside('', ''),
    failures.promptIncludeCycle([]),
    failures.promptIncludeTooDeep([], 0),
    failures.promptTooLarge('', '', ''),
    failures.promptVariableMissing('NAME', ''),
    failures.promptVariableUnused('', ''),
    failures.promptTemplateInvalid('', ''),
    failures.promptValueMissing('NAME', ''),
    failures.promptProviderFailed('', ''),
  ].map(({ code, hint }) => [code, hint]),
);
