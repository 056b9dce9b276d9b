/** What is needed to tell a command from a sentence. */
export interface CriteriaContext {
  /** Whether a word names a program that could be started. */
  readonly isProgram: (word: string) => boolean;
  /** How the project's own tests are run, where that is known. */
  readonly testCommand?: string | undefined;
}

/** What a criterion is taken for. */
export type Criterion =
  /** It is a command: nothing about it is changed. */
  | { readonly kind: 'command' }
  /** It is a sentence that says of commands that they pass. */
  | { readonly kind: 'phrase'; readonly commands: readonly string[] }
  /** Nothing that could be run. */
  | { readonly kind: 'prose'; readonly why: 'no_command' | 'no_test_command' };

/**
 * Reads a criterion that was given as text. A line that begins like a command and does not end by saying that it
 * passes is left alone, whatever it says: it is the user's own.
 */
export function readCriterion(text: string, context: CriteriaContext): Criterion {
  const said = text.trim();
  if (aboutTests.test(withoutStop(said))) {
    const { testCommand } = context;
    return testCommand === undefined
      ? { kind: 'prose', why: 'no_test_command' }
      : { kind: 'phrase', commands: [testCommand] };
  }
  const commands = commandsOf(said, context);
  if (commands !== undefined) return { kind: 'phrase', commands };
  if (isSentence(said)) return { kind: 'prose', why: 'no_command' };
  return startsLikeCommand(said, context) ? { kind: 'command' } : { kind: 'prose', why: 'no_command' };
}

const success = String.raw`(?:(?:must|should|shall|has to|have to|will)\s+)?(?:be\s+)?(?:${[
  'pass(?:es)?',
  'succeeds?',
  String.raw`(?:exits?|returns?)\s+(?:with\s+)?(?:an?\s+)?(?:exit\s+)?(?:code\s+|status\s+)?(?:of\s+)?(?:0|zero)`,
  String.raw`exits?\s+(?:successfully|cleanly)`,
  String.raw`(?:is|are)\s+(?:green|clean|passing|successful)`,
  String.raw`(?:runs?|completes?|finishes?)\s+(?:successfully|cleanly|without\s+errors?|green)`,
].join('|')})`;

/** "npm test passes", "`cargo test` succeeds": the words at the end that say of a command that it went well. */
const passes = new RegExp(String.raw`^(.*?\S)\s+${success}$`, 'is');

const aboutTests = new RegExp(
  String.raw`^(?:(?:all|every|each|the|our|its|of|existing|unit|integration|project's|whole|full|entire)\s+)*(?:tests?|specs?|test\s+suite)\s+${success}$`,
  'i',
);

/** Characters that only a shell line has: such a line is the user's own, however it ends. */
const shellOnly = /["'$<>()\\\n]|(?<!\|)\|(?!\|)|(?:^|\s)(?:=|==|!=|-eq)(?:\s|$)/;

/** Programs that are given words to look for or to print: "pass" at the end of such a line is one of them. */
const takesWords = /^(?:\[|test|grep|egrep|fgrep|rg|ag|ack|echo|printf|awk|sed|jq|find|expect)\s/;

/** The commands of a sentence that says of them that they pass; nothing when it is not such a sentence. */
function commandsOf(said: string, context: CriteriaContext): readonly string[] | undefined {
  const alone = /^`([^`]+)`$/.exec(said)?.[1]?.trim();
  if (alone !== undefined) return startsLikeCommand(alone, context) ? [alone] : undefined;
  if (!isSentence(said)) return undefined;
  const parts = withoutStop(said).split(/,\s*and\s+|,\s+|\s+and\s+/i);
  const commands = parts.map((part) => commandIn(part, context));
  return commands.every((command) => command !== undefined) ? commands : undefined;
}

/** Whether a text ends by saying that something passes, and is not a shell line. */
function isSentence(said: string): boolean {
  const bare = withoutStop(said);
  return passes.test(bare) && !takesWords.test(bare) && !shellOnly.test(bare.replace(/`[^`]*`/g, ''));
}

function commandIn(part: string, context: CriteriaContext): string | undefined {
  const subject = (passes.exec(part)?.[1] ?? part).trim();
  const quoted = /^(?:(?:running|run|the\s+command|command|that)\s+)?`([^`]+)`$/i.exec(subject)?.[1];
  const command = (quoted ?? subject).trim();
  return !command.includes('`') && startsLikeCommand(command, context) ? command : undefined;
}

function withoutStop(said: string): string {
  return said.replace(/[.!]+$/, '');
}

const builtins: ReadonlySet<string> = new Set(
  (
    '. : [ alias bg break builtin cd command continue declare dirs echo enable eval exec exit export false fc fg ' +
    'getopts hash help history jobs kill let local popd printf pushd pwd read readonly return set shift shopt source ' +
    'suspend test time times trap true type typeset ulimit umask unalias unset wait'
  ).split(' '),
);

/** Words that open a compound command, each with the word that closes it: without that it is a sentence. */
const compounds: Readonly<Record<string, RegExp>> = {
  if: /\bfi\b/,
  for: /\bdone\b/,
  while: /\bdone\b/,
  until: /\bdone\b/,
  case: /\besac\b/,
};

/** Whether a shell would find something to run at the beginning of a line. */
function startsLikeCommand(line: string, { isProgram }: CriteriaContext): boolean {
  // Quotes, substitutions, groups, negations, tests and comments: the shell's own grammar.
  if (/^["'$`({[!#\\<>~]/.test(line) || /^[A-Za-z_]\w*\+?=/.test(line)) return true;
  const word = /^[^\s;&|<>()]+/.exec(line)?.[0] ?? '';
  const closing = compounds[word];
  if (closing !== undefined) return closing.test(line);
  return word !== '' && (word.includes('/') || builtins.has(word) || isProgram(word));
}
