import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The licences of all packages whose modules are part of what was built. */
export async function noticesFor(modules: Iterable<string>): Promise<string> {
  const folders = [...new Set([...modules].map(packageFolder).filter((folder) => folder !== undefined))].toSorted();
  const sections = await Promise.all(folders.map(sectionFor));
  return ['# Third-party notices', 'The files of this package contain code of the packages below.', ...sections]
    .join('\n\n')
    .concat('\n');
}

function packageFolder(module: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0];
}

async function sectionFor(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;
  const files = (await readdir(folder)).filter((file) => /^(LICEN[CS]E|COPYING|NOTICE)/i.test(file));
  // Shipping code without its licence would violate it, so the build fails.
  if (files.length === 0) throw new Error(`The package ${name} is bundled, but it has no licence file in ${folder}.`);
  const texts = await Promise.all(files.toSorted().map((file) => readFile(path.join(folder, file), 'utf8')));
  const quoted = texts.map((text) => `\`\`\`text\n${text.trim()}\n\`\`\``);
  return [`## ${name} ${version}`, `Licence: ${license ?? 'see below'}`, ...quoted].join('\n\n');
}
