import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { absent } from '../../protocol/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { contentOf, realOf } from './installed.ts';

const longestLine = 512;
const maxLinks = 40;

/** What the first line of a program names: a file, and the program that `env` is to look for. */
export interface Shebang {
  readonly file: string;
  readonly looksFor?: string;
}

/** Reads the first line of a program; nothing where it is no script. */
export function shebangOf(program: string): Shebang | undefined {
  const text = readSmallFile(toRaw(realOf(program) ?? program), longestLine)?.toString('utf8') ?? '';
  // pip writes this where the path of the interpreter is too long or has a space in it.
  const behindShell = /^#!\/bin\/sh\n'''exec' "?(\/[^"\n]+?)"? "\$0"/.exec(text)?.[1];
  if (behindShell !== undefined) return { file: behindShell };
  const [file, ...args] = /^#![ \t]*([^\n\r]+)/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
  if (file === undefined) return undefined;
  const looksFor = path.basename(file) === 'env' ? args.find((word) => !/^-|=/.test(word)) : undefined;
  return { file, ...(looksFor === undefined ? {} : { looksFor }) };
}

/** An interpreter as it is now: every link on the way to it, and the content of the file. */
export function interpreterNow(file: string): { readonly links: string[]; readonly digest: string } {
  const links: string[] = [];
  for (let place = file; links.length < maxLinks; ) {
    const target = linkAt(place);
    if (target === undefined) break;
    links.push(target);
    place = path.resolve(realOf(path.dirname(place)) ?? path.dirname(place), target);
  }
  const real = realOf(file);
  return { links, digest: real === undefined ? absent : contentOf(real) };
}

function linkAt(file: string): string | undefined {
  try {
    return lstatSync(file).isSymbolicLink() ? readlinkSync(file) : undefined;
  } catch {
    return undefined;
  }
}
