import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can go wrong with the documents of other systems. */
export const documentFailures = {
  documentDamaged: (name: string, why: string) => ({
    code: 'DOCUMENT_DAMAGED',
    exitCode: exitCodes.needsPerson,
    message: `${name} is damaged: ${why}. It was left untouched.`,
    hint: 'Restore the file from a backup, or correct it, then try again.',
  }),
  documentNewerVersion: (name: string, expected: number | string, found: number | string) => ({
    code: 'DOCUMENT_NEWER_VERSION',
    exitCode: exitCodes.configuration,
    message: `${name} has format version ${found}; this version of ralphd reads version ${expected}. It was left untouched.`,
    hint: 'Update ralphd, or use the program that wrote the document.',
  }),
  documentUnknown: (name: string, what: string) => ({
    code: 'DOCUMENT_UNKNOWN',
    exitCode: exitCodes.usage,
    message: `${name} is ${what}. It was left untouched.`,
    hint: 'Check the path. "ralphd doctor" lists the loops of other systems in this project.',
  }),
  linkLeadsOut: (name: string, target: string) => ({
    code: 'LINK_LEADS_OUT',
    exitCode: exitCodes.usage,
    message: `${name} is a link that leads out of the project, to ${target}. Nothing was read or written.`,
    hint: 'Name the file itself instead of the link.',
  }),
  nothingToImport: (folder: string) => ({
    code: 'NOTHING_TO_IMPORT',
    exitCode: exitCodes.usage,
    message: `${folder} contains no loop of a system that ralphd knows.`,
    hint: 'Name the file itself, or run "ralphd doctor", which lists the loops of other systems in this project.',
  }),
  importNeedsCheck: (loopId: string) => ({
    code: 'IMPORT_NEEDS_CHECK',
    exitCode: exitCodes.configuration,
    message: `Loop ${loopId} was imported without a check that proves its completion.`,
    hint: `Give it one: "ralphd resume ${loopId} --verify CMD".`,
  }),
  documentNotEncryptable: (file: string, why: string) => ({
    code: 'DOCUMENT_NOT_ENCRYPTABLE',
    exitCode: exitCodes.configuration,
    message: `${file} cannot be encrypted: ${why}. Nothing was changed.`,
    hint: 'Keep the document in a folder of its own, under a name such as state.json.',
  }),
  documentOfOtherLoop: (name: string, expected: string, found: string) => ({
    code: 'DOCUMENT_OF_OTHER_LOOP',
    exitCode: exitCodes.usage,
    message: `${name} holds the state of loop ${found}, not of ${expected}. It was left untouched.`,
    hint: 'Use another file for this loop, or set the existing one aside first.',
  }),
} as const satisfies FailureFamily;
