/** Every process of an attempt inherits this variable; it finds those that left the process group. */
export const MARKER_VARIABLE = 'RALPHD_ATTEMPT';

const SEPARATOR = ',';
const VALID_MARKER = /^[\w.:/@-]{1,200}$/;

/**
 * The environment with the marker added. A ralphd that runs inside an attempt of another one keeps the outer
 * marker in front, so that the outer sweep still finds everything the inner one started.
 */
export function withMarker(env: NodeJS.ProcessEnv, marker: string): NodeJS.ProcessEnv {
  if (!VALID_MARKER.test(marker)) throw new TypeError(`not a usable process marker: ${JSON.stringify(marker)}`);
  const outer = env[MARKER_VARIABLE];
  return { ...env, [MARKER_VARIABLE]: outer ? `${outer}${SEPARATOR}${marker}` : marker };
}

/** Whether a value of the marker variable names this marker, alone or among outer ones. */
export function carriesMarker(value: string, marker: string): boolean {
  return value.split(SEPARATOR).includes(marker);
}
