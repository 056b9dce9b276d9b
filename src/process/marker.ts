/** Every process of an attempt inherits this variable; it finds those that left the process group. */
export const markerVariable = 'RALPHD_ATTEMPT';

const markerSeparator = ',';
const validMarker = /^[\w.:/@-]{1,200}$/;

/**
 * The environment with the marker added. A ralphd that runs inside an attempt of another one keeps the outer
 * marker in front, so that the outer sweep still finds everything the inner one started.
 */
export function withMarker(env: NodeJS.ProcessEnv, marker: string): NodeJS.ProcessEnv {
  if (!validMarker.test(marker)) throw new TypeError(`not a usable process marker: ${JSON.stringify(marker)}`);
  const outer = env[markerVariable];
  return { ...env, [markerVariable]: outer ? `${outer}${markerSeparator}${marker}` : marker };
}

/**
 * Whether a value of a marker variable names this marker, alone or among outer ones. The keeper of a loop carries the
 * beginning of all its markers, up to a slash.
 */
export function carriesMarker(value: string, marker: string): boolean {
  return value
    .split(markerSeparator)
    .some((each) => each === marker || (each.endsWith('/') && each.length > 1 && marker.startsWith(each)));
}
