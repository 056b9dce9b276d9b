/** The cookie of a session. With TLS it has a name that no other host, port or path can set. */
function cookieName(isSecure: boolean): string {
  return isSecure ? '__Host-ralphd' : 'ralphd';
}

const maxCookies = 5;
const maxAgeSeconds = 14 * 24 * 60 * 60;

/** The header that sets the cookie; without a value, that removes it. */
export function cookieHeader(value: string | undefined, isSecure: boolean): string {
  const age = value === undefined ? 0 : maxAgeSeconds;
  const secure = isSecure ? '; Secure' : '';
  return `${cookieName(isSecure)}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * The values of the cookie in a request. There may be several: a server at another port can set one of the same name, to
 * hide ours.
 */
export function readCookies(header: string | undefined, isSecure: boolean): readonly string[] {
  const start = `${cookieName(isSecure)}=`;
  const found = (header ?? '').split(';').flatMap((part) => {
    const text = part.trim();
    return text.startsWith(start) ? [text.slice(start.length)] : [];
  });
  return found.slice(0, maxCookies);
}
