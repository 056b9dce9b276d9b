import { parseShell } from './shell/line.ts';

interface CriteriaContext {
  /** Whether a word names a program that can be started. */
  readonly isProgram: (word: string) => boolean;
  /** The project's own test command, where it is known. */
  readonly testCommand?: string | undefined;
}

export type Criterion =
  /** A command, to be run unchanged. */
  | { readonly kind: 'command' }
  /** A sentence which says that these commands pass. */
  | { readonly kind: 'phrase'; readonly commands: readonly string[] }
  /** Text that cannot be run. */
  | { readonly kind: 'prose'; readonly reason: 'no_command' | 'no_test_command' };

/**
 * Reads a criterion given as text. A line that begins like a command and does not end like "… passes" is the user's own
 * command and stays unchanged.
 */
export function readCriterion(given: string, context: CriteriaContext): Criterion {
  const text = given.trim();
  if (testsPass.test(withoutStop(text))) {
    const { testCommand } = context;
    return testCommand === undefined
      ? { kind: 'prose', reason: 'no_test_command' }
      : { kind: 'phrase', commands: [testCommand] };
  }
  const commands = commandsOf(text, context);
  if (commands !== undefined) return { kind: 'phrase', commands };
  if (isSentence(text)) return { kind: 'prose', reason: 'no_command' };
  return startsLikeCommand(text, context) ? { kind: 'command' } : { kind: 'prose', reason: 'no_command' };
}

const success = String.raw`(?:(?:must|should|shall|has to|have to|will)\s+)?(?:be\s+)?(?:${[
  'pass(?:es)?',
  'succeeds?',
  String.raw`(?:exits?|returns?)\s+(?:with\s+)?(?:an?\s+)?(?:exit\s+)?(?:code\s+|status\s+)?(?:of\s+)?(?:0|zero)`,
  String.raw`exits?\s+(?:successfully|cleanly)`,
  String.raw`(?:is|are)\s+(?:green|clean|passing|successful)`,
  String.raw`(?:runs?|completes?|finishes?)\s+(?:successfully|cleanly|without\s+errors?|green)`,
].join('|')})`;

/** "npm test passes", "`cargo test` succeeds". */
const passes = new RegExp(String.raw`^(.*?\S)\s+${success}$`, 'is');

/** "all tests pass", "the test suite is green". */
const testsPass = new RegExp(
  String.raw`^(?:(?:all|every|each|the|our|its|of|existing|unit|integration|project's|whole|full|entire)\s+)*(?:tests?|specs?|test\s+suite)\s+${success}$`,
  'i',
);

/** Characters that only a shell line has: it is a command, however it ends. */
const shellOnly = /["'$<>()\\\n]|(?<!\|)\|(?!\|)|(?:^|\s)(?:=|==|!=|-eq)(?:\s|$)/;

/** Programs that search for or print words: "pass" at the end of such a line is one of these words. */
const takesWords = /^(?:\[|test|grep|egrep|fgrep|rg|ag|ack|echo|printf|awk|sed|jq|find|expect)\s/;

/** The commands that a sentence says pass; undefined for any other text. */
function commandsOf(text: string, context: CriteriaContext): readonly string[] | undefined {
  const alone = /^`([^`]+)`$/.exec(text)?.[1]?.trim();
  if (alone !== undefined) return startsLikeCommand(alone, context) ? [alone] : undefined;
  if (!isSentence(text)) return undefined;
  const parts = withoutStop(text).split(/,\s*and\s+|,\s+|\s+and\s+/i);
  const commands = parts.map((part) => commandIn(part, context));
  return commands.every((command) => command !== undefined) ? commands : undefined;
}

/** Whether a text ends like "… passes" and is not a shell line. */
function isSentence(text: string): boolean {
  const bare = withoutStop(text);
  return passes.test(bare) && !takesWords.test(bare) && !shellOnly.test(bare.replace(/`[^`]*`/g, ''));
}

function commandIn(part: string, context: CriteriaContext): string | undefined {
  const subject = (passes.exec(part)?.[1] ?? part).trim();
  const quoted = /^(?:(?:running|run|the\s+command|command|that)\s+)?`([^`]+)`$/i.exec(subject)?.[1];
  const command = (quoted ?? subject).trim();
  return !command.includes('`') && startsLikeCommand(command, context) ? command : undefined;
}

function withoutStop(text: string): string {
  return text.replace(/[.!]+$/, '');
}

const builtins: ReadonlySet<string> = new Set(
  (
    '. : [ alias bg break builtin cd command continue declare dirs echo enable eval exec exit export false fc fg ' +
    'getopts hash help history jobs kill let local popd printf pushd pwd read readonly return set shift shopt source ' +
    'suspend test time times trap true type typeset ulimit umask unalias unset wait'
  ).split(' '),
);

/** Whether a shell would find something to run at the beginning of a line. */
function startsLikeCommand(line: string, { isProgram }: CriteriaContext): boolean {
  // Quotes, substitutions, groups, negations, tests and comments belong to the shell, even where the rest is malformed.
  if (/^["'$`({[!#\\<>~]/.test(line)) return true;
  const { script, isComplete } = parseShell(line);
  const command = script.items[0]?.first.stages[0];
  switch (command?.kind) {
    case 'if':
    case 'loop':
    case 'case':
      // "if the tests pass, it is done" begins like a compound command and never closes it.
      return isComplete;
    case 'simple': {
      if (command.assignments.length > 0) return true;
      const word = command.words[0]?.text ?? '';
      return word.includes('/') || builtins.has(word) || isProgram(word);
    }
    case 'function':
      return isComplete && command.body.kind !== 'simple';
    case 'group':
    case 'arithmetic':
      return true;
    case undefined:
      return false;
  }
}
