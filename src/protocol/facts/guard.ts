import * as z from 'zod';

/** What a change comes to. `refuse`: nothing is proven. `report`: it is named with the verdict. */
const effect = z.enum(['refuse', 'report']);
const digest = z.string().describe('Digest of what it was like; "gone" where there was nothing.');

/** What a word stood for: nothing, a program outside of the work tree, or one inside it. */
const foundProgram = z.discriminatedUnion('at', [
  z.object({ at: z.literal('none') }),
  z.object({
    at: z.literal('outside'),
    file: z.string().optional(),
    digest: digest.optional().describe('Only where the agent could replace the program.'),
  }),
  z.object({
    at: z.literal('inside'),
    file: z.string(),
    digest,
    version: z.string().optional().describe('Version of the package that it belongs to.'),
  }),
]);
/** What a word stood for. */
export type FoundProgram = z.output<typeof foundProgram>;

const folderProgram = z.object({ name: z.string(), digest, version: z.string().optional() });
/** One program of a folder. */
export type FolderProgram = z.output<typeof folderProgram>;

const installedPackage = z.object({
  name: z.string(),
  version: z.string().optional(),
  folder: z.string().describe('Digest of the identity of its folder: another one was installed afresh.'),
  sizes: z.string().describe('Digest of the names and sizes of its files.'),
  stamps: z.string().describe('Digest of what the file system says about its files, without their content.'),
});
/** One installed package. */
export type InstalledPackage = z.output<typeof installedPackage>;

/** Something that decides what a check says, as it was. Paths are relative to the work folder. */
export const guard = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), path: z.string(), digest, effect }),
  z.object({ kind: z.literal('script'), manifest: z.string(), script: z.string(), digest, effect }),
  z.object({ kind: z.literal('target'), file: z.string(), target: z.string(), digest, effect }),
  z.object({ kind: z.literal('part'), file: z.string(), part: z.string(), digest, effect }),
  z
    .object({
      kind: z.literal('names'),
      folder: z.string(),
      names: z.array(z.string()),
      present: z.array(z.string()),
      effect,
    })
    .describe('Names of a folder, with "*" for anything: any that is new counts.'),
  z
    .object({
      kind: z.literal('program'),
      folder: z.string(),
      name: z.string(),
      by: z.enum(['path', 'bin', 'run']).describe('As a shell, a package script, or npx and uv look for it.'),
      found: foundProgram,
      effect,
    })
    .describe('A program that a check names.'),
  z
    .object({ kind: z.literal('interpreter'), file: z.string(), links: z.array(z.string()), digest, effect })
    .describe('What the first line of a program names, and the links that lead to it.'),
  z
    .object({
      kind: z.literal('programs'),
      folder: z.string(),
      existed: z.boolean(),
      programs: z.array(folderProgram),
      effect,
    })
    .describe('A folder in which the checks look for programs.'),
  z
    .object({ kind: z.literal('packages'), folder: z.string(), packages: z.array(installedPackage), effect })
    .describe('Packages that are installed in a folder.'),
  z
    .object({
      kind: z.literal('ignored'),
      paths: z.array(z.object({ path: z.string(), stamp: z.string() })),
      written: z.array(z.string()).describe('Those that the checks write themselves.'),
      effect,
    })
    .describe('What git ignores of the work, by sizes and times.'),
]);
/** Something that decides what a check says, as it was. */
export type Guard = z.output<typeof guard>;
