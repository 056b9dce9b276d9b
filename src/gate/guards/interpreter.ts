import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { absent } from '../../protocol/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';
import { contentOf, realPathOf } from './installed.ts';

const maxLineLength = 512;
const maxLinks = 40;

/** The interpreter in the first line of a program. */
interface Shebang {
  readonly file: string;
  /** The program that `env` searches for. */
  readonly program?: string;
}

/** Parses the first line of a program; undefined where it is not a script. */
export function shebangOf(program: string): Shebang | undefined {
  const text = readSmallFile(toRaw(realPathOf(program) ?? program), maxLineLength)?.toString('utf8') ?? '';
  // pip writes this where the path of the interpreter is too long or contains a space.
  const afterShell = /^#!\/bin\/sh\n'''exec' "?(\/[^"\n]+?)"? "\$0"/.exec(text)?.[1];
  if (afterShell !== undefined) return { file: afterShell };
  const [file, ...args] = /^#![ \t]*([^\n\r]+)/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
  if (file === undefined) return undefined;
  const searched = path.basename(file) === 'env' ? args.find((word) => !/^-|=/.test(word)) : undefined;
  return { file, ...(searched === undefined ? {} : { program: searched }) };
}

/** Every link on the way to an interpreter, and the digest of its file. */
export function currentInterpreter(file: string): { readonly links: string[]; readonly digest: string } {
  const links: string[] = [];
  for (let place = file; links.length < maxLinks; ) {
    const target = linkAt(place);
    if (target === undefined) break;
    links.push(target);
    place = path.resolve(realPathOf(path.dirname(place)) ?? path.dirname(place), target);
  }
  const real = realPathOf(file);
  return { links, digest: real === undefined ? absent : contentOf(real) };
}

function linkAt(file: string): string | undefined {
  try {
    return lstatSync(file).isSymbolicLink() ? readlinkSync(file) : undefined;
  } catch {
    return undefined;
  }
}
