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
  const texts =
    files.length === 0
      ? [await licenceInReadme(name, folder)]
      : await Promise.all(files.toSorted().map((file) => readFile(path.join(folder, file), 'utf8')));
  const quoted = texts.map((text) => `\`\`\`text\n${text.trim()}\n\`\`\``);
  return [`## ${name} ${version}`, `Licence: ${license ?? 'see below'}`, ...quoted].join('\n\n');
}

/** Some packages state their licence, with its holder, only in the last section of their README. */
async function licenceInReadme(name: string, folder: string): Promise<string> {
  const readme = (await readdir(folder)).find((file) => /^README/i.test(file));
  const text = readme === undefined ? '' : await readFile(path.join(folder, readme), 'utf8');
  const section = /^#+ *licen[cs]e\b[^\n]*\n(.*)/ims.exec(text)?.[1]?.trim();
  // Shipping code without its licence would violate it, so the build fails.
  if (section === undefined || !/copyright/i.test(section)) {
    throw new Error(`The package ${name} is bundled, but it has no licence file in ${folder}.`);
  }
  return section;
}
