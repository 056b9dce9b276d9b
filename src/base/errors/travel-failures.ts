import { exitCodes } from './exit-codes.ts';
import type { FailureFamily } from './loop-error.ts';

/** What can go wrong when the work tree of a loop moves between machines. */
export const travelFailures = {
  travelAddress: (address: string, why: string) => ({
    code: 'TRAVEL_ADDRESS',
    exitCode: exitCodes.usage,
    message: `The repository${address === '' ? '' : ` "${address}"`} cannot be used: ${why}.`,
    hint: 'Name a repository that all workers can reach, such as "git@host:team/project.git", an https address or an absolute path.',
  }),
  travelUnreachable: (repository: string, why: string) => ({
    code: 'TRAVEL_UNREACHABLE',
    exitCode: exitCodes.configuration,
    message: `Git could not talk to ${repository}: ${why}.`,
    hint: 'Check with "git ls-remote" and "git push" as the user of the worker, on the same machine.',
    retry: 'backoff' as const,
  }),
  travelEmpty: (repository: string) => ({
    code: 'TRAVEL_EMPTY',
    exitCode: exitCodes.configuration,
    message: `The repository ${repository} has no commit to start from.`,
    hint: 'Push a first commit to it.',
  }),
  travelNoRef: (ref: string, repository: string) => ({
    code: 'TRAVEL_NO_REF',
    exitCode: exitCodes.usage,
    message: `The repository ${repository} has no branch or tag "${ref}".`,
    hint: 'Push it, or name a branch, a tag or a full commit id that is there.',
  }),
  travelNoCapture: (commit: string, repository: string) => ({
    code: 'TRAVEL_NO_CAPTURE',
    exitCode: exitCodes.configuration,
    message: `The repository ${repository} does not have ${commit}, from which the loop continues.`,
    hint: 'Somebody has deleted its refs below refs/ralphd. Restore them from a clone or a backup of the repository.',
  }),
  travelNotCaptured: (loopId: string, why: string) => ({
    code: 'TRAVEL_NOT_CAPTURED',
    exitCode: exitCodes.configuration,
    message: `The work of ${loopId} could not be captured: ${why}.`,
    hint: 'Check the disk of the worker. The work is still in its work tree.',
    retry: 'backoff' as const,
  }),
  travelNoTree: (loopId: string, folder: string) => ({
    code: 'TRAVEL_NO_TREE',
    exitCode: exitCodes.configuration,
    message: `There is no work tree of ${loopId} in ${folder}.`,
    hint: 'Restart the worker: it checks the loop out again.',
  }),
} as const satisfies FailureFamily;
