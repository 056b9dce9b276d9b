const interpreters =
  /^(?:sh|bash|dash|zsh|ksh|node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy3?|ruby|perl|php|lua)$/;

/** Whether a program runs a script given as an argument. */
export function isInterpreter(program: string): boolean {
  return interpreters.test(program);
}

/** Whether a command only parses a script: `bash -n x.sh`, `node --check x.js`, `php -l x.php`. */
export function onlyChecksSyntax([program = '', ...args]: readonly string[]): boolean {
  const has = (flag: RegExp) => args.some((word) => flag.test(word));
  if (/^(?:sh|bash|dash|zsh|ksh)$/.test(program)) return has(/^-n$/);
  if (/^node(?:js)?$/.test(program)) return has(/^(?:-c|--check)$/);
  if (/^(?:ruby|perl)$/.test(program)) return has(/^-w?c$/);
  if (program === 'php') return has(/^-l$/);
  return program.startsWith('python') && has(/^(?:py_compile|compileall)$/);
}

const isPattern = /[*?[]/;

/** The patterns of the scripts that a command executes: `sh ci/*.sh`, `./ci/*.sh`. */
export function executedPatterns(command: readonly string[]): readonly string[] {
  const [program = '', ...args] = command;
  if (isPattern.test(program) && program.includes('/')) return [program];
  const script = args.find((word) => !word.startsWith('-'));
  const isRun = isInterpreter(program) && !onlyChecksSyntax(command) && script !== undefined && isPattern.test(script);
  return isRun ? [script] : [];
}

/** The command that `find … -exec` or `xargs` starts, without the files that they add. */
export function startedCommand([program = '', ...args]: readonly string[]): readonly string[] | undefined {
  if (program === 'find') {
    const at = args.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
    const rest = args.slice(at + 1);
    const end = rest.findIndex((word) => word === ';' || word === '+');
    return at === -1 ? undefined : rest.slice(0, end === -1 ? undefined : end);
  }
  if (program !== 'xargs') return undefined;
  const at = args.findIndex((word, index) => !word.startsWith('-') && !/^-[nPLIsda]$/.test(args[index - 1] ?? ''));
  return at === -1 ? undefined : args.slice(at);
}

/** Whether a command executes the files appended to it, instead of passing them to a script as data. */
export function executesArguments(command: readonly string[]): boolean {
  const [program = '', ...args] = command;
  if (program === '{}') return true;
  const scripts = args.filter((word) => !word.startsWith('-') && word !== '{}');
  return isInterpreter(program) && scripts.length === 0 && !onlyChecksSyntax(command) && !args.includes('-c');
}

/** The patterns of the files that `find ci -name '*.sh'` or `ls ci/*.sh` prints. */
export function listedPatterns([program = '', ...args]: readonly string[]): readonly string[] {
  if (program === 'ls' || program === 'echo' || program === 'printf') {
    return args.filter((word) => isPattern.test(word));
  }
  if (program !== 'find') return [];
  const expressionAt = args.findIndex((word) => /^[-(!]/.test(word));
  const folders = args.slice(0, expressionAt === -1 ? undefined : expressionAt);
  const names = args.filter((_word, index) => /^-i?name$/.test(args[index - 1] ?? ''));
  const roots = folders.length === 0 ? ['.'] : folders;
  return roots.flatMap((folder) => (names.length === 0 ? ['*'] : names).map((name) => `${folder}/**/${name}`));
}
