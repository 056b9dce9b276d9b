import * as z from 'zod';

/** The effect of a change. `refuse`: nothing is proven. `report`: it is reported with the verdict. */
const effect = z.enum(['refuse', 'report']);
const digest = z.string().describe('Digest of the original content; "gone" if there was none.');

/** What a program name resolved to: nothing, a program outside the work tree, or one inside it. */
export const foundProgram = z.discriminatedUnion('at', [
  z.object({ at: z.literal('none') }),
  z.object({
    at: z.literal('outside'),
    file: z.string().optional(),
    digest: digest.optional().describe('Only if the agent could replace the program.'),
  }),
  z.object({
    at: z.literal('inside'),
    file: z.string(),
    digest,
    version: z.string().optional().describe('Version of the package it belongs to.'),
  }),
]);

export const folderProgram = z.object({ name: z.string(), digest, version: z.string().optional() });

export const installedPackage = z.object({
  name: z.string(),
  version: z.string().optional(),
  folder: z
    .string()
    .describe("Digest of its folder's identity; a different one means that the package was reinstalled."),
  sizes: z.string().describe('Digest of the names and sizes of its files.'),
  stamps: z.string().describe('Digest of the file metadata, without content.'),
});

/** Something that determines the result of a check, in its original state. Paths are relative to the work folder. */
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
    .describe('File names in a folder, with "*" as wildcard; any new match counts as a change.'),
  z
    .object({
      kind: z.literal('program'),
      folder: z.string(),
      name: z.string(),
      by: z
        .enum(['path', 'bin', 'run'])
        .describe('How it is looked up: by a shell, by a package script, or by npx and uv.'),
      found: foundProgram,
      effect,
    })
    .describe('A program that a check runs.'),
  z
    .object({ kind: z.literal('interpreter'), file: z.string(), links: z.array(z.string()), digest, effect })
    .describe("The interpreter in a program's first line, and the symbolic links that lead to it."),
  z
    .object({
      kind: z.literal('programs'),
      folder: z.string(),
      existed: z.boolean(),
      programs: z.array(folderProgram),
      effect,
    })
    .describe('A folder that the checks search for programs.'),
  z
    .object({ kind: z.literal('packages'), folder: z.string(), packages: z.array(installedPackage), effect })
    .describe('Packages installed in a folder.'),
  z
    .object({
      kind: z.literal('ignored'),
      paths: z.array(z.object({ path: z.string(), stamp: z.string() })),
      written: z.array(z.string()).describe('Paths that the checks write themselves.'),
      effect,
    })
    .describe('Files in the work tree that git ignores, with sizes and times.'),
]);
