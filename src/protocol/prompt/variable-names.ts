/** Variables that every prompt file can use: ralphd gives them their values for each attempt. */
export const builtInVariables = [
  'iteration',
  'max_iterations',
  'total_iterations',
  'loop_id',
  'session_id',
  'timestamp',
  'date',
  'time',
  'working_dir',
] as const;

/** A variable whose value ralphd knows. */
export type BuiltInVariable = (typeof builtInVariables)[number];

/** How the name of a variable is written. */
export const variableNameForm = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Whether a text can be the name of a variable. */
export function isVariableName(text: string): boolean {
  return variableNameForm.test(text);
}
