import { createSecret, digestOf, isSecret } from './secrets.ts';
import type { SessionFile, SessionRecord } from './session-file.ts';

/** Both halves of a new session. */
export interface NewSession {
  readonly cookie: string;
  readonly key: string;
}

/** A link that opens the page, once. */
export interface LinkToken {
  readonly token: string;
  readonly expiresMs: number;
}

/** Who may talk to this server. */
export interface Sessions {
  /** A token for one sign-in. */
  createToken(lifeMs: number): LinkToken;
  /** Signs in with a token, which is used up by that; undefined if it is not valid. */
  signIn(token: string): NewSession | undefined;
  /** Whether both halves belong to one session. */
  isSignedIn(cookie: string, key: string): boolean;
  signOut(cookie: string): void;
}

const maxSessions = 50;
const maxTokens = 20;
/** A session ends when it was not used for this long. */
const sessionLifeMs = 14 * 24 * 60 * 60_000;
/** How often the use of a session is written down. */
const renewAfterMs = 60 * 60_000;

/** Sessions in a file, tokens in memory. */
export function createSessions(file: SessionFile, nowMs: () => number): Sessions {
  let tokens: readonly { readonly digest: string; readonly expiresMs: number }[] = [];
  // Read each time: another server of this user may have added one.
  const current = () => file.read().filter(({ expiresMs }) => expiresMs > nowMs());
  const keep = (sessions: readonly SessionRecord[]) => file.write(sessions.slice(-maxSessions));
  const find = (cookie: string) => current().find((session) => isSecret(cookie, session.cookie));
  return {
    createToken(lifeMs) {
      const token = createSecret();
      const expiresMs = nowMs() + lifeMs;
      tokens = [...tokens, { digest: digestOf(token), expiresMs }].slice(-maxTokens);
      return { token, expiresMs };
    },
    signIn(token) {
      const found = tokens.filter(({ digest }) => isSecret(token, digest));
      tokens = tokens.filter((each) => !found.includes(each));
      if (!found.some(({ expiresMs }) => expiresMs > nowMs())) return undefined;
      const session = { cookie: createSecret(), key: createSecret() };
      const record = { cookie: digestOf(session.cookie), key: digestOf(session.key) };
      keep([...current(), { ...record, expiresMs: nowMs() + sessionLifeMs }]);
      return session;
    },
    isSignedIn(cookie, key) {
      const session = find(cookie);
      if (session === undefined || !isSecret(key, session.key)) return false;
      const expiresMs = nowMs() + sessionLifeMs;
      if (expiresMs - session.expiresMs > renewAfterMs)
        keep([...current().filter((each) => each.cookie !== session.cookie), { ...session, expiresMs }]);
      return true;
    },
    signOut: (cookie) => keep(current().filter((session) => !isSecret(cookie, session.cookie))),
  };
}
