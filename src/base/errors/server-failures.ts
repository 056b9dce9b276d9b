import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

const again = 'Run "ralphd serve" again and open the link that it prints.';

/** What can go wrong between a browser and `ralphd serve`. */
export const serverFailures = {
  sessionMissing: () => ({
    code: 'SESSION_MISSING',
    exitCode: exitCodes.usage,
    message: 'You are not signed in here, or your session has expired.',
    hint: again,
  }),
  linkExpired: () => ({
    code: 'LINK_EXPIRED',
    exitCode: exitCodes.usage,
    message: 'This link has been used already, or it has expired.',
    hint: again,
  }),
  hostNotAllowed: (host: string) => ({
    code: 'HOST_NOT_ALLOWED',
    exitCode: exitCodes.usage,
    message: `The request is for the host "${host}", and this server does not answer under that name.`,
    hint: 'Open the address that "ralphd serve" printed, or start it with "--allow-host NAME".',
  }),
  originNotAllowed: () => ({
    code: 'ORIGIN_NOT_ALLOWED',
    exitCode: exitCodes.usage,
    message: 'The request comes from another site, so it was refused.',
    hint: 'Open the address that "ralphd serve" printed.',
  }),
  controlNotAllowed: () => ({
    code: 'CONTROL_NOT_ALLOWED',
    exitCode: exitCodes.usage,
    message: 'This server only shows loops; it does not change them.',
    hint: 'Start it with "ralphd serve --allow-control" to act from here.',
  }),
  startElsewhere: () => ({
    code: 'START_ELSEWHERE',
    exitCode: exitCodes.usage,
    message: 'This server shows the loops of a fleet, which its workers start.',
    hint: 'Queue a loop with "ralphd submit".',
  }),
  requestInvalid: (what: string) => ({
    code: 'REQUEST_INVALID',
    exitCode: exitCodes.usage,
    message: `The request is not valid: ${what}.`,
    hint: 'Every request is described at /api/openapi.json.',
  }),
  requestTooLarge: (most: string) => ({
    code: 'REQUEST_TOO_LARGE',
    exitCode: exitCodes.usage,
    message: `The request is larger than ${most}.`,
    hint: 'Send less, or start the loop from a terminal with "--prompt-file".',
  }),
  addressUnknown: (address: string) => ({
    code: 'ADDRESS_UNKNOWN',
    exitCode: exitCodes.usage,
    message: `There is nothing at ${address}.`,
    hint: 'Every address is described at /api/openapi.json.',
  }),
  serverBusy: (what: string) => ({
    code: 'SERVER_BUSY',
    exitCode: exitCodes.failed,
    message: `The server is busy: ${what}.`,
    hint: 'Try again in a moment, or close some of its pages.',
  }),
  serverFailed: () => ({
    code: 'SERVER_FAILED',
    exitCode: exitCodes.failed,
    message: 'The request failed because of a fault in ralphd. No loop is affected.',
    hint: 'The terminal of "ralphd serve" shows the details; please report them.',
  }),
  addressInUse: (address: string) => ({
    code: 'ADDRESS_IN_USE',
    exitCode: exitCodes.configuration,
    message: `Another program already answers at ${address}.`,
    hint: 'Choose another port with "--port N", or 0 for any that is free.',
  }),
  addressUnusable: (address: string, why: string) => ({
    code: 'ADDRESS_UNUSABLE',
    exitCode: exitCodes.configuration,
    message: `The server cannot answer at ${address}: ${why}.`,
    hint: 'Choose another address with "--host" and "--port".',
  }),
  addressNotLocal: (host: string) => ({
    code: 'ADDRESS_NOT_LOCAL',
    exitCode: exitCodes.usage,
    message: `Other machines can reach ${host}, and without TLS everybody on the way could read and use your session.`,
    hint: 'Give "--tls-cert FILE" and "--tls-key FILE", or reach this machine through "ssh -L". Only on a network that you trust entirely: "--allow-plain-http".',
  }),
  tlsUnusable: (why: string) => ({
    code: 'TLS_UNUSABLE',
    exitCode: exitCodes.configuration,
    message: `The certificate and its key cannot be used: ${why}.`,
    hint: 'Give both "--tls-cert FILE" and "--tls-key FILE", in PEM form.',
  }),
  tokenFileUnusable: (file: string, why: string) => ({
    code: 'TOKEN_FILE_UNUSABLE',
    exitCode: exitCodes.configuration,
    message: `The token file ${file} cannot be used: ${why}.`,
    hint: 'Name a file that does not exist yet to have one created, or one that only you can read, with at least 32 characters.',
  }),
} as const satisfies FailureFamily;
