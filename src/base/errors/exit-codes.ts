/** The exit codes of `ralphd` commands; the numbers are a public contract. */
export const exitCodes = {
  completed: 0,
  failed: 1,
  limit: 2,
  stopRule: 4,
  needsPerson: 5,
  locked: 6,
  usage: 64,
  providerLimit: 75,
  configuration: 78,
  interrupted: 130,
  terminated: 143,
} as const;
