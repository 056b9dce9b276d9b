/** Variables available in every prompt file; ralphd sets them for each attempt. */
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

/** A variable that ralphd sets. */
export type BuiltInVariable = (typeof builtInVariables)[number];

/** The syntax of a variable name. */
export const variableNameForm = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Whether a text is a valid variable name. */
export function isVariableName(text: string): boolean {
  return variableNameForm.test(text);
}
