/** A position in the parsed text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Word extends Span {
  /** Without its quotes. Expansions stay as written: `$HOME`, `$(date)`. */
  readonly text: string;
  readonly isQuoted: boolean;
  /** The scripts in `$(…)`, backticks, `<(…)` and `>(…)`. */
  readonly substitutions: readonly Script[];
}

export interface Redirection {
  readonly operator: string;
  readonly target: Word;
}

/** A program or builtin with its words; only assignments when `words` is empty. */
export interface SimpleCommand extends Span {
  readonly kind: 'simple';
  /** The source text. */
  readonly raw: string;
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
}

interface Compound extends Span {
  readonly redirections: readonly Redirection[];
}

/** `( … )` or `{ …; }`. */
export interface Group extends Compound {
  readonly kind: 'group';
  readonly isSubshell: boolean;
  readonly body: Script;
}

/** `if … then … elif … else … fi`. */
export interface Conditional extends Compound {
  readonly kind: 'if';
  readonly branches: readonly { readonly condition: Script; readonly body: Script }[];
  readonly otherwise?: Script;
}

/** `for`, `select`, `while` and `until`; only the last two have a condition. */
export interface Loop extends Compound {
  readonly kind: 'loop';
  readonly keyword: 'for' | 'select' | 'while' | 'until';
  readonly condition?: Script;
  /** The words between `for` and `do`: the variable, `in`, and its values. */
  readonly header: readonly Word[];
  readonly body: Script;
}

/** `case … in … esac`, without its patterns. */
export interface Case extends Compound {
  readonly kind: 'case';
  readonly bodies: readonly Script[];
}

/** `name() { …; }`. */
export interface FunctionDefinition extends Compound {
  readonly kind: 'function';
  readonly name: string;
  readonly body: Command;
}

/** `(( … ))`. */
export interface Arithmetic extends Compound {
  readonly kind: 'arithmetic';
  readonly text: string;
}

/** One stage of a pipeline. */
export type Command = SimpleCommand | Group | Conditional | Loop | Case | FunctionDefinition | Arithmetic;

/** Commands joined by `|`. */
export interface Pipeline extends Span {
  readonly isNegated: boolean;
  readonly stages: readonly Command[];
}

/** Pipelines joined by `&&` and `||`. */
export interface Item extends Span {
  readonly first: Pipeline;
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[];
  readonly isBackground: boolean;
}

/** A sequence of items. */
export interface Script extends Span {
  readonly items: readonly Item[];
}
